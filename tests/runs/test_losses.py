"""Workers and executors that are lost: what counts against a run, and what does not."""

import os
import signal
import subprocess
import sys

import pytest

from lengthwise.records.progress import Progress
from lengthwise.runs.driver import LIVES, STRAYS, ExecutorLostError, RunFailedError, drive
from lengthwise.runs.job import Job, Message
from lengthwise.runs.pool import Pool
from lengthwise.runs.store import Store
from tests.runs.helpers import long, table, tiny, wait_until


def progress(run, evaluated):
    return Message.of(run, Progress(evaluated, 30, 0.5, evaluated, (1.0,), 1.0))


class Scripted:
    """An executor that says for each submission what a list says."""

    slots = 1

    def __init__(self, *lives):
        self.lives, self.said = list(lives), []

    def submit(self, job):
        life = self.lives.pop(0) if self.lives else [("done", {})]
        for what, data in life:
            run = job.spec.id
            self.said.append(
                progress(run, data) if what == "progress" else Message(run, what, data)
            )

    def messages(self, seconds):
        while self.said:
            yield self.said.pop(0)

    def stop(self):
        pass


LOST, STRAY = ("lost", {"reason": "gone"}), ("lost", {"reason": "gone", "own": False})


def do(tmp_path, *lives):
    return drive([Job(tiny(), tmp_path, "cpu")], Scripted(*lives))


def test_deaths_in_a_row_are_a_failure(tmp_path):
    with pytest.raises(RunFailedError, match=f"{LIVES} times in a row"):
        do(tmp_path, *[[LOST]] * LIVES)
    assert (Store(tmp_path).folder(tiny()) / "failure.json").exists()


def test_deaths_with_progress_between_are_none(tmp_path):
    lives = [[("progress", 3 * n), LOST] for n in range(1, 3 * LIVES)]
    outcome = do(tmp_path, *lives)
    assert (len(outcome.done), outcome.lost) == (1, 3 * LIVES - 1)


def test_the_same_evaluation_again_is_no_progress(tmp_path):
    with pytest.raises(RunFailedError):
        do(tmp_path, *[[("progress", 3), LOST]] * (LIVES + 1))


def test_what_the_executor_loses_is_not_the_runs_failure(tmp_path):
    outcome = do(tmp_path, *[[STRAY]] * (STRAYS - 1))
    assert len(outcome.done) == 1
    with pytest.raises(Exception, match="give the same command again") as stopped:
        do(tmp_path / "other", *[[STRAY]] * STRAYS)
    assert not isinstance(stopped.value, RunFailedError)
    assert not list(tmp_path.glob("*/failure.json"))


def test_a_lost_executor_is_the_drivers_error(tmp_path):
    class Gone(Scripted):
        def messages(self, seconds):
            raise ExecutorLostError("it is gone")

    with pytest.raises(ExecutorLostError, match="it is gone; give the same command again"):
        drive([Job(tiny(), tmp_path, "cpu")], Gone())
    assert not list(tmp_path.glob("*/failure.json"))


@pytest.mark.slow
def test_a_stopped_worker_goes_on_where_it_was(tmp_path):
    """SIGSTOP while others work; SIGCONT later: the same table."""
    store, specs = Store(tmp_path / "store"), [long(seed, steps=300) for seed in range(3)]
    stopped = []

    def stop(spec, report):
        if not stopped and report.evaluated:
            stopped.append(pool.processes[0])
            os.kill(stopped[0], signal.SIGSTOP)

    def go_on(spec, message):
        if stopped:
            os.kill(stopped[0], signal.SIGCONT)

    with Pool(2) as pool:
        jobs = [Job(spec, store.root, "cpu") for spec in specs]
        outcome = drive(jobs, pool, on_progress=stop, on_end=go_on)
    assert (len(outcome.done), outcome.lost, len(stopped)) == (3, 0, 1)
    whole = Store(tmp_path / "whole")
    with Pool(1) as pool:
        drive([Job(spec, whole.root, "cpu") for spec in specs], pool)
    assert table(store) == table(whole)


RAY = """
import os, sys
from pathlib import Path
from lengthwise.runs.driver import ExecutorLostError, drive
from lengthwise.runs.job import Job
from lengthwise.runs.on_ray import OnRay
from tests.runs.helpers import long
from tests.runs.test_ray import descendants

root, victim = sys.argv[1:]
killed = []


def kill(spec, progress):
    if progress.evaluated and not killed:
        killed.extend(descendants(victim))
        for pid in killed:
            os.kill(pid, 9)


try:
    with OnRay(workers=2) as executor:
        jobs = [Job(long(seed, steps=2000), Path(root), device="cpu") for seed in range(2)]
        drive(jobs, executor, on_progress=kill)
except ExecutorLostError:
    print("lost", bool(killed), flush=True)  # Ray may choose the exit code by itself
"""


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["raylet/raylet", "gcs_server"])
def test_a_dead_ray_is_the_drivers_error(tmp_path, victim):
    """SIGKILL of the node's daemon, or of the control service: no run has failed, all go on."""
    pytest.importorskip("ray")
    store = Store(tmp_path / "store")
    command = [sys.executable, "-c", RAY, str(store.root), victim]
    done = subprocess.run(command, capture_output=True, check=False)
    assert b"lost True" in done.stdout, done.stderr[-2000:]
    assert not list(store.root.glob("*/failure.json"))
    wait_until(lambda: not any(store.running(folder) for folder in store.folders()))
    specs = [long(seed, steps=2000) for seed in range(2)]
    with Pool(2) as pool:
        outcome = drive([Job(spec, store.root, "cpu") for spec in specs], pool)
    assert len(outcome.done) + len(outcome.before) == 2
    whole = Store(tmp_path / "whole")
    with Pool(2) as pool:
        drive([Job(spec, whole.root, "cpu") for spec in specs], pool)
    assert table(store) == table(whole)
