"""Each computation in a process of its own: limited in time and memory, and killed when unwanted.

Processes are forked from one that has everything loaded, so they start in milliseconds, share
nothing with one another, and a killed one takes nothing with it (:mod:`lengthwise.core.child`).
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lengthwise.core.channel import Channel, GoneError, LateError
from lengthwise.core.child import Child, nursery
from lengthwise.core.limits import Limits
from lengthwise.playground import api, requests

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
    seconds: float = requests.SECONDS
    memory_mb: int = requests.MEMORY_MB
    computations: int = requests.COMPUTATIONS
    target: str = f"{__name__}:work"
    """What a process calls; see ``work``."""

    def __post_init__(self) -> None:
        self._places = {
            "compute": threading.BoundedSemaphore(self.computations),
            "read": threading.BoundedSemaphore(self.computations + 2),
        }
        self._alive: set[Child] = set()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def busy(self) -> int:
        """How many processes work now."""
        return len(self._alive)

    def warm_up(self) -> None:
        """Start the process that others are forked from."""
        nursery(WARM).warm_up()

    def answer(self, action: str, request: Any, gone: Gone = lambda: False) -> dict[str, Any]:
        """Answer in a process of its own; ``gone`` says whether nobody waits any more."""
        kind = api.kind_of(action)
        if not self._places[kind].acquire(timeout=SLOT_SECONDS):
            return api.failure(
                f"busy: {self.computations} computations are running, which is the limit; wait for "
                "one, or cancel it."
            )
        try:
            with self._process(action, request) as child:
                return self._wait(child, gone)
        finally:
            self._places[kind].release()

    def close(self) -> None:
        """Kill what still runs."""
        with self._lock:
            self._closed = True

    @contextmanager
    def _process(self, action: str, request: Any) -> Iterator[Child]:
        """Start a process, and make sure that it is gone afterwards."""
        if self._closed:
            raise CancelledError
        limits = Limits(self.seconds, memory=self.memory_mb * 1_000_000)
        asked = {"action": action, "request": request, "store": self.store}
        bounds = {"seconds": self.seconds, "memory_mb": self.memory_mb}
        child = nursery(WARM).start(self.target, limits, **asked, **bounds)
        with self._lock:
            self._alive.add(child)
        try:
            yield child
        finally:
            child.close()
            with self._lock:
                self._alive.discard(child)

    def _wait(self, child: Child, gone: Gone) -> dict[str, Any]:
        clock = Limits(None)
        while (left := self.seconds - clock.spent()) > 0:
            try:
                return child.receive(min(left, LOOK_SECONDS))
            except GoneError:
                how = child.how()
                return api.failure(f"the computation ended without an answer ({how}).")
            except LateError:
                if self._closed:
                    return api.failure("the playground was closed.")
                if gone():
                    raise CancelledError from None
        return api.failure(
            f"stopped after {self.seconds:g} s, the time limit; try something smaller, or start "
            "`lengthwise ui` with a larger --time-limit."
        )


def work(
    channel: Channel, action: str, request: Any, store: str, seconds: float, memory_mb: int
) -> None:
    """Answer one request in this process and send the answer; the process then ends."""
    try:
        found = api.answer(action, request, store=store, seconds=seconds)
        text = json.dumps(found, default=str)
        if len(text) > ANSWER_BYTES:
            text = json.dumps(api.failure("the answer is too large to show."))
    except (MemoryError, RecursionError, RuntimeError) as error:
        text = json.dumps(api.failure(_sentence(error, memory_mb)))
    except Exception as error:  # a defect of ours: the page says so, the server goes on
        text = json.dumps(api.failure(f"internal error: {type(error).__name__}: {error}"))
    channel.send(json.loads(text))


def _sentence(error: Exception, memory_mb: int) -> str:
    if isinstance(error, RecursionError):
        return "this is nested too deeply."
    if isinstance(error, MemoryError) or "memory" in str(error):
        return f"this needs more than {memory_mb:,} MB of memory, the limit; try something smaller."
    return f"internal error: {error}"
