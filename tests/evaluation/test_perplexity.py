"""Perplexity against a plain loop over tokens, and for models whose perplexity is known."""

import math

import numpy as np
import pytest
import torch

from lengthwise.core.errors import InputError
from lengthwise.evaluation import perplexity as module
from lengthwise.evaluation.perplexity import (
    default_contexts,
    held_out,
    last_tokens,
    perplexity,
    perplexity_by_context,
)
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions import load_position
from lengthwise.records.spec import RunSpec
from lengthwise.runs.trained import TrainedRun
from lengthwise.tasks import load_task


def make_run(tmp_path, position="rope", **changes) -> TrainedRun:
    rng = np.random.default_rng(0)
    path = tmp_path / "text.txt"
    path.write_text("".join(rng.choice(list("abc \n"), 4000)))
    task = load_task(f"text:{path}")
    torch.manual_seed(0)
    config = ModelConfig(**{"layers": 2, "heads": 2, "width": 16, **changes})
    model = Decoder(config, len(task.vocabulary), load_position(position), context=41)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(3)
    spec = RunSpec.create(task=f"text:{path}", position=position, training={"length": (4, 20)})
    return TrainedRun("0", spec, task, model)


@pytest.mark.parametrize("position", ["rope", "t5", "ape", "randomised:encoding=ape"])
def test_perplexity_is_the_exponential_of_the_mean_token_loss(tmp_path, position):
    run = make_run(tmp_path, position)
    found = perplexity_by_context(run.model, run.task, [20, 40, 8], scored=5, windows=6, seed=3)
    assert list(found) == [8, 20, 40]
    test = load_task(f"text:{tmp_path / 'text.txt'};part=test")
    texts = test.sample(np.random.default_rng(3), np.full(6, 40)).tokens[:, 1:]
    for context, value in found.items():
        losses = []
        for text in texts.tolist():
            line = [test.vocabulary.bos, *text[-context:]]
            places = run.model.encoding.positions(np.array([context + 1]), None)
            with torch.no_grad():
                logits = run.model(
                    torch.tensor([line]), None if places is None else torch.from_numpy(places)
                )[0]
            for t in range(context - 5, context):
                losses.append(-math.log(logits[t].double().softmax(-1)[line[t + 1]].item()))
        assert len(losses) == 30
        assert value == pytest.approx(math.exp(sum(losses) / 30), rel=1e-4)


def test_a_uniform_model_is_as_perplexed_as_it_has_symbols(tmp_path):
    run = make_run(tmp_path, tied=False)
    torch.nn.init.zeros_(run.model.unembedding.weight)
    found = perplexity_by_context(run.model, run.task, [8, 40], scored=8)
    assert found == pytest.approx(dict.fromkeys((8, 40), len(run.task.vocabulary)))


def test_a_model_that_is_sure_and_wrong_is_infinitely_perplexed(tmp_path):
    run = make_run(tmp_path, tied=False, norm="none", bias=False)
    with torch.no_grad():
        run.model.unembedding.weight.mul_(1e7)
    batch = last_tokens(run.task, np.full((1, 8), 97), 8, 8)
    other = last_tokens(run.task, np.full((1, 8), 98), 8, 8)
    assert math.inf in (perplexity(run.model, batch), perplexity(run.model, other))


def test_chunks_do_not_matter(tmp_path, monkeypatch):
    run = make_run(tmp_path)
    whole = perplexity_by_context(run.model, run.task, [16, 30], windows=7, scored=9)
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 2 * 31 * 31)
    assert perplexity_by_context(
        run.model, run.task, [16, 30], windows=7, scored=9
    ) == pytest.approx(whole)


def test_the_same_tokens_are_scored_in_every_context(tmp_path):
    task = make_run(tmp_path).task
    texts = np.arange(30).reshape(2, 15)
    short, long = (last_tokens(task, texts, context, 4) for context in (5, 12))
    assert short.targets[short.supervised].tolist() == long.targets[long.supervised].tolist()
    assert long.targets[long.supervised].tolist() == [*range(11, 15), *range(26, 30)]
    assert short.tokens[:, 0].tolist() == [task.vocabulary.bos] * 2


def test_windows_come_from_test_text_and_may_be_the_ends_of_files(tmp_path):
    for number in range(12):
        (tmp_path / f"{number:02d}.txt").write_text(f"{number:02d}" * (4 + number))
    task = load_task(f"text:{tmp_path}/*.txt;part=test")
    ends = held_out(task, 10, 0, seed=0)
    assert [task.encoder.decode(row.tolist()) for row in ends] == [b"10" * 5]  # 00 is too short
    drawn = held_out(task, 8, 20, seed=0)
    assert {bytes(set(task.encoder.decode(row.tolist()))) for row in drawn} <= {b"0", b"01"}
    with pytest.raises(InputError, match="longest test file has 28"):
        held_out(task, 29, 0, seed=0)
    with pytest.raises(InputError, match="no document has 29"):
        held_out(task, 29, 5, seed=0)


def test_what_cannot_be_measured_is_refused(tmp_path):
    run = make_run(tmp_path)
    assert default_contexts(run.spec) == [10, 15, 20, 25, 30, 40]
    for contexts, options, message in [
        ([], {}, "at least one context"),
        ([16], {"scored": 17}, "cannot be shorter"),
        ([16], {"scored": 0}, "at least 1"),
        ([16], {"scored": 4, "windows": -1}, "at least 0"),
    ]:
        with pytest.raises(InputError, match=message):
            perplexity_by_context(run.model, run.task, contexts, **options)
    ape = make_run(tmp_path, "ape")
    with pytest.raises(InputError, match="beyond the learned table"):
        perplexity_by_context(ape.model, ape.task, [64], scored=4)
    parity = TrainedRun("0", run.spec, load_task("parity"), run.model)
    with pytest.raises(InputError, match="no language modelling"):
        perplexity_by_context(parity.model, parity.task, [16], scored=4)
