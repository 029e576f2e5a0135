"""Runs on Ray: the same table, also when its workers or the driver are killed."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress

import pytest

from lengthwise.core.errors import InputError
from lengthwise.runs import on_ray
from lengthwise.runs.driver import drive
from lengthwise.runs.here import Here
from lengthwise.runs.job import Job
from lengthwise.runs.store import Store
from tests.runs.helpers import long, table, tiny

ray = pytest.importorskip("ray")


def jobs(store, specs):
    return [Job(spec, store.root, device="cpu") for spec in specs]


def undisturbed(tmp_path, specs):
    store = Store(tmp_path / "undisturbed")
    drive(jobs(store, specs), Here())
    return table(store)


def descendants(word=""):
    """Return the processes below this one whose title holds a word."""
    text = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    titles = {int(pid): (int(above), title) for pid, above, title in map(_words, text.splitlines())}
    found, level = set(), {os.getpid()}
    while level:
        level = {pid for pid, (above, _) in titles.items() if above in level}
        found |= level
    return {pid for pid in found if word in titles[pid][1]}


def _words(line):
    return line.split(maxsplit=2)


def listening(pids):
    """Return the addresses on which processes listen."""
    inodes = set()
    for pid in pids:
        folder = f"/proc/{pid}/fd"
        with suppress(FileNotFoundError):  # a process or file that has ended meanwhile
            for name in os.listdir(folder):
                target = os.readlink(f"{folder}/{name}")
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
    found = set()
    for table_ in ("tcp", "tcp6"):
        with open(f"/proc/net/{table_}") as file:
            for line in list(file)[1:]:
                words = line.split()
                if words[3] == "0A" and words[9] in inodes:
                    found.add(words[1].partition(":")[0])
    return found


LOCAL = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


@pytest.mark.slow
@pytest.mark.parametrize("fetch", [False, True], ids=["shared", "fetched"])
@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_killed_ray_workers_change_nothing(tmp_path, fetch):
    """Each of two runs loses its worker process once; nothing listens beyond this machine."""
    store, specs = Store(tmp_path / "store"), [long(seed) for seed in range(3)] + [tiny(9)]
    killed = set()

    def kill(spec, progress):
        if len(killed) < 2 and progress.evaluated and spec.id not in killed:
            victims = descendants("ray::_work")
            if victims:
                killed.add(spec.id)
                os.kill(min(victims), signal.SIGKILL)

    with on_ray.OnRay(workers=2, fetch=fetch) as executor:
        assert executor.slots == 2
        outcome = drive(jobs(store, specs), executor, on_progress=kill)
        assert ray.get_runtime_context().gcs_address.startswith("127.0.0.1:")
        assert listening(descendants()) <= LOCAL
        again = drive(jobs(store, specs), executor)
    assert killed
    assert outcome.lost >= 1
    assert len(again.before) == len(specs)
    assert table(store) == undisturbed(tmp_path, specs)


DRIVER = """
import os, sys
from pathlib import Path
from lengthwise.runs.driver import drive
from lengthwise.runs.job import Job
from lengthwise.runs.on_ray import OnRay
from tests.runs.helpers import long

root, address, how = sys.argv[1:]


def end(spec, progress):
    if how == "kill" and progress.evaluated:
        os.kill(os.getpid(), 9)


with OnRay(address=address) as executor:
    drive([Job(long(s), Path(root), device="cpu") for s in range(3)], executor, on_progress=end)
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_a_killed_driver_on_a_cluster_is_continued_by_another(tmp_path):
    """SIGKILL of a driver that joined an existing cluster; the next one finishes."""
    store, specs = Store(tmp_path / "store"), [long(seed) for seed in range(3)]
    with on_ray.OnRay(workers=2):
        address = ray.get_runtime_context().gcs_address
        command = [sys.executable, "-c", DRIVER, str(store.root), address]
        first = subprocess.run([*command, "kill"], capture_output=True, check=False)
        assert first.returncode == -signal.SIGKILL, first.stderr
        second = subprocess.run([*command, "finish"], capture_output=True, check=False)
        assert second.returncode == 0, second.stderr
    assert table(store) == undisturbed(tmp_path, specs)


@pytest.mark.parametrize(
    ("cpus", "gpus", "slots"), [(1, 0, 4), (0.5, 0, 8), (2, 0, 2), (0.5, 0.5, 2), (1, 0.25, 4)]
)
def test_fractions_of_resources(cpus, gpus, slots):
    assert on_ray._slots({"CPU": 4.0, "GPU": 1.0}, cpus, gpus) == slots


@pytest.mark.parametrize(("cpus", "gpus"), [(8, 0), (1, 2), (0, 0), (1, -1)])
def test_impossible_resources_are_refused(cpus, gpus):
    with pytest.raises(InputError, match="--executor ray"):
        on_ray._slots({"CPU": 4.0, "GPU": 1.0}, cpus, gpus)


def test_a_cluster_that_is_not_there_is_one_line(monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(InputError, match="--address 'auto'"):
        on_ray.OnRay(address="auto")


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_where_nobody_listens_is_refused_at_once(monkeypatch, scheme):
    """Such as that of a cluster which has ended: Ray is not asked, it would wait for minutes."""
    monkeypatch.setattr(ray, "init", lambda **options: pytest.fail("asked"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # taken, but nobody listens
        address = f"{scheme}127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(InputError, match=f"--address '{address}': .*refused"):
            on_ray.OnRay(address=address)


def test_a_ray_that_does_not_start_is_one_line(monkeypatch):
    def init(**options):
        raise Exception("The current node timed out during startup.")

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(InputError, match="--executor ray: The current node timed out"):
        on_ray.OnRay(workers=1)


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"lengthwise\[ray\]"):
        on_ray.OnRay()
