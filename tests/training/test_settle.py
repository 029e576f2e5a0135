"""A run that settles: decided by the training lengths alone, and continued to the same numbers."""

from itertools import pairwise

import pytest

from lengthwise.records.result import first_fit
from lengthwise.records.spec import SETTLE_LEAST, TrainingConfig
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store
from lengthwise.training.loop import FITTED, LOOK_EVERY, Trainer
from lengthwise.training.schedule import learning_rate
from tests.training.test_resume import execute_with_interruptions, weights


@pytest.fixture
def easy(tiny, monkeypatch):
    """A run that fits soon and settles soon after."""
    monkeypatch.setattr("lengthwise.records.spec.SETTLE_LEAST", 30)

    def build(position="ape", **training):
        options = {"steps": 400, "batch": 32, "learning_rate": 1e-2, "evaluate_every": 1000}
        spec = tiny(position, task="tomita-2", **{**options, "settle": 1.5, **training})
        return spec.model_copy(update={"model": spec.model.model_copy(update={"dropout": 0.0})})

    return build


def test_it_goes_on_from_the_first_fit_by_the_rule(easy, tmp_path):
    spec = easy()
    result = execute(spec, Store(tmp_path))
    fitted = first_fit(result.history)
    assert fitted is not None
    assert fitted % LOOK_EVERY == 0
    assert result.stopped == "settled"
    assert result.steps == spec.training.settled(fitted) > fitted
    assert [event.step for event in result.history] == [fitted, result.steps]
    assert result.history[0].bins[0].accuracy >= FITTED
    before = Trainer(spec, tmp_path / "before")  # one look earlier it did not fit
    for _ in range(fitted - LOOK_EVERY):
        before.train_step()
    assert before.measure()[0].accuracy < FITTED


@pytest.mark.parametrize("steps", [[0], [19], [20, 1], [41], [25, 10]])
def test_resuming_gives_bit_identical_results(easy, tmp_path, steps):
    spec = easy()
    whole, parts = Store(tmp_path / "whole"), Store(tmp_path / "parts")
    one, two = execute(spec, whole), execute_with_interruptions(spec, parts, steps)
    assert one.metrics == two.metrics
    assert weights(whole, spec) == weights(parts, spec)


def test_longer_inputs_have_no_say(easy, tmp_path):
    """With other test lengths of the same longest one the weights are the same."""
    spec = easy()
    other = spec.model_copy(
        update={"evaluation": spec.evaluation.model_copy(update={"lengths": ((9, 10),)})}
    )
    one, two = (execute(each, Store(tmp_path / each.id)) for each in (spec, other))
    assert one.steps == two.steps
    trained = [Trainer(each, Store(tmp_path / each.id).folder(each)) for each in (spec, other)]
    assert trained[0].context == trained[1].context


def test_a_run_that_does_not_fit_ends_at_its_steps(easy, tmp_path):
    result = execute(easy(steps=1), Store(tmp_path))
    assert (result.steps, result.stopped) == (1, "not fitted")


def test_the_rate_falls_from_the_first_fit_to_zero():
    config = TrainingConfig(schedule="linear", steps=1000, learning_rate=1.0, settle=5)
    last = config.settled(200)
    assert last == 1000
    rates = [learning_rate(config, step, 200) for step in range(150, last)]
    assert all(a > b for a, b in pairwise(rates))
    assert learning_rate(config, 200, 200) == learning_rate(config, 200)
    assert rates[-1] == pytest.approx(0.8 / 800)
    assert TrainingConfig(settle=1).settled(10) == 10 + SETTLE_LEAST


def test_ids_of_earlier_specifications_stay(tiny):
    plain = tiny()
    assert "settle" not in plain.model_dump()["training"]
    assert tiny(settle=2.0).id != plain.id
