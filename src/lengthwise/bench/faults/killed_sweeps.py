"""Sweeps whose workers are killed again and again: every run must end as in an undisturbed one."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lengthwise.bench.faults.broken_writes import outcome, small_run
from lengthwise.bench.faults.ledger import Fault
from lengthwise.core.child import environment
from lengthwise.runs.driver import RunFailedError, drive
from lengthwise.runs.executors import Name, open_executor
from lengthwise.runs.here import Here
from lengthwise.runs.job import Job
from lengthwise.runs.pool import Pool
from lengthwise.runs.processes import Plan
from lengthwise.runs.store import Store

STEPS = 60
"""Of every run, evaluated and saved twenty times."""
WORKERS = 2
EVERY = 25
"""A worker is killed at about one evaluation in so many."""
SECONDS = 3_600.0


def try_sweeps(count: int, seed: int, folder: Path, *, long: bool = False) -> Iterator[Fault]:
    """Disturb a sweep of so many runs on this machine, and on Ray where it is a long campaign."""
    names: tuple[Name, ...] = ("local", "ray") if long and find_spec("ray") else ("local",)
    folder.mkdir()
    for name in names:
        command = [sys.executable, "-m", __name__, name, str(count), str(seed), str(folder / name)]
        try:
            ended = subprocess.run(
                command, env=environment(), capture_output=True, check=True, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            yield Fault(f"sweep on {name}", False, "hang")
            continue
        except subprocess.CalledProcessError as error:
            told = error.stderr.decode(errors="replace")[-400:]
            yield Fault(f"sweep on {name}", False, "traceback", told)
            continue
        found = json.loads(ended.stdout.splitlines()[-1])
        for run, wrong in found["runs"].items():
            what = f"{run} in a sweep on {name} with {found['killed']} kills"
            yield Fault(what, False, "silent" if wrong else None, wrong)


def disturbed(name: Name, count: int, seed: int, folder: Path) -> dict[str, Any]:
    """Run a sweep and kill its workers; return the number of kills and what differs, by run.

    A second drive without kills finishes what three deaths in a row have ended.
    """
    specs = [small_run(number, steps=STEPS) for number in range(count)]
    whole, store = Store(folder / "whole"), Store(folder / "killed")
    drive([Job(spec, whole.root, device="cpu") for spec in specs], Here())
    jobs = [Job(spec, store.root, device="cpu") for spec in specs]
    rng, killed = random.Random(seed), [0]
    with open_executor(name, store, Plan(WORKERS, 1)) as executor:

        def kill(_: Any, progress: Any) -> None:
            if progress.evaluated and rng.random() < 1 / EVERY:
                found = executor.processes if isinstance(executor, Pool) else _ray_workers()
                with suppress(ProcessLookupError, IndexError):
                    os.kill(rng.choice(found), signal.SIGKILL)
                    killed[0] += 1

        with suppress(RunFailedError):
            drive(jobs, executor, keep_going=True, on_progress=kill)
        drive(jobs, executor, retry=True)
    wrong = {
        spec.id: "" if outcome(store, spec) == outcome(whole, spec) else str(outcome(store, spec))
        for spec in specs
    }
    return {"killed": killed[0], "runs": wrong}


def _ray_workers() -> list[int]:
    """Return the processes of Ray's tasks below this one."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_bytes().startswith(b"ray::_work"):
                found.append(int(path.parent.name))
    return [process for process in found if os.getpid() in _above(process)]


def _above(process: int) -> Iterator[int]:
    """Yield the parents of a process."""
    while process > 1:
        with suppress(OSError, IndexError):
            text = Path(f"/proc/{process}/stat").read_text()
            process = int(text.rpartition(")")[2].split()[1])
            yield process
            continue
        return


if __name__ == "__main__":
    executor_name, runs, drawn, where = sys.argv[1:]
    result = disturbed(executor_name, int(runs), int(drawn), Path(where))  # type: ignore[arg-type]
    sys.stdout.write(json.dumps(result) + "\n")
