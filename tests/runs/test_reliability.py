"""Sweeps that are really disturbed: whatever is killed or breaks, the final table is the same."""

import os
import signal
import subprocess
import sys

import pytest

from lengthwise.core.files import read_json
from lengthwise.runs.driver import drive
from lengthwise.runs.here import Here
from lengthwise.runs.job import Job
from lengthwise.runs.store import BusyError, Store
from tests.runs.helpers import long, table, tiny, wait_until

SWEEP = """
name = "disturbed"
[axes]
task = ["{task}"]
position = ["nope"]
seed = "0:{last}"
[fixed]
model = {{ layers = 1, heads = 1, width = 8 }}
training = {{ length = [1, 5], steps = {steps}, batch = 4, evaluate_every = 20, \
stop_when_perfect = false }}
evaluation = {{ lengths = [[6, 8]], instances = 20 }}
"""


@pytest.fixture
def sweep(tmp_path):
    """Write a sweep file whose runs are those of ``long``."""

    def write(count=3, steps=200, task="binary-majority"):
        path = tmp_path / "sweep.toml"
        path.write_text(SWEEP.format(last=count - 1, steps=steps, task=task))
        return path

    return write


def start(file, root, *options, **environment):
    """Start the command line on a sweep as a user would."""
    command = [sys.executable, "-m", "lengthwise", "sweep", str(file), "--store", str(root)]
    return subprocess.Popen(
        [*command, "--no-calibrate", "--device", "cpu", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
    )


def finish(child, code=0):
    output, _ = child.communicate()
    assert child.returncode == code, output
    return output


def undisturbed(tmp_path, specs):
    store = Store(tmp_path / "undisturbed")
    drive([Job(spec, store.root, device="cpu") for spec in specs], Here())
    return table(store)


def results(store):
    """Return the identity of every result file: a run done twice would have another."""
    return {
        path.parent.name: (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in store.root.glob("*/result.json")
    }


def kill(child):
    child.kill()
    child.stdout.close()
    child.wait()


def checkpoints(store):
    return list(store.root.glob("*/checkpoint.safetensors"))


def children(pid):
    """Return the worker processes of a driver."""
    text = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return [int(word) for word in text.split()]


def test_a_killed_driver_leaves_nothing_behind_that_stops_the_next(sweep, tmp_path):
    """SIGKILL of the driver: its workers save and end; the same command finishes the sweep."""
    store, file = Store(tmp_path / "store"), sweep()
    driver = start(file, store.root, "--jobs", "2")
    wait_until(lambda: len(checkpoints(store)) > 1 or results(store), driver)
    workers = children(driver.pid)
    kill(driver)
    finished = results(store)
    output = finish(start(file, store.root, "--jobs", "2"))
    assert len(workers) == 2
    assert "0 failed" in output
    assert {run: results(store)[run] for run in finished} == finished
    assert table(store) == undisturbed(tmp_path, [long(seed, steps=200) for seed in range(3)])


@pytest.mark.slow
def test_killed_workers_are_replaced(sweep, tmp_path):
    """SIGKILL of workers, from outside, while the driver goes on."""
    store, file = Store(tmp_path / "store"), sweep(count=4, steps=600)
    driver = start(file, store.root, "--jobs", "2")
    for _ in range(2):
        wait_until(lambda: len(checkpoints(store)) == 2, driver)
        before = children(driver.pid)
        os.kill(before[0], signal.SIGKILL)
        wait_until(lambda before=before: set(children(driver.pid)) - set(before), driver)
    output = finish(driver)
    assert "ended by SIGKILL" in output
    assert "0 failed, 2 lost workers replaced" in output
    assert table(store) == undisturbed(tmp_path, [long(seed) for seed in range(4)])


COUNTED = """
import os
from dataclasses import dataclass
from lengthwise.tasks.algorithmic.majority import BinaryMajority


@dataclass(frozen=True)
class Counted(BinaryMajority):
    def draw(self, rng, low, high, count):
        with open(os.environ["DRAWS"], "a") as log:
            log.write("one batch\\n")
        return super().draw(rng, low, high, count)
"""


@pytest.mark.slow
def test_two_sweeps_on_one_store_share_the_work(sweep, tmp_path, monkeypatch):
    """Started twice at once: both end with the whole table, and no batch was drawn twice."""
    (tmp_path / "counted.py").write_text(COUNTED)
    task = f"{tmp_path}/counted.py:Counted"
    store, file = Store(tmp_path / "store"), sweep(count=6, task=task)
    both = [start(file, store.root, "--jobs", "1", DRAWS=str(tmp_path / "draws")) for _ in range(2)]
    assert all("0 failed" in finish(child) for child in both)
    monkeypatch.setenv("DRAWS", str(tmp_path / "expected"))
    expected = undisturbed(tmp_path, [long(seed, steps=200, task=task) for seed in range(6)])
    assert table(store) == expected
    assert (tmp_path / "draws").read_text() == (tmp_path / "expected").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("hour", [-3600, 3600], ids=["backwards", "ahead"])
def test_a_clock_that_jumps(sweep, tmp_path, hour):
    """Every look at the wall clock is an hour from the last one, and files are of the future."""
    (tmp_path / "sitecustomize.py").write_text(
        "import itertools, time\n"
        "hours = itertools.count()\n"
        "now, now_ns = time.time, time.time_ns\n"
        f"time.time = lambda: now() + {hour} * next(hours)\n"
        f"time.time_ns = lambda: now_ns() + {hour} * 10**9 * next(hours)\n"
    )
    store, file = Store(tmp_path / "store"), sweep()
    driver = start(file, store.root, "--jobs", "2", PYTHONPATH=str(tmp_path))
    wait_until(lambda: checkpoints(store) or results(store), driver)
    kill(driver)
    for number, path in enumerate(sorted(store.root.glob("*/*"))):
        os.utime(path, (4e9 - 1e6 * number, 4e9 - 1e6 * number))
    assert "0 failed" in finish(start(file, store.root, "--jobs", "2", PYTHONPATH=str(tmp_path)))
    assert table(store) == undisturbed(tmp_path, [long(seed, steps=200) for seed in range(3)])


@pytest.mark.slow
def test_damaged_checkpoints_are_begun_anew(sweep, tmp_path):
    store, file = Store(tmp_path / "store"), sweep()
    driver = start(file, store.root, "--jobs", "2")
    wait_until(lambda: len(checkpoints(store)) > 1, driver)
    kill(driver)
    for number, path in enumerate(checkpoints(store)):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2] if number else data[:-9] + b"\x01" * 9)
    assert "0 failed" in finish(start(file, store.root, "--jobs", "2"))
    assert table(store) == undisturbed(tmp_path, [long(seed, steps=200) for seed in range(3)])


