"""Runs so small that tests can repeat them, and the table that must not depend on accidents."""

import hashlib
import time

from lengthwise.records.spec import RunSpec
from lengthwise.runs.store import Store, load_result


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
