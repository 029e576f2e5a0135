"""Runs as Ray tasks, on an existing cluster or on a local one that only this machine can reach.

The store is a folder that all nodes see, or (``fetch``) only the driver's: then each task works in
a folder of its own, sends its checkpoints back, and the driver writes what arrives. A worker that
dies is heard of by the driver, which begins the run anew from its last checkpoint.
"""

import os
import socket
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from lengthwise.core.errors import InputError
from lengthwise.core.files import write_bytes
from lengthwise.records.manifest import EVENTS, MANIFEST, RESULT, SPEC, WEIGHTS
from lengthwise.records.progress import Progress
from lengthwise.records.record import CHECKPOINT, FAILURE
from lengthwise.runs.driver import ExecutorLostError
from lengthwise.runs.execute import STATE, prepare
from lengthwise.runs.executors import Resources
from lengthwise.runs.job import Job, Message, throttled
from lengthwise.runs.perform import perform
from lengthwise.runs.processes import Plan
from lengthwise.runs.store import BusyError, Store

Files = dict[str, bytes]

ASK_SECONDS = 1.0
MAIL_SECONDS = 0.05
LOOK_SECONDS, SILENT_SECONDS = 2.0, 15.0
"""Between looks for the control service, and how long it may be away to be begun anew."""
KNOCK_SECONDS = 10.0
OBJECT_STORE_BYTES = 100 * 2**20
_SENT_BACK = (EVENTS, CHECKPOINT, STATE, WEIGHTS, RESULT, MANIFEST)
"""In this order: the manifest comes last because its presence means done."""


@dataclass
class _Flight:
    job: Job
    lock: ExitStack


class OnRay:
    """Executes jobs on Ray; ``cpus`` and ``gpus`` may be fractions of one.

    Without an ``address`` a Ray of ``workers`` cores starts on this machine, bound to 127.0.0.1
    and without dashboard; it ends with the executor.
    """

    def __init__(
        self,
        *,
        address: str | None = None,
        workers: int | None = None,
        cpus: float = 1.0,
        gpus: float = 0.0,
        threads: int = 1,
        fetch: bool = False,
    ) -> None:
        self.ray, self.fetch = _begin(address, workers), fetch
        self.slots = _slots(self.ray.cluster_resources(), cpus, gpus)
        options = {"num_cpus": cpus, "num_gpus": gpus, "max_retries": 0}
        self._task = self.ray.remote(**options)(_work)
        actor = self.ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(_Mailbox)
        self._mailbox, self._threads = actor.remote(), threads
        self._flights: dict[Any, _Flight] = {}
        self._said: deque[Message] = deque()
        self._stopping = False
        self._asked: Any = None
        self._pulse = _Pulse(self.ray)

    def submit(self, job: Job) -> None:
        """Send a job to the cluster."""
        job, lock, files = replace(job, root=job.root.resolve()), ExitStack(), None
        if self.fetch:
            try:
                files = self._prepare(job, lock)
            except BusyError as error:
                self._said.append(Message(job.spec.id, "busy", {"reason": str(error)}))
                return
        reference = self._task.remote(job.dump(), files, self._mailbox, self._threads)
        self._flights[reference] = _Flight(job, lock)

    def messages(self, seconds: float) -> Iterator[Message]:
        """Yield what tasks said and how they ended."""
        while self._said:
            yield self._said.popleft()
        landed: list[Any] = []
        if self._flights:
            landed, _ = self.ray.wait(list(self._flights), timeout=seconds)
        for data, files in self._mail():
            yield from self._heard(Message.load(data), files)
        for reference in landed:
            flight = self._flights.pop(reference)
            with flight.lock:
                message = self._end(reference, flight.job)
            yield message
        self._pulse.check()

    def _mail(self) -> list[tuple[bytes, Files | None]]:
        """Return what tasks said, without waiting for an actor that may be gone."""
        with suppress(self.ray.exceptions.RayError):  # progress may be lost with its actor
            if self._stopping:
                self._mailbox.stop.remote()
            if self._asked is None:
                self._asked = self._mailbox.take.remote()
            if self.ray.wait([self._asked], timeout=MAIL_SECONDS)[0]:
                asked, self._asked = self._asked, None
                return self.ray.get(asked)
        return []

    def stop(self) -> None:
        """Ask running tasks to save and end; they ask once a second."""
        self._stopping = True

    def close(self) -> None:
        """Leave the cluster, or end the local one; runs that are away can be begun by others."""
        for flight in self._flights.values():
            flight.lock.close()
        self._flights.clear()
        self.ray.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _prepare(self, job: Job, lock: ExitStack) -> Files:
        """Hold the run's folder while its task is away, and take along what it needs."""
        store = Store(job.root)
        folder = store.open(job.spec)
        lock.enter_context(store.lock(folder))
        prepare(folder, job.spec, again=job.again, repair=job.repair)
        names = [] if job.again else [name for name in _SENT_BACK if (folder / name).exists()]
        return {name: (folder / name).read_bytes() for name in (SPEC, *names)}

    def _heard(self, message: Message, files: Files | None) -> Iterator[Message]:
        flight = next((f for f in self._flights.values() if f.job.spec.id == message.run), None)
        if flight is None:  # the task has ended meanwhile
            return
        self._write(flight.job, files)
        yield message

    def _end(self, reference: Any, job: Job) -> Message:
        errors = self.ray.exceptions
        try:
            data, files = self.ray.get(reference)
        except errors.RayTaskError as error:
            return Message(job.spec.id, "failed", {"reason": " ".join(str(error.cause).split())})
        except errors.RayError as error:
            own = isinstance(error, errors.WorkerCrashedError | errors.OutOfMemoryError)
            if not own:
                self._pulse.check_node()
            data = {"reason": f"Ray: {type(error).__name__}", "own": own}
            return Message(job.spec.id, "lost", data)
        self._write(job, files)
        return Message.load(data)

    def _write(self, job: Job, files: Files | None) -> None:
        folder = Store(job.root).folder(job.spec)
        for name in sorted(files or {}, key=_order):
            write_bytes(folder / name, (files or {})[name])
        if files and MANIFEST in files:
            for name in (CHECKPOINT, FAILURE):
                (folder / name).unlink(missing_ok=True)


