"""Exact match by teacher forcing against greedy generation, and the intervals."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lengthwise.evaluation import exact
from lengthwise.evaluation.answers import answers
from lengthwise.evaluation.exact import correct_rows
from lengthwise.records.spec import RunSpec
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.training.loop import Trainer
from tests.models.test_decoder import decoder


@pytest.fixture(scope="module", params=["repeat-copy", "addition", "copy-v1-text:symbols=2"])
def trained(request, tmp_path_factory):
    """Return a model that is right on some instances and wrong on others."""
    spec = RunSpec.create(
        task=request.param,
        position="rope",
        model={"layers": 2, "heads": 2, "width": 32},
        training={"length": (1, 6), "steps": 350, "evaluate_every": 350, "batch": 64},
        evaluation={"lengths": ((7, 12),), "instances": 50},
    )
    trainer = Trainer(spec, tmp_path_factory.mktemp("run"))
    trainer.fit()
    return trainer


def test_teacher_forcing_equals_greedy_generation(trained):
    batch = trained.task.draw(np.random.default_rng(5), 1, 12, 300)
    forced = correct_rows(trained.model, batch)
    assert 0.1 < forced.mean() < 0.95  # both outcomes occur
    assert np.array_equal(forced, answers(trained.model, trained.task, batch))


def test_the_result_does_not_depend_on_how_rows_are_grouped(trained, monkeypatch):
    batch = trained.task.draw(np.random.default_rng(6), 1, 12, 100)
    whole = correct_rows(trained.model, batch)
    monkeypatch.setattr(exact, "TOKENS_AT_ONCE", 40)
    assert np.array_equal(whole, correct_rows(trained.model, batch))


def test_leaving_early_changes_nothing(monkeypatch, tmp_path):
    """A model that is right on short copies and wrong on long ones, in chunks of few rows."""
    spec = RunSpec.create(
        task="repeat-copy",
        position="nope",
        model={"layers": 2, "heads": 2, "width": 32},
        training={"length": (1, 4), "steps": 400, "evaluate_every": 400},
        evaluation={"lengths": ((5, 40),), "instances": 20},
    )
    trainer = Trainer(spec, tmp_path)
    trainer.fit()
    monkeypatch.setattr(exact, "TOKENS_AT_ONCE", 150)
    monkeypatch.setattr(exact, "FIRST", 1)
    batch = trainer.task.draw(np.random.default_rng(8), 1, 30, 200)
    calls = []
    real = exact._beginning
    monkeypatch.setattr(
        exact, "_beginning", lambda rows: calls.append(len(rows.length)) or real(rows)
    )
    early = correct_rows(trainer.model, batch)
    assert calls
    assert 0.02 < early.mean() < 0.5
    assert np.array_equal(early, correct_rows(trainer.model, batch, early_exit=False))


def supervised_batch(rng, rows=6, columns=20):
    """Random rows of which random cells are answers, at least one each."""
    size = rng.integers(2, columns + 1, rows)
    tokens = rng.integers(0, 5, (rows, columns))
    marked = (rng.random((rows, columns)) < 0.6) & (np.arange(columns) < size[:, None])
    marked[:, 0] = True
    targets = np.where(marked, tokens, IGNORE)
    return Batch(tokens=tokens, targets=targets, length=size, size=size)


def test_the_beginning_is_the_first_four_answers_of_each_row():
    for seed in range(20):
        batch = supervised_batch(np.random.default_rng(seed))
        found = exact._beginning(batch)
        assert np.array_equal(found.tokens, batch.tokens)
        for row, (mine, theirs) in enumerate(zip(found.targets, batch.targets, strict=True)):
            answers_at = [at for at, target in enumerate(theirs) if target != IGNORE]
            kept = [at for at, target in enumerate(mine) if target != IGNORE]
            assert kept == answers_at[:4], row
            assert all(mine[at] == theirs[at] for at in kept)


@pytest.mark.parametrize("tokens", [1, 30, 64, 10_000])
def test_every_row_is_in_one_chunk_and_chunks_are_as_large_as_allowed(monkeypatch, tokens):
    monkeypatch.setattr(exact, "TOKENS_AT_ONCE", tokens)
    for seed in range(20):
        batch = supervised_batch(np.random.default_rng(seed), rows=15)
        chunks = list(exact._chunks(batch))
        assert sorted(np.concatenate(chunks).tolist()) == list(range(15))
        for chunk in chunks:
            padded = len(chunk) * int(batch.size[chunk].max())
            assert len(chunk) == 1 or padded <= tokens
        if tokens == 10_000:
            assert len(chunks) == 1


def test_a_row_with_one_wrong_answer_is_wrong_wherever_it_is(trained):
    """Targets taken from the model itself are right; then one of them is changed."""
    rng = np.random.default_rng(3)
    batch = trained.task.draw(rng, 4, 10, 40)
    rows, columns = np.nonzero(batch.supervised)
    inputs = exact.prepare(batch, "cpu", places=None)
    said = inputs.logits(trained.model.eval()).argmax(dim=-1).numpy()
    targets = batch.targets.copy()
    targets[rows, columns] = said
    assert correct_rows(trained.model, replace(batch, targets=targets)).all()
    wanted = np.ones(40, dtype=bool)
    for row in rng.choice(40, 15, replace=False):
        at = rng.choice(np.flatnonzero(batch.supervised[row]))
        targets[row, at] = (targets[row, at] + 1) % len(trained.task.vocabulary)
        wanted[row] = False
    for early_exit in (True, False):
        found = correct_rows(trained.model, replace(batch, targets=targets), early_exit=early_exit)
        assert np.array_equal(found, wanted)


def test_the_model_is_left_as_it_was(trained):
    batch = trained.task.draw(np.random.default_rng(5), 1, 4, 5)
    for mode in (True, False):
        trained.model.train(mode)
        correct_rows(trained.model, batch)
        assert trained.model.training is mode


@pytest.mark.parametrize("early_exit", [True, False])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_first_answers_are_read_first_while_most_rows_are_wrong(monkeypatch, early_exit, share):
    """Chunk by chunk against the rule: at most half were right, and answers are many."""
    monkeypatch.setattr(exact, "TOKENS_AT_ONCE", 60)
    model = decoder()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        batch = replace(supervised_batch(rng, rows=30, columns=40), length=np.arange(30))
        truth = rng.random(30) < share
        started, begun = [], []

        def right(_, rows, __, truth=truth):
            return truth[rows.length]

        def beginning(rows, begun=begun):
            begun.append(rows.length.tolist())
            return rows

        monkeypatch.setattr(exact, "_right", right)
        monkeypatch.setattr(exact, "_beginning", beginning)
        found = correct_rows(model, batch, early_exit=early_exit)
        assert np.array_equal(found, truth)
        done: list[int] = []
        for chunk in map(np.ndarray.tolist, exact._chunks(batch)):
            answers_in = sum(int((batch.targets[row] != IGNORE).sum()) for row in chunk)
            if early_exit and 2 * truth[done].sum() <= len(done) and answers_in > 16 * len(chunk):
                started.append(chunk)
            done += chunk
        assert begun == started


def test_only_the_tokens_that_are_asked_for_compete():
    model, among = decoder().eval(), np.array([1, 3])
    for seed in range(5):
        rng = np.random.default_rng(seed)
        batch = supervised_batch(rng, rows=12, columns=8)
        targets, wanted = batch.targets.copy(), np.ones(12, dtype=bool)
        for row, size in enumerate(batch.size):
            with torch.no_grad():
                logits = model(torch.from_numpy(batch.tokens[row : row + 1, :size]))[0].numpy()
            said = among[logits[:, among].argmax(axis=1)]
            marked = np.flatnonzero(targets[row] != IGNORE)
            if row % 2:  # what the model says; in other rows what was drawn
                targets[row, marked] = said[marked]
            wanted[row] = (targets[row, marked] == said[marked]).all()
        assert np.array_equal(
            correct_rows(model, replace(batch, targets=targets), among=among), wanted
        )
