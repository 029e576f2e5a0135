"""One thread per test process, and property tests that repeat exactly."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "agg")

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    """Every test has a store of its own."""
    monkeypatch.setenv("LENGTHWISE_STORE", str(tmp_path / "store"))