def _order(name: str) -> int:
    return _SENT_BACK.index(name) if name in _SENT_BACK else -1


class _Pulse:
    """Whether the cluster is still there, which no task can tell.

    Ray itself ends the whole process a minute after it has lost its control service.
    """

    def __init__(self, ray: Any) -> None:
        self.ray, self.node = ray, ray.get_runtime_context().get_node_id()
        host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
        self.address = (host.strip("[]"), int(port))
        self.heard = time.monotonic() if self._beats() else None  # else not reachable from here
        self.looked = time.monotonic()

    def check(self) -> None:
        """Look every few seconds; raise if nothing was heard for too long."""
        now = time.monotonic()
        if self.heard is None or now - self.looked < LOOK_SECONDS:
            return
        self.looked = now
        if self._beats():
            self.heard = now
        elif now - self.heard > SILENT_SECONDS:
            raise ExecutorLostError("--executor ray: the control service of Ray is gone")

    def check_node(self) -> None:
        """Raise if the node of this very process has died, without which nothing can be begun."""
        if self.heard is not None and not self._beats():
            raise ExecutorLostError("--executor ray: the control service of Ray is gone")
        alive = {node["NodeID"] for node in self.ray.nodes() if node["Alive"]}
        if self.node not in alive:
            raise ExecutorLostError("--executor ray: Ray has died on this machine")

    def _beats(self) -> bool:
        try:
            socket.create_connection(self.address, timeout=1.0).close()
        except OSError:
            return False
        return True


class _Mailbox:
    """An actor between tasks and driver: progress one way, the wish to stop the other."""

    def __init__(self) -> None:
        self.box: list[tuple[bytes, Files | None]] = []
        self.stopped = False

    def put(self, data: bytes, files: Files | None) -> None:
        self.box.append((data, files))

    def take(self) -> list[tuple[bytes, Files | None]]:
        taken, self.box = self.box, []
        return taken

    def stop(self) -> None:
        self.stopped = True

    def stopping(self) -> bool:
        return self.stopped


def _work(
    data: bytes, files: Files | None, mailbox: Any, threads: int
) -> tuple[bytes, Files | None]:
    """Execute a job inside a Ray worker; return how it ended and, if asked, its files."""
    import torch

    torch.set_num_threads(threads)
    job, should_stop = Job.load(data), _asking(mailbox)
    if files is None:
        return perform(job, _telling(job, mailbox, None), should_stop).dump(), None
    with tempfile.TemporaryDirectory() as root:
        job = replace(job, root=Path(root))
        folder = Store(job.root).folder(job.spec)
        folder.mkdir()
        for name, content in files.items():
            write_bytes(folder / name, content)
        message = perform(job, _telling(job, mailbox, folder), should_stop)
        return message.dump(), _files(folder, *_SENT_BACK, FAILURE)


