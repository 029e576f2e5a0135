"""Runs as a SLURM job array through submitit; the shared store is how driver and jobs speak.

Each element of the array works through its share of the sweep. The driver reads the store: what is
done is done, however it became so; what is left when the array has ended is submitted again.
submitit pickles the call of the function below and what it returns (nothing); specifications,
models and results are plain files in the store as ever.
"""

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_json, write_json
from lengthwise.records.progress import Interrupted
from lengthwise.runs.driver import drive
from lengthwise.runs.execute import prepare
from lengthwise.runs.executors import Resources
from lengthwise.runs.here import Here
from lengthwise.runs.job import Job, Message
from lengthwise.runs.processes import Plan
from lengthwise.runs.store import BusyError, Store

LOOK_SECONDS = 2.0


class OnSlurm:
    """Executes jobs as arrays of ``workers`` SLURM jobs; ``options`` are submitit's parameters.

    ``cluster="local"`` runs the same array as processes of this machine, without SLURM.
    """

    def __init__(
        self,
        store: Store,
        *,
        workers: int = 8,
        threads: int = 1,
        options: dict[str, Any] | None = None,
        cluster: str | None = None,
    ) -> None:
        self.slots = 10**9  # the queue is SLURM's
        self.workers, self.threads = workers, threads
        self.folder = store.root.resolve() / ".slurm"
        self._local = cluster == "local"
        self._executor = _executor(self.folder, cluster, threads, options or {})
        self._new: list[Job] = []
        self._waiting: dict[str, Job] = {}
        self._array: list[Any] = []
        self._stopping = False

    def submit(self, job: Job) -> None:
        """Take a job; the array goes out with the next look at messages."""
        self._new.append(replace(job, root=job.root.resolve()))

    def messages(self, seconds: float) -> Iterator[Message]:
        """Yield what changed in the store since the last look."""
        if self._new and not self._array:
            yield from self._send()
        time.sleep(min(seconds, LOOK_SECONDS))
        ended = all(job.done() for job in self._array)
        for run, job in list(self._waiting.items()):
            if message := self._look(job, ended):
                del self._waiting[run]
                yield message
        if ended:
            self._array = []

    def stop(self) -> None:
        """Cancel the array; SLURM's signal makes each job save its run."""
        self._stopping = True
        for job in self._array:
            job.cancel(check=False)

    def close(self) -> None:
        """Leave SLURM's arrays alone, the same command finds their results; await local ones."""
        if self._local:
            for job in self._array:
                job.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _send(self) -> Iterator[Message]:
        jobs, self._new = self._new, []
        ready = []
        for job in jobs:
            try:
                ready.append(_cleared(job))
            except BusyError as error:
                yield Message(job.spec.id, "busy", {"reason": str(error)})
        if not ready:
            return
        self._waiting |= {job.spec.id: job for job in ready}
        count = min(self.workers, len(ready))
        paths = [self._share(number, ready[number::count]) for number in range(count)]
        self._array = self._executor.map_array(work_share, paths, [self.threads] * count)

    def _share(self, number: int, jobs: Sequence[Job]) -> str:
        """Write the jobs of one array element as a plain file."""
        path = self.folder / f"{time.time_ns()}-{number}.json"
        write_json(path, [job.dump().decode() for job in jobs])
        return str(path)

    def _look(self, job: Job, ended: bool) -> Message | None:
        store, run = Store(job.root), job.spec.id
        found = store.record(store.folder(job.spec))
        if found.state == "done":
            return Message(run, "done")
        if found.state in ("failed", "damaged"):
            return Message(run, "failed", {"reason": found.problem})
        if not ended:
            return None
        if self._stopping:
            return Message(run, "stopped")
        return Message(run, "lost", {"reason": "its SLURM job ended without a result"})


def work_share(path: str, threads: int) -> None:
    """Execute one share of a sweep: what an element of the array does."""
    jobs = [Job.load(text.encode()) for text in read_json(Path(path))]
    with suppress(Interrupted):
        drive(jobs, Here(threads), keep_going=True, signals=(signal.SIGINT, signal.SIGTERM))


def _cleared(job: Job) -> Job:
    """Remove what an earlier attempt left, so that the store says only what happens now."""
    store = Store(job.root)
    folder = store.open(job.spec)
    with store.lock(folder):
        prepare(folder, job.spec, again=job.again, repair=job.repair)
    return replace(job, again=False)


def _executor(folder: Path, cluster: str | None, threads: int, options: dict[str, Any]) -> Any:
    try:
        import submitit
    except ImportError:
        raise InputError(
            "--executor slurm: the package 'submitit' is not installed; "
            "`pip install 'lengthwise[slurm]'` adds it."
        ) from None
    try:
        executor = submitit.AutoExecutor(folder=folder, cluster=cluster or "slurm")
        executor.update_parameters(name="lengthwise", cpus_per_task=threads, **options)
    except (RuntimeError, NameError, ValueError, TypeError) as error:
        raise InputError(f"--executor slurm: {' '.join(str(error).split())}") from None
    return executor


def open_slurm(store: Store, how: Plan, resources: Resources) -> OnSlurm:
    """Open the executor of a SLURM cluster; a setting ``cluster`` says which."""
    settings = dict(resources.slurm)
    cluster = settings.pop("cluster", None)
    return OnSlurm(store, workers=how.jobs, threads=how.threads, options=settings, cluster=cluster)
