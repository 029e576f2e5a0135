"""The pool of warm processes: failures stay with their run, dead workers are replaced."""

import os
import signal

import pytest

from lengthwise.runs.driver import RunFailedError, drive
from lengthwise.runs.job import Job
from lengthwise.runs.local import Here
from lengthwise.runs.pool import Pool
from lengthwise.runs.store import Store
from tests.runs.helpers import long, table, tiny

BREAKS = """
from dataclasses import dataclass
from lengthwise.tasks.algorithmic.parity import Parity


@dataclass(frozen=True)
class Breaks(Parity):
    def draw(self, *arguments):
        raise ArithmeticError("no more\\nluck")
"""


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def jobs(store, specs, **options):
    return [Job(spec, store.root, device="cpu", **options) for spec in specs]


def here(tmp_path, specs):
    """Return the table of an undisturbed sweep in one process."""
    store = Store(tmp_path / "undisturbed")
    drive(jobs(store, specs), Here(), keep_going=True)
    return table(store)


def test_a_warm_pool_survives_failures_kills_and_serves_again(store, tmp_path):
    """One pool, three sweeps: with failing runs, with killed workers, and with nothing to do."""
    source = tmp_path / "breaks.py"
    source.write_text(BREAKS)
    good = [tiny(seed) for seed in range(3)]
    bad = tiny(task=f"{source}:Breaks")
    with Pool(2) as pool:
        outcome = drive(jobs(store, [good[0], bad, *good[1:]]), pool, keep_going=True)
        assert outcome.failed == {bad.id: "ArithmeticError: no more luck"}
        assert "Traceback" in (store.folder(bad) / "failure.json").read_text()
        assert store.find(bad.id).problem == "ArithmeticError: no more luck"
        with pytest.raises(RunFailedError, match="no more luck"):
            drive(jobs(store, [bad]), pool)
        workers = set(pool.processes)

        killed = set()

        def kill(spec, progress):
            if progress.evaluated and spec.id not in killed:
                killed.add(spec.id)
                os.kill(next(w.process.pid for w in pool._workers if w.run == spec.id), 9)

        slow = [long(seed) for seed in range(2)]
        outcome = drive(jobs(store, slow), pool, on_progress=kill)
        assert outcome.lost == len(killed) == 2
        assert workers.isdisjoint(pool.processes)
        assert drive(jobs(store, [*good, *slow]), pool).done == []
    undisturbed = here(tmp_path, [*good, *slow])
    assert table(store) == undisturbed
    assert not list(store.root.glob("*/.*.tmp"))


@pytest.mark.slow
def test_a_run_that_always_kills_its_worker_is_a_failure(store, tmp_path):
    source = tmp_path / "deadly.py"
    source.write_text(
        "import os\n" + BREAKS.replace('raise ArithmeticError("no more\\nluck")', "os._exit(7)")
    )
    bad, good = tiny(task=f"{source}:Breaks"), tiny(1)
    with Pool(1) as pool:
        outcome = drive(jobs(store, [bad, good]), pool, keep_going=True)
    assert outcome.done == [good.id]
    assert "exit code 7, 3 times in a row" in outcome.failed[bad.id]
    assert store.find(bad.id).state == "failed"


@pytest.mark.slow
def test_idle_workers_may_die_too(store):
    with Pool(1) as pool:
        drive(jobs(store, [tiny(0)]), pool)
        (worker,) = pool._workers
        os.kill(worker.process.pid, signal.SIGKILL)
        worker.process.wait()
        assert drive(jobs(store, [tiny(1)]), pool).done == [tiny(1).id]


def test_a_damaged_checkpoint_is_refused_or_begun_anew(store, tmp_path):
    spec = tiny()
    (store.open(spec) / "checkpoint.safetensors").write_bytes(b"\x00" * 99)
    with pytest.raises(RunFailedError, match=r"not a safetensors file.*Remove it"):
        drive(jobs(store, [spec]), Here())
    drive(jobs(store, [spec], restart_damaged=True), Here(), retry=True)
    assert table(store) == here(tmp_path, [spec])
    assert sorted(p.name for p in store.folder(spec).iterdir()) == [
        ".lock",
        "events.jsonl",
        "manifest.json",
        "model.safetensors",
        "result.json",
        "spec.json",
    ]
