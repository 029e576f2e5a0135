"""Exact match by teacher forcing against greedy generation, and the intervals."""

import numpy as np
import pytest

from lengthwise.evaluation import exact
from lengthwise.evaluation.answers import answers
from lengthwise.evaluation.exact import correct_rows
from lengthwise.records.spec import RunSpec
from lengthwise.training.loop import Trainer


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
