"""More steps or other tests of a finished run: the numbers of a run made like that, or anew."""

from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.core.errors import InputError
from lengthwise.records.spec import RunSpec
from lengthwise.runs.execute import STATE
from lengthwise.runs.extension import depends_on_context
from lengthwise.runs.store import Store
from lengthwise.training.loop import Trainer
from tests.positions.cases import CASES

SETTINGS = {
    "train_length": "1:4",
    "test_length": "5:8",
    "steps": 7,
    "batch": 8,
    "evaluate_every": 3,
    "instances": 20,
    "width": 16,
    "stop_when_perfect": False,
    "schedule": "constant",
    "jobs": 1,
}


def train(store: Path, encoding: str = "nope", **changes: object):
    return lw.train("parity", encoding=encoding, store=store, **{**SETTINGS, **changes})


def weights(store: Path, made) -> bytes:
    return (Store(store).folder(made[0].spec) / "model.safetensors").read_bytes()


def steps_taken(monkeypatch) -> list[int]:
    taken: list[int] = []
    step = Trainer.train_step

    def counted(self: Trainer) -> float:
        taken.append(self.step)
        return step(self)

    monkeypatch.setattr(Trainer, "train_step", counted)
    return taken


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"dropout": 0.1, "warmup": 2},
        {"optimizer": "muon"},
        {"keep": "best"},
        {"encoding": "ape"},
        {"settle": 2.0},
        {"curriculum": 9, "stop_when_perfect": True},
    ],
)
def test_more_steps_give_the_bytes_of_a_run_from_the_start(changes, tmp_path, monkeypatch):
    first = train(tmp_path / "a", **changes)
    taken = steps_taken(monkeypatch)
    more = train(tmp_path / "a", **changes, steps=12)
    (said,) = more.notes()
    assert said == f"run {first[0].spec.id} is extended from step 6 to 12"
    assert taken[0] == 6  # the last planned evaluation: step 7 is none of a longer run's
    fresh = train(tmp_path / "b", **changes, steps=12)
    assert not list(fresh.notes())
    assert more[0].metrics == fresh[0].metrics
    assert weights(tmp_path / "a", more) == weights(tmp_path / "b", fresh)
    assert not list(train(tmp_path / "a", **changes, steps=12).notes())  # it is simply there


def test_a_run_is_extended_again_and_from_the_longest(tmp_path, monkeypatch):
    for steps in (7, 12):
        train(tmp_path / "a", steps=steps)
    taken = steps_taken(monkeypatch)
    more = train(tmp_path / "a", steps=15)
    assert taken == [12, 13, 14]
    assert more[0].metrics == train(tmp_path / "b", steps=15)[0].metrics


def test_a_schedule_that_has_ended_is_trained_anew_and_said(tmp_path, monkeypatch):
    run = train(tmp_path / "a", schedule="linear")[0].spec.id
    taken = steps_taken(monkeypatch)
    more = train(tmp_path / "a", schedule="linear", steps=12)
    (said,) = more.notes()
    assert f"run {run} is the same with 7 steps; its linear schedule has ended" in said
    assert f"`--from {run}`" in said
    assert taken == list(range(12))
    assert more[0].metrics == train(tmp_path / "b", schedule="linear", steps=12)[0].metrics


@pytest.mark.parametrize("how", ["missing", "cut", "fewer steps"])
def test_without_a_whole_state_it_is_trained_anew(how, tmp_path, monkeypatch):
    first = train(tmp_path / "a")
    state = Store(tmp_path / "a").folder(first[0].spec) / STATE
    if how == "missing":
        state.unlink()
    elif how == "cut":
        state.write_bytes(state.read_bytes()[:-9])
    steps = 5 if how == "fewer steps" else 12
    taken = steps_taken(monkeypatch)
    said = list(train(tmp_path / "a", steps=steps).notes())
    assert taken == list(range(steps))
    assert len(said) == (how != "fewer steps")
    assert all(STATE in line and "starts anew" in line for line in said)


@pytest.mark.parametrize("encoding", ["nope", "rope", "alibi"])
def test_other_tests_are_measured_and_nothing_is_trained(encoding, tmp_path, monkeypatch):
    changes = {"stop_when_perfect": True, "schedule": "linear"}
    first = train(tmp_path / "a", encoding, **changes)
    other = {"test_length": ["5:9", "10:16"], **changes}
    taken = steps_taken(monkeypatch)
    found = train(tmp_path / "a", encoding, **other)
    (said,) = found.notes()
    assert f"run {first[0].spec.id} was measured on the tests" in said
    assert not taken
    fresh = train(tmp_path / "b", encoding, **other)
    assert found[0].bins == fresh[0].bins
    assert found[0].history == fresh[0].history[-1:]
    assert weights(tmp_path / "a", found) == weights(tmp_path / "b", fresh)
    assert lw.evaluate(found[0], length="1:9", instances=4, store=tmp_path / "a").accuracy


@pytest.mark.parametrize(
    ("encoding", "changes", "said"),
    [
        ("ape", {"test_length": "5:12"}, "training with ape depends on the longest test"),
        ("nope", {"instances": 30}, "tests on the training lengths decide"),
    ],
)
def test_tests_that_training_depends_on_are_trained_anew(
    encoding, changes, said, tmp_path, monkeypatch
):
    steered = {"stop_when_perfect": True}
    train(tmp_path / "a", encoding, **steered)
    taken = steps_taken(monkeypatch)
    found = train(tmp_path / "a", encoding, **steered, **changes)
    (line,) = found.notes()
    assert said in line
    assert "lengthwise evaluate" in line
    assert taken
    assert found[0].metrics == train(tmp_path / "b", encoding, **steered, **changes)[0].metrics


def test_other_instances_of_a_run_that_nothing_steers(tmp_path, monkeypatch):
    train(tmp_path / "a")
    taken = steps_taken(monkeypatch)
    found = train(tmp_path / "a", instances=30)
    assert not taken
    assert found[0].bins == train(tmp_path / "b", instances=30)[0].bins


def test_again_trains_and_forgets_the_state(tmp_path, monkeypatch):
    train(tmp_path / "a")
    taken = steps_taken(monkeypatch)
    assert not list(train(tmp_path / "a", again=True, steps=12).notes())
    assert taken == list(range(12))


def trainer(encoding: str, longest: int, folder: Path) -> Trainer:
    training = {"length": (1, 4), "batch": 4}
    tests = {"lengths": ((5, longest),), "instances": 5}
    model = {"width": 16}
    return Trainer(
        RunSpec.create(
            task="parity", position=encoding, model=model, training=training, evaluation=tests
        ),
        folder,
    )


@pytest.mark.parametrize("encoding", CASES)
def test_encodings_that_ignore_the_context_train_alike_in_a_longer_one(encoding, tmp_path):
    try:
        short, long = (trainer(encoding, longest, tmp_path) for longest in (8, 30))
    except InputError:
        return  # not for this task
    same = not depends_on_context(long.spec, long.task, long.context)
    mine, other = (dict(each.model.state_dict()) for each in (short, long))
    if same:
        assert all(value.equal(other[name]) for name, value in mine.items())
        assert [short.train_step() for _ in range(3)] == [long.train_step() for _ in range(3)]
    assert same or encoding.partition(":")[0] not in ("nope", "rope", "alibi", "fire", "t5")
