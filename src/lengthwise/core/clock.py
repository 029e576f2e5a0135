"""Keeping to a time limit: what is left, and an alarm for code that does not look at the clock."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from lengthwise.core.errors import InputError


class OutOfTimeError(BaseException):
    """The time for one step was used up.

    Not an ``Exception``, so that code which catches those of a user's function lets it pass.
    """


class Clock:
    """The time limit of one prediction.

    Example:
        >>> Clock(10.0).left() <= 10.0
        True
    """

    def __init__(self, seconds: float) -> None:
        if not seconds > 0:
            raise InputError(f"--time-limit is {seconds:g}; it must be positive.")
        self.seconds = seconds
        self.started = time.monotonic()

    def spent(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self.started

    def left(self) -> float:
        """Return the seconds that remain, at least a few milliseconds."""
        return max(0.005, self.seconds - self.spent())

    @property
    def over(self) -> bool:
        """Whether the limit has passed."""
        return self.spent() >= self.seconds


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise ``OutOfTimeError`` in the block after some seconds.

    Only the main thread can be interrupted like that; elsewhere, and where the system has no such
    timer, the block runs to its end.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return
    started = time.monotonic()
    before = signal.signal(signal.SIGALRM, _ring)
    outer, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    if 0 < outer < seconds:  # an alarm around this one rings first
        signal.setitimer(signal.ITIMER_REAL, outer)
    try:
        yield
    finally:
        left = max(0.001, outer - (time.monotonic() - started)) if outer else 0
        signal.setitimer(signal.ITIMER_REAL, left)
        signal.signal(signal.SIGALRM, before)


def _ring(signum: int, frame: FrameType | None) -> None:
    raise OutOfTimeError
