"""How much a question may cost: time, memory and sizes, with one clock for all of them.

Long loops ask the clock whether they may go on (``check``). Around code that does not ask stands an
alarm, which interrupts it from outside:

    limits = Limits(seconds=5)         the clock starts here
    with limits.alarm("the reading"):  code of others, deep recursions, large tables
        ...
    limits.part(0.5)                   half of what is left, for a step that may fail

Whatever was reached, and however, is one exception: ``LimitReachedError``.

Where an answer must not depend on how busy the machine is, work is counted instead of timed, and
the time is a second bound (``counted``): loops say what they did (``spend``).
"""

import contextlib
import gc
import math
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any, Self

from lengthwise.core.errors import InputError

GRACE = 0.5
"""Seconds beyond the time for a block whose parts look at the clock themselves."""
AGAIN = 0.5
"""Seconds after which an alarm rings again, should somebody have swallowed the first one."""


class LimitReachedError(Exception):
    """A limit was reached; the message says which, and during what."""


class AlarmError(BaseException):
    """What an alarm raises; no ``Exception``, so that ``except Exception`` lets it pass."""


@dataclass
class CountedWork:
    """Work that was counted, in seconds as an idle core would take for it, about."""

    taken: float = 0.0


@dataclass(frozen=True)
class Limits:
    """Time, memory and sizes of one question, and the clock that started with it.

    Args:
        seconds: wall time, or None for no limit.
        memory: bytes of address space that a process of its own may take, or None for no limit.
        monoid: largest transition monoid that is built.
        window: largest window c that is tried.
        vertices: largest number of vertices in one linear system.
        cells: largest table of pairs that is built at once.
        actions: largest table of a monoid (elements times states).
        started: when the clock started, as ``time.monotonic()`` says it; default: now.
        steps: what is counted, if the clock is a count.
        within: the limits around these, which hold too.

    Example:
        >>> limits = Limits(seconds=5)
        >>> limits.check("the search")
        >>> limits.require(20, "monoid", "the search")
        >>> limits.part(0.5).left() <= 2.5
        True
    """

    seconds: float | None = 60.0
    memory: int | None = None
    monoid: int = 20_000
    window: int = 32
    vertices: int = 2_000_000
    cells: int = 15_000_000
    actions: int = 20_000_000
    started: float = field(default_factory=time.monotonic, repr=False, compare=False)
    steps: CountedWork | None = field(default=None, repr=False, compare=False)
    within: "Limits | None" = field(default=None, repr=False, compare=False)

    @classmethod
    def counted(cls, seconds: float, within: "Limits") -> "Limits":
        """Return limits on counted work; the others are a second bound.

        Example:
            >>> limits = Limits.counted(2, Limits(60))
            >>> limits.spend(1.5)
            >>> limits.left(), limits.part(0.5).left(), limits.over
            (0.5, 0.25, False)
        """
        return replace(within, seconds=seconds, started=0.0, steps=CountedWork(), within=within)

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise InputError(f"--time-limit is {self.seconds:g}; it must be positive and finite.")

    def _now(self) -> float:
        return time.monotonic() if self.steps is None else self.steps.taken

    def spend(self, seconds: float) -> None:
        """Count some work, if work is counted."""
        if self.steps is not None:
            self.steps.taken += seconds

    def spent(self) -> float:
        """Return the seconds since the start."""
        return self._now() - self.started

    def left(self) -> float:
        """Return the seconds that remain, at least a few milliseconds; infinite without a limit."""
        return math.inf if self.seconds is None else max(0.005, self.seconds - self.spent())

    @property
    def over(self) -> bool:
        """Whether the time has passed."""
        if self.within is not None and self.within.over:
            return True
        return self.seconds is not None and self.spent() >= self.seconds

    def restarted(self, spent: float = 0.0) -> Self:
        """Return the same limits with a new clock, on which some seconds may be spent already."""
        return replace(self, started=self._now() - spent)

    def part(self, fraction: float, most: float = math.inf) -> Self:
        """Return the same limits with a share of the time that is left, ``most`` at most."""
        share = min(most, fraction * self.left())
        seconds = None if math.isinf(share) else share
        return replace(self, seconds=seconds, started=self._now())

    def check(self, doing: str) -> None:
        """Raise ``LimitReachedError`` when the time is over."""
        if self.within is not None:
            self.within.check(doing)
        if self.over:
            raise LimitReachedError(f"time limit of {self.seconds:g} s reached during {doing}")

    def expect(self, seconds: float, doing: str) -> None:
        """Raise ``LimitReachedError`` before a step that cannot be interrupted and takes longer."""
        if self.seconds is not None and self.spent() + seconds > self.seconds:
            raise LimitReachedError(f"time limit of {self.seconds:g} s too short for {doing}")

    def require(self, size: int, limit: str, doing: str) -> None:
        """Raise ``LimitReachedError`` when ``size`` exceeds the named limit."""
        allowed = getattr(self, limit)
        if size > allowed:
            raise LimitReachedError(f"{doing} needs {size:,}; the limit ({limit}) is {allowed:,}")

    def alarm(self, doing: str, grace: float = 0.0) -> AbstractContextManager[None]:
        """Interrupt the block when the time is over, wherever it is; raise ``LimitReachedError``.

        ``grace`` are seconds more (``GRACE``), for a block whose parts look at the clock.

        Only the main thread can be interrupted like that; elsewhere, and where the system has no
        such timer, the block runs to its end. Of counted work the time around it counts.
        """
        return (self.within or self)._alarm(doing, grace)

    @contextmanager
    def _alarm(self, doing: str, grace: float) -> Iterator[None]:
        if not _can_ring() or self.seconds is None:
            yield
            return
        mine, deadline = object(), time.monotonic() + self.left() + grace
        _before.append(signal.signal(signal.SIGALRM, _ring))
        try:
            _deadlines[mine] = (deadline, sys._getframe(2))
            _set_timer()
            yield
        except (InputError, LimitReachedError):
            raise
        except (AlarmError, Exception) as error:  # numpy makes another exception of an alarm
            if time.monotonic() < deadline:  # an alarm around this one, or none
                raise
            message = f"time limit of {self.seconds:g} s reached during {doing}"
            raise LimitReachedError(message) from error
        finally:
            _deadlines.pop(mine, None)
            _set_timer()
            signal.signal(signal.SIGALRM, _before.pop())


