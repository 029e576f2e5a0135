"""Trackers hear every evaluation once, and cannot harm a run."""

import sys
import types

import pytest

from lengthwise.core.errors import InputError
from lengthwise.records.progress import Interrupted
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store
from lengthwise.runs.trackers import load_tracker
from tests.runs.helpers import tiny


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


class Recording:
    def __init__(self, broken=""):
        self.heard, self.broken = [], broken

    def __getattr__(self, name):
        def method(*arguments):
            if name == self.broken:
                raise OSError("no network")
            self.heard.append((name, *arguments))

        return method


def evaluations(result):
    return [
        (
            "log",
            event.step,
            {f"exact match/{b.low}-{b.high}": b.accuracy for b in event.bins}
            | {"loss": event.loss},
        )
        for event in result.history
    ]


def test_a_tracker_hears_beginning_evaluations_and_end(store):
    tracker, spec = Recording(), tiny()
    result = execute(spec, store, trackers=[tracker])
    assert tracker.heard == [("begin", spec), *evaluations(result), ("end",)]
    execute(spec, store, trackers=[tracker])
    assert tracker.heard[-1] == ("end",)
    assert len(tracker.heard) == 4


def test_a_continued_run_tells_all_again(store):
    spec, first, second = tiny(), Recording(), Recording()
    steps = iter(range(4))
    with pytest.raises(Interrupted):
        execute(spec, store, trackers=[first], should_stop=lambda: next(steps, None) is None)
    result = execute(spec, store, trackers=[second])
    assert first.heard == [("begin", spec), evaluations(result)[0], ("end",)]
    assert second.heard == [("begin", spec), *evaluations(result), ("end",)]


@pytest.mark.parametrize("broken", ["begin", "log", "end"])
def test_a_broken_tracker_is_left_out(store, broken, capsys):
    good = Recording()
    result = execute(tiny(), store, trackers=[Recording(broken), good])
    assert evaluations(result) == good.heard[1:-1]
    assert "tracker Recording left out: OSError: no network" in capsys.readouterr().err


def test_tensorboard_files_hold_the_history(store, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    spec = tiny()
    result = execute(spec, store, trackers=[load_tracker(f"tensorboard:{tmp_path}/tb")])
    events = EventAccumulator(str(tmp_path / "tb" / spec.id))
    events.Reload()
    found = [(event.step, event.value) for event in events.Scalars("exact match/6-8")]
    assert found == [(e.step, pytest.approx(e.bins[1].accuracy)) for e in result.history]
    assert [event.step for event in events.Scalars("loss")] == [3, 6]


def test_weights_and_biases_is_called_as_it_wants(store, monkeypatch):
    calls = []
    run = types.SimpleNamespace(
        log=lambda values, step: calls.append(("log", step, values)),
        finish=lambda: calls.append(("finish",)),
    )
    fake = types.ModuleType("wandb")
    fake.init = lambda **options: calls.append(("init", options)) or run
    monkeypatch.setitem(sys.modules, "wandb", fake)
    spec = tiny()
    result = execute(spec, store, trackers=[load_tracker("wandb:mine")])
    options = calls[0][1]
    assert (options["project"], options["id"], options["resume"]) == ("mine", spec.id, "allow")
    assert options["config"] == spec.model_dump(mode="json")
    assert calls[1:-1] == evaluations(result)
    assert calls[-1] == ("finish",)


def test_mlflow_is_called_as_it_wants(store, monkeypatch):
    calls = []
    fake = types.ModuleType("mlflow")
    for name in ("set_experiment", "start_run", "log_params", "log_metrics", "end_run"):
        setattr(fake, name, lambda *a, name=name, **k: calls.append((name, a, k)))
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    spec = tiny()
    result = execute(spec, store, trackers=[load_tracker("mlflow:mine")])
    names = [name for name, _, _ in calls]
    assert names == ["set_experiment", "start_run", "log_params", *["log_metrics"] * 2, "end_run"]
    assert calls[0][1] == ("mine",)
    assert calls[2][1][0]["training.steps"] == 6
    logged = [("log", keywords["step"], values[0]) for _, values, keywords in calls[3:5]]
    assert logged == evaluations(result)


def test_unknown_and_missing_trackers_are_named(monkeypatch):
    with pytest.raises(InputError, match="Did you mean 'tensorboard'"):
        load_tracker("tensorbord:x")
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(InputError, match=r"lengthwise\[wandb\]"):
        load_tracker("wandb")


def test_a_tracker_may_come_from_a_file(tmp_path):
    (tmp_path / "own.py").write_text(
        "class Own:\n    def __init__(self, where): self.where = where\n"
    )
    assert load_tracker(f"{tmp_path}/own.py:Own:there").where == "there"
