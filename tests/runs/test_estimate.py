"""The plan before a sweep, and where it stands."""

from importlib import import_module

import pytest

from lengthwise.records.spec import RunSpec
from lengthwise.runs.estimate import SHAPES, cost, estimate, wall_seconds, weights
from lengthwise.runs.execute import execute
from lengthwise.runs.job import note_failure
from lengthwise.runs.processes import Plan
from lengthwise.runs.status import status, sweep_of
from lengthwise.runs.store import Store
from lengthwise.runs.sweep import note_sweep
from lengthwise.training.loop import Trainer
from tests.runs.helpers import tiny


def shaped(**model):
    spec = tiny(position=model.pop("position", "nope"))
    return spec.model_copy(update={"model": spec.model.model_copy(update=model)})


@pytest.mark.parametrize("position", ["nope", "ape", "t5"])
@pytest.mark.parametrize("model", [{"width": 32, "layers": 2}, {"width": 64, "tied": False}])
def test_weights_are_counted_up_to_biases_and_norms(tmp_path, position, model):
    spec = shaped(position=position, **model)
    trainer = Trainer(spec, tmp_path)
    real = sum(p.numel() for p in trainer.model.parameters())
    small = sum(p.numel() for p in trainer.model.parameters() if p.dim() < 2)
    assert real - small <= weights(spec) <= real


def test_an_encoding_that_takes_its_relation_from_the_task_is_counted():
    spec = RunSpec.create(task="parity-steps", position="ipe")
    assert weights(spec) > weights(RunSpec.create(task="parity-steps", position="nope"))


def test_the_disk_is_what_the_runs_then_take(tmp_path):
    spec, store = shaped(width=64), Store(tmp_path)
    plan = estimate([spec], store, Plan(1, 1), calibrate=False)
    execute(spec, store)
    taken = sum(path.stat().st_size for path in store.folder(spec).iterdir())
    assert 0.8 * plan.disk < taken < 1.2 * plan.disk


def test_the_plan_knows_what_is_done_begun_and_failed(tmp_path):
    store, specs = Store(tmp_path), [tiny(seed) for seed in range(4)]
    execute(specs[0], store)
    store.open(specs[1])
    note_failure(store.open(specs[2]), "why")
    plan = estimate(specs, store, Plan(2, 1), calibrate=False)
    assert (plan.runs, plan.done, plan.begun, plan.failed, plan.left) == (4, 1, 1, 1, 3)
    assert plan.seconds is None


def test_time_adds_up_over_workers_and_shapes(monkeypatch):
    """With a stopwatch that shows the cost itself, the sum is exact also for shapes not tried."""
    tried = []

    def stopwatch(spec, threads):
        tried.append(spec)
        return cost(spec)

    monkeypatch.setattr(import_module("lengthwise.runs.estimate"), "measure", stopwatch)
    specs = [shaped(width=8 * number, layers=layers) for number in range(1, 9) for layers in (1, 2)]
    total = sum(map(cost, specs))
    assert wall_seconds(specs, Plan(1, 1)) == pytest.approx(total)
    assert len(tried) == SHAPES
    assert wall_seconds(specs, Plan(2, 1)) == pytest.approx(total / 2)
    assert wall_seconds(specs, Plan(1000, 1)) == pytest.approx(max(map(cost, specs)))
    assert wall_seconds([], Plan(1, 1)) == 0.0


def test_calibration_leaves_no_trace_and_measures_something(tmp_path):
    store = Store(tmp_path / "store")
    plan = estimate([tiny()], store, Plan(1, 1))
    assert plan.seconds is not None
    assert plan.seconds > 0
    assert not store.root.exists()


def test_status_counts_every_run_once(tmp_path):
    store, specs = Store(tmp_path), [tiny(seed) for seed in range(5)]
    note_sweep(store, "mine", specs)
    assert sweep_of(store, "mi") == (sweep_of(store)[0], specs)
    assert status(store, specs).seconds_left is None
    result = execute(specs[0], store)
    note_failure(store.open(specs[1]), "bad luck")
    with store.lock(store.open(specs[2])):
        now = status(store, specs)
    assert (now.total, now.done, now.waiting, now.over) == (5, 1, 2, False)
    assert now.failed == ((specs[1], "bad luck"),)
    assert now.running == ((specs[2], 0),)
    assert now.seconds_left == pytest.approx(3 * result.seconds)
    for spec in specs[2:]:
        execute(spec, store)
    assert status(store, specs).over
