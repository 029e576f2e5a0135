"""Runs so small that tests can repeat them, and the table that must not depend on accidents."""

import hashlib
import time

from lengthwise.core.files import write_json
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.record import load_result
from lengthwise.records.result import Evaluation, RunResult
from lengthwise.records.spec import RunSpec
from lengthwise.runs.store import Store


def tiny(seed=0, position="nope", task="binary-majority", **training):
    return RunSpec.create(
        task=task,
        position=position,
        model={"layers": 1, "heads": 1, "width": 8},
        training={"length": (1, 5), "steps": 6, "batch": 4, "evaluate_every": 3, **training},
        evaluation={"lengths": ((6, 8),), "instances": 20},
        seed=seed,
    )


def long(seed=0, steps=600, **fields):
    """A run that takes a few seconds and saves often: something to kill."""
    return tiny(seed, steps=steps, evaluate_every=20, stop_when_perfect=False, **fields)


def finish_untrained(spec, store):
    """Write a result as a finished run leaves it, without training."""
    folder = store.open(spec)
    counts = [dict.fromkeys(range(low, high + 1), 2) for low, high in spec.bins]
    bins = tuple(
        AccuracyByLength(low=low, high=high, correct=total, total=total)
        for (low, high), total in zip(spec.bins, counts, strict=True)
    )
    step = spec.training.steps
    history = (Evaluation(step=step, loss=0.5, bins=bins),)
    known = {"stopped": "all steps done", "seconds": 1.0, "environment": {}}
    result = RunResult(spec=spec, steps=step, bins=bins, history=history, **known)
    write_json(folder / "result.json", result.model_dump(mode="json", exclude={"spec"}))
    return folder


def table(store):
    """Return what must repeat exactly: every run's metrics and the digest of its weights."""
    return {
        record.id: (
            load_result(record).metrics,
            hashlib.sha256((record.folder / "model.safetensors").read_bytes()).hexdigest(),
        )
        for record in Store(store.root).records()
        if record.state == "done"
    }


def wait_until(condition, child=None):
    """Wait for something another process does; a dead one fails the test at once."""
    while not condition():
        assert child is None or child.poll() is None, "the process has ended"
        time.sleep(0.02)