def _telling(job: Job, mailbox: Any, folder: Path | None) -> "Callable[[Progress], None]":
    """Return a listener that sends progress, and checkpoints after each evaluation."""
    sent = 0

    def listener(progress: Progress) -> None:
        nonlocal sent
        files = None
        if folder is not None and progress.evaluated != sent:
            sent = progress.evaluated
            files = _files(folder, EVENTS, CHECKPOINT)
        mailbox.put.remote(Message.of(job.spec.id, progress).dump(), files)

    return throttled(listener)


def _files(folder: Path, *names: str) -> Files:
    return {name: (folder / name).read_bytes() for name in names if (folder / name).exists()}


def _asking(mailbox: Any) -> Callable[[], bool]:
    """Return a function that asks the driver, once a second, whether to stop."""
    import ray
    import ray.exceptions

    last = time.monotonic()

    def should_stop() -> bool:
        nonlocal last
        if time.monotonic() - last < ASK_SECONDS:
            return False
        last = time.monotonic()
        with suppress(ray.exceptions.RayError):  # its actor is being restarted
            return ray.get(mailbox.stopping.remote())
        return False

    return should_stop


def _begin(address: str | None, workers: int | None) -> Any:
    """Join the cluster at an address, or start one that only this machine can reach."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        with _loopback(address is None or _is_loopback(address)):
            ray = _import()
            _init(ray, address, workers)
    except InputError:
        raise
    except Exception as error:  # Ray says by a bare one that its daemon was too slow to start
        shown = f" --address {address!r}" if address else ""
        raise InputError(f"--executor ray{shown}: {' '.join(str(error).split())}") from None
    if address is None and not _is_loopback(bound := ray.get_runtime_context().gcs_address):
        ray.shutdown()
        raise InputError(
            f"--executor ray: Ray would listen on {bound}, which other machines can reach; "
            "start a cluster yourself and name it with --address if that is meant."
        )
    return ray


def _init(ray: Any, address: str | None, workers: int | None) -> None:
    quiet = {"log_to_driver": False, "logging_level": "error"}
    if address:
        _knock(address)
        ray.init(address=address, **quiet)
        return
    ray.init(
        address="local",  # without it Ray joins any cluster that it finds on this machine
        num_cpus=workers or os.cpu_count(),
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        object_store_memory=OBJECT_STORE_BYTES,
        **quiet,
    )


def _knock(address: str) -> None:
    """Refuse a cluster that is not there, for which Ray itself would wait many minutes."""
    from ray._private.services import canonicalize_bootstrap_address

    plain = address.removeprefix("ray://")
    found = plain if plain != address else canonicalize_bootstrap_address(address)
    host, colon, port = (found or "").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), KNOCK_SECONDS).close()


def _import() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise InputError(
            "--executor ray: the package 'ray' is not installed; "
            "`pip install 'lengthwise[ray]'` adds it."
        ) from None
    return ray


_CLUSTER = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


@contextmanager
def _loopback(wanted: bool) -> Iterator[None]:
    """Keep Ray on 127.0.0.1: on Linux it otherwise puts a reachable address in its place.

    The variable is what Ray itself uses for that on macOS; it is read when Ray is imported, so an
    import that came before is told too.
    """
    if not wanted:
        yield
        return
    before = os.environ.get(_CLUSTER)
    os.environ[_CLUSTER] = "0"
    try:
        if _import():
            from ray._private import ray_constants

            ray_constants.ENABLE_RAY_CLUSTER = False
        yield
    finally:
        if before is None:
            del os.environ[_CLUSTER]
        else:
            os.environ[_CLUSTER] = before


def _is_loopback(address: str) -> bool:
    host = address.removeprefix("ray://").rpartition(":")[0].strip("[]")
    return host in ("127.0.0.1", "localhost", "::1")


def _slots(resources: dict[str, float], cpus: float, gpus: float) -> int:
    """Return how many runs fit on the cluster at once; refuse if none does."""
    if cpus <= 0 or gpus < 0:
        raise InputError("--executor ray: a run needs more than 0 CPUs and at least 0 GPUs.")
    slots = int(resources.get("CPU", 0) / cpus + 1e-9)
    if gpus:
        slots = min(slots, int(resources.get("GPU", 0) / gpus + 1e-9))
    if slots < 1:
        raise InputError(
            f"--executor ray: no node offers {cpus:g} CPUs and {gpus:g} GPUs for a run."
        )
    return slots


def open_ray(store: Store, how: Plan, resources: Resources) -> OnRay:
    """Open the executor of a Ray cluster."""
    return OnRay(
        address=resources.address,
        workers=how.jobs,
        cpus=resources.cpus,
        gpus=resources.gpus,
        threads=how.threads,
        fetch=resources.fetch,
    )