_deadlines: dict[object, tuple[float, FrameType]] = {}
"""When each alarm rings, and the frame whose block it interrupts; nested ones are several."""
_LEAVING = (contextlib.__file__, __file__)
"""Where a block is entered and left; a ring waits until that is over."""
_WEAK = (weakref.__file__, weakref.WeakSet.__init__.__code__.co_filename)
"""Where what is called for dead objects stands."""
_before: list[Any] = []
"""The handlers that alarms replaced, the outermost first."""
if hasattr(os, "register_at_fork"):  # timers are not inherited
    os.register_at_fork(after_in_child=_deadlines.clear)


def _set_timer() -> None:
    """Ring at the first deadline, and again and again; never without one."""
    left = min((when for when, _ in _deadlines.values()), default=math.inf) - time.monotonic()
    if math.isinf(left):
        signal.setitimer(signal.ITIMER_REAL, 0)
    else:
        signal.setitimer(signal.ITIMER_REAL, max(0.001, left), AGAIN)


def _can_ring() -> bool:
    main = threading.current_thread() is threading.main_thread()
    return main and hasattr(signal, "setitimer")


def _drops(frame: FrameType) -> bool:
    """Whether Python called a frame on its own, and drops its exceptions with a complaint."""
    code = frame.f_code
    if code.co_name == "__del__" or code.co_filename in _WEAK:
        return True
    return any(getattr(callback, "__code__", None) is code for callback in gc.callbacks)


def _ring(signum: int, frame: FrameType | None) -> None:
    """Raise if a deadline has passed and its block is still running.

    A ring at the very moment of leaving a block may keep it from being forgotten; what nobody
    waits for any more is forgotten here. Where the exception would be lost, the ring waits.
    """
    leaving = frame is not None and frame.f_code.co_filename in _LEAVING
    running = set()
    while frame is not None:
        running.add(frame)
        frame = frame.f_back
    if leaving or any(_drops(frame) for frame in running):
        if _deadlines:  # else the handler is about to be taken away: the next ring would kill us
            signal.setitimer(signal.ITIMER_REAL, 0.01, AGAIN)
        return
    for mine in [mine for mine, (_, owner) in _deadlines.items() if owner not in running]:
        del _deadlines[mine]
    now = time.monotonic()
    if any(when <= now for when, _ in _deadlines.values()):
        raise AlarmError
    _set_timer()
