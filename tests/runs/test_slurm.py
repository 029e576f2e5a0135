"""Job arrays through submitit, in its local mode: the same calls without SLURM."""

import sys

import pytest

from lengthwise.core.errors import InputError
from lengthwise.runs.driver import drive
from lengthwise.runs.here import Here
from lengthwise.runs.job import Job, note_failure
from lengthwise.runs.on_slurm import OnSlurm, work_share
from lengthwise.runs.store import Store
from tests.runs.helpers import table, tiny

pytest.importorskip("submitit")


def jobs(store, specs):
    return [Job(spec, store.root, device="cpu") for spec in specs]


@pytest.mark.slow
def test_an_array_finishes_a_sweep_and_names_failures(tmp_path):
    """Four runs in two array elements, one of which fails at first and is then retried."""
    store, specs = Store(tmp_path / "store"), [tiny(seed) for seed in range(4)]
    (store.open(specs[1]) / "checkpoint.safetensors").write_text("junk")
    with OnSlurm(store, workers=2, cluster="local") as executor:
        outcome = drive(jobs(store, specs), executor, keep_going=True)
    assert len(outcome.done) == 3
    assert "not a safetensors file" in outcome.failed[specs[1].id]
    (store.folder(specs[1]) / "checkpoint.safetensors").unlink()
    with OnSlurm(store, workers=2, cluster="local") as executor:
        assert drive(jobs(store, specs), executor, retry=True).done == [specs[1].id]
    whole = Store(tmp_path / "whole")
    drive(jobs(whole, specs), Here())
    assert table(store) == table(whole)


class FakeArray:
    """Stands for submitit: the array elements fail to start, or do their work at once."""

    def __init__(self, losses):
        self.losses, self.arrays = losses, []

    def map_array(self, function, *arguments):
        self.arrays.append(len(arguments[0]))
        if len(self.arrays) > self.losses:
            for values in zip(*arguments, strict=True):
                function(*values)
        return [self] * len(arguments[0])

    def done(self):
        return True


@pytest.fixture
def slurm(tmp_path):
    def build(losses):
        executor = OnSlurm(Store(tmp_path / "store"), workers=3, cluster="local")
        executor._executor = FakeArray(losses)
        return executor

    return build


def test_an_array_that_is_lost_is_sent_again(slurm, tmp_path):
    store, specs = Store(tmp_path / "store"), [tiny(seed) for seed in range(4)]
    note_failure(store.open(specs[0]), "an earlier failure that must not be seen as a new one")
    executor = slurm(losses=2)
    outcome = drive(jobs(store, specs), executor, retry=True)
    assert sorted(outcome.done) == sorted(spec.id for spec in specs)
    assert outcome.lost == 8
    assert executor._executor.arrays == [3, 3, 3]


def test_an_array_that_is_always_lost_ends_as_failure(slurm, tmp_path):
    store, specs = Store(tmp_path / "store"), [tiny(seed) for seed in range(2)]
    outcome = drive(jobs(store, specs), slurm(losses=99), keep_going=True)
    assert set(outcome.failed) == {spec.id for spec in specs}
    assert "SLURM job ended without a result" in outcome.failed[specs[0].id]


def test_one_share_leaves_its_failures_in_the_store(tmp_path):
    from lengthwise.core.files import write_json

    store, specs = Store(tmp_path / "store"), [tiny(0), tiny(1)]
    (store.open(specs[0]) / "checkpoint.safetensors").write_text("junk")
    write_json(tmp_path / "share.json", [job.dump().decode() for job in jobs(store, specs)])
    work_share(str(tmp_path / "share.json"), 1)
    assert [store.record(store.folder(spec)).state for spec in specs] == ["failed", "done"]


def test_mistakes_are_one_line(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="--executor slurm"):
        OnSlurm(Store(tmp_path), cluster="local", options={"slrm_partition": "x"})
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(InputError, match=r"lengthwise\[slurm\]"):
        OnSlurm(Store(tmp_path))
