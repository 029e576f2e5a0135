"""Each computation in a process of its own: limited in time and memory, and killed when unwanted.

Processes are forked from one that has everything loaded (multiprocessing's fork server), so they
start in milliseconds, share nothing with one another, and a killed one takes nothing with it.
"""

import json
import multiprocessing
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any

from lengthwise.playground import api, limits

WARM = "lengthwise.playground.warm"
LOOK_SECONDS = 0.2
"""Time between looks whether anybody still waits for the answer."""
SLOT_SECONDS = 2.0
"""Patience for a free place; a cancelled computation frees its place within this time."""
ANSWER_BYTES = 8_000_000

Gone = Callable[[], bool]


class CancelledError(Exception):
    """Nobody waits for the answer any more."""


@dataclass
class Workers:
    """Runs actions of the API, a few at a time.

    Example:
        >>> Workers(computations=1).busy
        0
    """

    store: str = "runs"
    seconds: float = limits.SECONDS
    memory_mb: int = limits.MEMORY_MB
    computations: int = limits.COMPUTATIONS

    def __post_init__(self) -> None:
        self._places = {
            "compute": threading.BoundedSemaphore(self.computations),
            "read": threading.BoundedSemaphore(self.computations + 2),
        }
        self._alive: set[ForkServerProcess] = set()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def busy(self) -> int:
        """How many processes work now."""
        return len(self._alive)

    def warm_up(self) -> None:
        """Start the process that others are forked from."""
        from multiprocessing.forkserver import ensure_running

        _context()
        ensure_running()

    def answer(self, action: str, request: Any, gone: Gone = lambda: False) -> dict[str, Any]:
        """Answer in a process of its own; ``gone`` says whether nobody waits any more."""
        kind = api.kind_of(action)
        if not self._places[kind].acquire(timeout=SLOT_SECONDS):
            return api.failure(
                f"busy: {self.computations} computations are running, which is the limit; wait for "
                "one, or cancel it."
            )
        try:
            with self._process(action, request) as (process, channel):
                return self._wait(process, channel, gone)
        finally:
            self._places[kind].release()

    def close(self) -> None:
        """Kill what still runs."""
        with self._lock:
            self._closed = True
            for process in self._alive:
                process.kill()

    @contextmanager
    def _process(self, action: str, request: Any) -> Iterator[tuple[ForkServerProcess, Connection]]:
        """Start a process, and make sure that it is gone afterwards."""
        context = _context()
        ours, theirs = Pipe(duplex=False)
        assert isinstance(ours, Connection)
        bounds = (self.store, self.seconds, self.memory_mb)
        process = context.Process(target=work, args=(theirs, action, request, *bounds), daemon=True)
        with self._lock:
            if self._closed:
                raise CancelledError
            process.start()
            self._alive.add(process)
        theirs.close()
        try:
            yield process, ours
        finally:
            process.kill()
            process.join()
            with self._lock:
                self._alive.discard(process)
            process.close()
            ours.close()

    def _wait(self, process: ForkServerProcess, channel: Connection, gone: Gone) -> dict[str, Any]:
        started = time.monotonic()
        while (left := started + self.seconds - time.monotonic()) > 0:
            if wait([channel, process.sentinel], min(left, LOOK_SECONDS)):
                return self._receive(process, channel)
            if gone():
                raise CancelledError
        return api.failure(
            f"stopped after {self.seconds:g} s, the time limit; try something smaller, or start "
            "`lengthwise ui` with a larger --time-limit."
        )

    def _receive(self, process: ForkServerProcess, channel: Connection) -> dict[str, Any]:
        with suppress(EOFError, OSError, ValueError):
            if channel.poll():
                return json.loads(channel.recv_bytes(ANSWER_BYTES))
        process.join(1.0)
        return api.failure(f"the computation ended without an answer ({_how(process.exitcode)}).")


def _how(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([WARM])
    return context


def work(
    channel: Connection, action: str, request: Any, store: str, seconds: float, memory_mb: int
) -> None:
    """Answer one request in this process and send the answer; the process then ends."""
    _confine(seconds, memory_mb)
    try:
        found = api.answer(action, request, store=store, seconds=seconds)
        text = json.dumps(found, default=str).encode()
        if len(text) > ANSWER_BYTES:
            text = json.dumps(api.failure("the answer is too large to show.")).encode()
    except (MemoryError, RecursionError, RuntimeError) as error:
        text = json.dumps(api.failure(_sentence(error, memory_mb))).encode()
    except Exception as error:  # a defect of ours: the page says so, the server goes on
        text = json.dumps(api.failure(f"internal error: {type(error).__name__}: {error}")).encode()
    channel.send_bytes(text)
    channel.close()


def _sentence(error: Exception, memory_mb: int) -> str:
    if isinstance(error, RecursionError):
        return "this is nested too deeply."
    if isinstance(error, MemoryError) or "memory" in str(error):
        return f"this needs more than {memory_mb:,} MB of memory, the limit; try something smaller."
    return f"internal error: {error}"


def _confine(seconds: float, memory_mb: int) -> None:
    """Limit memory beyond what is loaded, and time in case nobody is left to kill this process."""
    page = resource.getpagesize()
    with suppress(OSError, ValueError):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * page
        most = used + memory_mb * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    with suppress(OSError, ValueError):
        whole = int(seconds) + 5
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
