"""Two gloo processes give the losses of one."""

import os
import subprocess
import sys

import pytest

from lengthwise.records.record import load_result
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store
from tests.runs.helpers import tiny

CODE = """
import os
import sys
from pathlib import Path
from lengthwise.runs.distributed import active, leader
from lengthwise.runs.local import execute_all
from lengthwise.runs.processes import Plan
from lengthwise.records.spec import RunSpec
from lengthwise.runs.store import Store
import torch
torch.set_num_threads(1)
spec = RunSpec.model_validate_json(sys.argv[1])
assert active()
(result,) = execute_all([spec], Store(sys.argv[2]), Plan(1, 1), device="cpu")
assert result.spec == spec
said = f"{'leader' if leader() else 'follower'} {result.steps}"
Path(f"rank-{os.environ['RANK']}").write_text(said)
"""


def together(tmp_path, *arguments):
    """Start two processes under torchrun."""
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "USE_LIBUV": "0"}
    return subprocess.run(
        [*torchrun, "--standalone", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )


@pytest.mark.parametrize("position", ["ape", pytest.param("rope", marks=pytest.mark.slow)])
def test_two_processes_give_the_losses_of_one(tmp_path, position):
    """An odd batch of unequal rows: the shares differ in size and in supervised cells."""
    spec = tiny(position=position, steps=30, batch=7, evaluate_every=5, stop_when_perfect=False)
    script = tmp_path / "script.py"
    script.write_text(CODE)
    store = Store(tmp_path / "two")
    done = together(tmp_path, script, spec.model_dump_json(), store.root)
    assert done.returncode == 0, done.stderr
    said = [(tmp_path / f"rank-{rank}").read_text() for rank in range(2)]
    assert said == ["leader 30", "follower 30"]
    two, one = load_result(store.find(spec.id)), execute(spec, Store(tmp_path / "one"))
    assert [e.step for e in two.history] == [e.step for e in one.history]
    losses = [e.loss for e in two.history], [e.loss for e in one.history]
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


@pytest.mark.slow
def test_torchrun_on_the_command_line_prints_once_and_resumes(tmp_path):
    """``torchrun -m lengthwise train``: one table, one store; the second call finds it done."""
    options = """--layers 1 --heads 1 --width 8 --steps 6 --evaluate-every 3
        --instances 20 --train-length 1:5 --test-length 6:8 --device cpu --json"""
    words = ["-m", "lengthwise", "train", "parity", *options.split()]
    first = together(tmp_path, *words, "--batch", 4, "--store", tmp_path / "store")
    assert first.returncode == 0, first.stderr
    assert first.stdout.count('"steps": 6') == 1
    second = together(tmp_path, *words, "--batch", 4, "--store", tmp_path / "store")
    assert second.stdout == first.stdout
    refused = together(tmp_path, *words, "--batch", 1, "--store", tmp_path / "new")
    assert refused.returncode != 0
    assert not (tmp_path / "new").exists()
    assert "cannot be shared by 2 processes" in refused.stderr
