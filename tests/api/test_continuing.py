"""``train --from``: weights, data and provenance of runs that go on from others."""

import pytest
import torch

import lengthwise as lw
from lengthwise.core.errors import InputError
from lengthwise.records.spec import RunSpec
from lengthwise.report.run_command import command
from lengthwise.runs.store import Store
from lengthwise.training.loop import Trainer

SETTINGS = {
    "train_length": "1:4",
    "test_length": "5:8",
    "steps": 6,
    "batch": 8,
    "evaluate_every": 3,
    "instances": 20,
    "width": 16,
    "stop_when_perfect": False,
    "schedule": "constant",
    "jobs": 1,
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def first(store):
    return lw.train("parity", encoding="ape", store=store, **SETTINGS)


def go_on(first, store, *task, **changes):
    return lw.train(*task, from_=first[0].spec.id, store=store, jobs=1, **changes)


def test_a_run_begins_with_the_weights_and_behind_the_data_of_the_other(first, store):
    spec = go_on(first, store, steps=3)[0].spec
    assert spec.start.run == first[0].spec.id
    assert spec.start.steps == 6
    assert spec.training.steps == 3
    assert spec.training.length == (1, 4)
    trainer = Trainer(spec, Store(store).folder(spec))
    before = first.model().decoder.state_dict()
    for name, value in trainer.model.state_dict().items():
        assert torch.equal(value, before[name])
    long = first[0].spec.model_copy(
        update={"training": first[0].spec.training.model_copy(update={"steps": 9})}
    )
    whole = Trainer(long, store / "elsewhere")
    whole.step = 6
    assert (trainer.draw()[0].tokens == whole.draw()[0].tokens).all()


def test_a_chain_counts_all_steps_and_its_commands_make_it_again(first, store):
    second = go_on(first, store, steps=3)
    third = go_on(second, store, steps=2, learning_rate=1e-4)
    assert third[0].spec.start.steps == 9
    words = command(third[0].spec).split()
    assert words[:5] == ["lengthwise", "train", "parity", "--from", second[0].spec.id]
    assert go_on(second, store, steps=2, learning_rate=1e-4)[0] == third[0]


def test_another_task_with_the_same_symbols(first, store):
    found = go_on(first, store, "parity", train_length="2:5", test_length="6:8")
    assert found[0].spec.training.length == (2, 5)
    assert found[0].spec.id != first[0].spec.id


def test_ids_of_runs_that_start_anew_are_what_they_were():
    spec = RunSpec.create(task="parity", position="nope")
    assert "start" not in spec.model_dump(mode="json")


@pytest.mark.parametrize(
    ("task", "changes", "said"),
    [
        ((), {"encoding": "rope"}, "encoding rope: the run to start from has ape"),
        ((), {"width": 32}, "width=32: the run to start from has 16"),
        (("binary-majority",), {}, "other symbols"),
        ((), {"test_length": "5:80"}, "keep the longest test length of the run"),
        ((), {"recipe": True}, "leave recipe and preset out"),
        ((), {"steps": 0}, "steps"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(first, store, task, changes, said):
    before = sorted(path.name for path in store.iterdir())
    with pytest.raises(InputError, match=said):
        go_on(first, store, *task, **changes)
    assert sorted(path.name for path in store.iterdir()) == before


def test_a_run_that_is_gone_or_was_trained_again_is_named(first, store, tmp_path):
    spec = go_on(first, store, steps=3)[0].spec
    with pytest.raises(InputError, match="the run to start from is not whole"):
        Trainer(spec, tmp_path / spec.id)
    other = spec.model_copy(update={"start": spec.start.model_copy(update={"weights": "0" * 16})})
    with pytest.raises(InputError, match="other weights"):
        Trainer(other, store / other.id)
    with pytest.raises(InputError, match="name at least one task"):
        lw.train(store=store)
