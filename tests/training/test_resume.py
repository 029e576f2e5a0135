"""Interrupted anywhere, a run continues to the same numbers."""

import os
import signal
import subprocess
import sys
import time

import pytest
import torch

from lengthwise.records.progress import Interrupted
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store


def weights(store, spec):
    return (store.folder(spec) / "model.safetensors").read_bytes()


def execute_with_interruptions(spec, store, steps):
    """Stop after each of the given numbers of steps, then finish."""
    for count in steps:
        seen = iter(range(count))
        with pytest.raises(Interrupted):
            execute(spec, store, should_stop=lambda seen=seen: next(seen, None) is None)
    return execute(spec, store)


@pytest.mark.parametrize("position", ["ape", "rope", "t5"])
@pytest.mark.parametrize("steps", [[0], [3], [6, 1, 5], [7], [22]])
def test_resuming_gives_bit_identical_results(tiny, tmp_path, position, steps):
    spec = tiny(position)
    whole, parts = Store(tmp_path / "whole"), Store(tmp_path / "parts")
    one, two = execute(spec, whole), execute_with_interruptions(spec, parts, steps)
    assert one.metrics == two.metrics
    assert one.steps == 24
    assert weights(whole, spec) == weights(parts, spec)


def test_a_killed_process_continues_from_its_last_checkpoint(tiny, tmp_path):
    """SIGKILL: nothing can be saved at that moment, and nothing is lost but some steps."""
    spec = tiny("ape", steps=700, evaluate_every=50, stop_when_perfect=False)
    store = Store(tmp_path / "killed")
    code = (
        "import sys; from pathlib import Path\n"
        "from lengthwise.records.spec import RunSpec; from lengthwise.runs.store import Store\n"
        "from lengthwise.runs.execute import execute\n"
        "spec = RunSpec.model_validate_json(sys.argv[1])\n"
        "import torch; torch.set_num_threads(1)\n"
        "execute(spec, Store(sys.argv[2]))\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, spec.model_dump_json(), str(store.root)])
    checkpoint = store.folder(spec) / "checkpoint.safetensors"
    while not checkpoint.exists():
        assert child.poll() is None
        time.sleep(0.05)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert not (store.folder(spec) / "result.json").exists()
    short = Store(tmp_path / "whole")
    assert execute(spec, store).metrics == execute(spec, short).metrics
    assert weights(store, spec) == weights(short, spec)


def test_a_finished_run_is_not_repeated_unless_asked(tiny, tmp_path):
    spec, store = tiny(), Store(tmp_path)
    first = execute(spec, store)
    touched = (store.folder(spec) / "result.json").stat().st_mtime_ns
    assert execute(spec, store) == first
    assert (store.folder(spec) / "result.json").stat().st_mtime_ns == touched
    again = execute(spec, store, again=True)
    assert again.metrics == first.metrics
    assert (store.folder(spec) / "result.json").stat().st_mtime_ns > touched


def test_seeds_differ(tiny, tmp_path):
    spec = tiny()
    other = spec.model_copy(update={"seed": 4})
    store = Store(tmp_path)
    assert execute(spec, store).metrics != execute(other, store).metrics


def test_the_global_generator_is_left_alone(tiny, tmp_path):
    from lengthwise.training.loop import Trainer

    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    Trainer(tiny(), tmp_path)
    assert torch.equal(torch.rand(3), expected)
