"""Many runs on this machine: processes with one thread each, all stoppable, none lost."""

import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from lengthwise.core.errors import InputError
from lengthwise.records.record import load_result
from lengthwise.records.spec import RunSpec
from lengthwise.runs import distributed
from lengthwise.runs.driver import OnProgress as OnProgress
from lengthwise.runs.driver import drive
from lengthwise.runs.job import Job, Message, perform
from lengthwise.runs.pool import Pool
from lengthwise.runs.store import Store
from lengthwise.runs.worker import throttled

if TYPE_CHECKING:
    from lengthwise.records.result import RunResult

SMALL_WIDTH = 256
"""Below this width two threads in one process lose more by synchronisation than they gain."""


@dataclass(frozen=True)
class Plan:
    """How many processes, and how many threads in each."""

    jobs: int
    threads: int


def plan(specs: Sequence[RunSpec], jobs: int | None = None, threads: int | None = None) -> Plan:
    """Use every core once: over runs first, inside a run only for wide models."""
    for option, value in (("--jobs", jobs), ("--threads", threads)):
        if value is not None and value < 1:
            raise InputError(f"{option} is {value}; it must be at least 1.")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    jobs = jobs or max(1, min(len(specs), cores or 1))
    wide = any(spec.model.width >= SMALL_WIDTH for spec in specs)
    return Plan(jobs, threads or (max(1, (cores or 1) // jobs) if wide else 1))


def execute_all(
    specs: Sequence[RunSpec],
    store: Store,
    how: Plan,
    *,
    device: str = "auto",
    again: bool = False,
    on_progress: OnProgress = lambda spec, progress: None,
) -> list["RunResult"]:
    """Execute all runs and return their results in order; a run that failed before is retried.

    Ctrl-C, or a failure of one, lets each save its checkpoint before it ends. Under ``torchrun``
    the processes share every single run instead.
    """
    if distributed.active():
        from lengthwise.runs.parallel import execute_together

        options = {"device": device, "again": again, "on_progress": on_progress}
        return [execute_together(spec, store, **options) for spec in specs]
    for spec in () if again else specs:  # nothing is trained for a table that would lack a run
        record = store.record(store.folder(spec))
        if record.state == "damaged":
            load_result(record)
    jobs = [Job(spec, store.root, device=device, again=again) for spec in specs]
    if how.jobs == 1:
        drive(jobs, Here(how.threads), retry=True, on_progress=on_progress)
    else:
        with Pool(how.jobs, how.threads) as pool:
            drive(jobs, pool, retry=True, on_progress=on_progress)
    return [load_result(store.record(store.folder(spec))) for spec in specs]


class Here:
    """Executes one job at a time in this process, in a thread, so that Ctrl-C is heard."""

    slots = 1

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        self._heard: SimpleQueue[Message] = SimpleQueue()
        self._stop = threading.Event()

    def submit(self, job: Job) -> None:
        """Begin a job."""
        threading.Thread(target=self._work, args=(job,), daemon=True).start()

    def messages(self, seconds: float) -> Iterator[Message]:
        """Yield what the job said."""
        try:
            yield self._heard.get(timeout=seconds)
            while True:
                yield self._heard.get_nowait()
        except Empty:
            return

    def stop(self) -> None:
        """Ask the job to save its checkpoint and end."""
        self._stop.set()

    def _work(self, job: Job) -> None:
        import torch

        torch.set_num_threads(self.threads)
        report = throttled(lambda p: self._heard.put(Message.of(job.spec.id, p)))
        self._heard.put(perform(job, report, self._stop.is_set))
