"""A pool of warm worker processes that outlives its workers' deaths.

Each worker is a fresh interpreter with a socket pair of its own, so a worker that is killed takes
nothing with it: no shared queue, no shared lock. The pool hears of the death by the closed socket,
reports the job as lost and starts another worker.
"""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Self

from lengthwise.core.child import environment
from lengthwise.runs.executors import Resources
from lengthwise.runs.job import STOP, Job, Message
from lengthwise.runs.processes import Plan
from lengthwise.runs.store import Store

_PATIENCE = 10.0


@dataclass
class _Worker:
    process: "subprocess.Popen[bytes]"
    channel: Connection
    run: str | None = None


class Pool:
    """Executes jobs in ``slots`` processes of this machine, with ``threads`` threads each.

    Example:
        >>> with Pool(slots=2) as pool:  # workers start with the first job
        ...     pool.slots
        2
    """

    def __init__(self, slots: int, threads: int = 1) -> None:
        self.slots, self.threads = slots, threads
        self._workers: list[_Worker] = []

    def submit(self, job: Job) -> None:
        """Give a job to an idle worker; there must be one or room for one."""
        worker = next((w for w in self._workers if w.run is None), None) or self._start()
        try:
            worker.channel.send_bytes(job.dump())
        except ConnectionError:  # it died idle
            self._bury(worker)
            worker = self._start()
            worker.channel.send_bytes(job.dump())
        worker.run = job.spec.id

    def messages(self, seconds: float) -> Iterator[Message]:
        """Yield what workers said within some seconds; return after the first batch."""
        channels = {worker.channel: worker for worker in self._workers}
        for channel in wait(list(channels), seconds):
            assert isinstance(channel, Connection)
            yield from self._listen(channels[channel])

    def stop(self) -> None:
        """Ask every running job to save its checkpoint and end."""
        for worker in self._workers:
            if worker.run:
                with suppress(ConnectionError):  # its death is reported by ``messages``
                    worker.channel.send_bytes(STOP)

    def close(self) -> None:
        """End the workers: politely, then not."""
        for worker in self._workers:
            worker.channel.close()
        for worker in self._workers:
            try:
                worker.process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
        self._workers.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def processes(self) -> list[int]:
        """The process ids of the workers."""
        return [worker.process.pid for worker in self._workers]

    def _listen(self, worker: _Worker) -> Iterator[Message]:
        try:
            message = Message.load(worker.channel.recv_bytes())
        except (EOFError, ConnectionError):
            run, reason = worker.run, self._bury(worker)
            if run:
                yield Message(run, "lost", {"reason": reason})
            return
        if message.kind != "progress":
            worker.run = None
        yield message

    def _start(self) -> _Worker:
        assert len(self._workers) < self.slots, "no worker is idle"
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "lengthwise.runs.worker"]
        with theirs:
            process = subprocess.Popen(
                [*command, str(theirs.fileno()), str(self.threads)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=environment(self.threads),
            )
        worker = _Worker(process, Connection(ours.detach()))
        self._workers.append(worker)
        return worker

    def _bury(self, worker: _Worker) -> str:
        """Forget a dead worker and say how it died."""
        worker.channel.close()
        self._workers.remove(worker)
        code = worker.process.wait()
        if code < 0:
            name = signal.Signals(-code).name
            hint = " (out of memory?)" if name == "SIGKILL" else ""
            return f"its worker process was ended by {name}{hint}"
        return f"its worker process ended with exit code {code}"


def open_pool(store: Store, how: Plan, resources: Resources) -> Pool:
    """Open the executor of this machine's processes."""
    return Pool(how.jobs, how.threads)
