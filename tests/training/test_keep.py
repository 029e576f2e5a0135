"""The best evaluation in distribution can be kept, through interruptions too."""

import pytest
import torch

from lengthwise.records.record import load_result
from lengthwise.records.result import kept
from lengthwise.records.spec import RunSpec
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store
from lengthwise.runs.trained import load_run
from lengthwise.training.loop import Interrupted, Trainer


def spec(**training):
    return RunSpec.create(
        task="binary-majority",
        position="nope",
        model={"layers": 1, "heads": 1, "width": 16},
        training={
            "length": (1, 5),
            "steps": 40,
            "batch": 16,
            "learning_rate": 0.3,  # large: accuracy goes up and down
            "schedule": "constant",
            "evaluate_every": 4,
            "stop_when_perfect": False,
            **training,
        },
        evaluation={"lengths": ((6, 8),), "instances": 60},
    )


def test_the_first_of_the_best_evaluations_is_kept(tmp_path):
    store = Store(tmp_path)
    last, best = (execute(spec(keep=keep), store, device="cpu") for keep in ("last", "best"))
    assert last.history == best.history
    scores = [event.bins[0].accuracy for event in best.history]
    assert scores[-1] < max(scores), "the case says nothing if the last is the best"
    event = best.history[scores.index(max(scores))]
    assert best.bins == event.bins == kept(best.spec, best.history).bins
    assert last.bins == last.history[-1].bins
    trainer = Trainer(best.spec, tmp_path)
    trainer.model.load_state_dict(load_run(store, best.spec.id).model.state_dict())
    assert trainer.measure() == best.bins
    assert load_result(store.record(store.folder(best.spec))).bins == best.bins


@pytest.mark.parametrize("stop", [13, 24, 38])
def test_an_interrupted_run_keeps_the_same_weights(tmp_path, stop):
    whole = execute(spec(keep="best"), Store(tmp_path / "a"), device="cpu")
    steps = iter(range(1, 99))
    with pytest.raises(Interrupted):
        execute(
            spec(keep="best"),
            Store(tmp_path / "b"),
            device="cpu",
            should_stop=lambda: next(steps) == stop,
        )
    again = execute(spec(keep="best"), Store(tmp_path / "b"), device="cpu")
    assert again.metrics == whole.metrics
    one, two = (load_run(Store(tmp_path / x), whole.spec.id).model.state_dict() for x in "ab")
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_both_memories_of_the_optimiser_can_be_set(tmp_path):
    trainer = Trainer(spec(beta1=0.5, beta2=0.9), tmp_path)
    assert trainer.optimizer.defaults["betas"] == (0.5, 0.9)
    plain = spec().model_dump(mode="json")["training"]
    assert not {"beta1", "keep"} & plain.keys()


def test_a_loss_that_stops_being_finite_is_said(tmp_path):
    from lengthwise.api.train import Trained

    bad = execute(spec(learning_rate=1e38, clip=0.0, steps=8), Store(tmp_path), device="cpu")
    good = execute(spec(steps=4), Store(tmp_path), device="cpu")
    assert bad.history[-1].loss is None
    (line,) = Trained([bad, good], tmp_path).notes()
    assert line.startswith("binary-majority, nope, seed 0: the loss was not finite by step")