@pytest.mark.slow
def test_a_disk_that_is_really_full(sweep, tmp_path):
    """A file system of 128 kB: the sweep stops with one line, and goes on when there is room."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small file system")
    try:
        store, file = Store(disk / "store"), sweep(count=12, steps=40)
        output = finish(start(file, store.root, "--jobs", "2", "--keep-going"), code=2)
        assert "error: " in output
        assert "the disk is full" in output
        assert "Traceback" not in output
        assert not list(store.root.glob("*/failure.json"))
        finished = results(store)
        assert len(finished) < 12
        subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
        assert "0 failed" in finish(start(file, store.root, "--jobs", "2"))
        assert {run: results(store)[run] for run in finished} == finished
        specs = [long(seed, steps=40) for seed in range(12)]
        assert table(store) == undisturbed(tmp_path, specs)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_run_finished_by_another_process_meanwhile_is_taken_over(tmp_path, monkeypatch):
    """Between looking and locking another process may finish: its result is returned."""
    from lengthwise.runs.execute import execute

    store, spec = Store(tmp_path / "store"), tiny()
    real = Store.lock
    others = []

    def slow_lock(self, folder):
        if not others:
            others.append(True)
            execute(spec, Store(tmp_path / "store"))
            others.append(read_json(folder / "result.json"))
        return real(self, folder)

    monkeypatch.setattr(Store, "lock", slow_lock)
    result = execute(spec, store)
    assert {"run": spec.id} | result.model_dump(mode="json", exclude={"spec"}) == others[1]


def test_a_specification_being_written_is_not_cleared_away_by_another(tmp_path, monkeypatch):
    """Two processes open one run: the one that comes first with the lock clears leftovers."""
    from lengthwise.core import files

    store, spec, tried = Store(tmp_path), tiny(), []
    real = os.fsync

    def meanwhile(descriptor):
        if not tried:
            tried.append(True)
            with pytest.raises(BusyError), store.lock(store.folder(spec)):
                files.remove_leftovers(store.folder(spec))
        return real(descriptor)

    monkeypatch.setattr(files.os, "fsync", meanwhile)
    store.open(spec)
    assert tried
    assert store.find(spec.id).spec == spec


def test_watching_does_not_disturb(tmp_path):
    store, spec = Store(tmp_path), tiny()
    folder = store.open(spec)
    assert not store.running(folder)
    with store.lock(folder):
        assert store.running(folder)
    assert not store.running(folder)
