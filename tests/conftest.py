"""One thread per test process, and property tests that repeat exactly."""

import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "agg")

import pytest
from hypothesis import HealthCheck, settings

from lengthwise.cli.main import main
from lengthwise.records.spec import RunSpec

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _one_thread():
    """Undo what an earlier test asked for: two threads on a busy machine wait for each other."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() != 1:
        torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    """Every test has a store of its own."""
    monkeypatch.setenv("LENGTHWISE_STORE", str(tmp_path / "store"))


@pytest.fixture
def tiny():
    """A run so small that tests can repeat it."""

    def build(position="ape", task="parity", **training):
        return RunSpec.create(
            task=task,
            position=position,
            model={"layers": 1, "heads": 1, "width": 8, "dropout": 0.1},
            training={"length": (1, 6), "steps": 24, "batch": 8, "evaluate_every": 7, **training},
            evaluation={"lengths": ((7, 10),), "instances": 40},
            seed=3,
        )

    return build


@pytest.fixture
def run(capsys):
    """Call the command line in this process; return exit code, output and errors."""

    def call(*words):
        code = 0
        try:
            main([str(word) for word in words])
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call
