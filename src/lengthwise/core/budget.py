"""How much work a decision may cost; every long loop asks here whether it may go on."""

import time
from dataclasses import dataclass, field


class OutOfBudgetError(Exception):
    """A limit was reached; the message says which. Decisions turn it into ``undecided``."""


@dataclass
class Budget:
    """Limits for one decision.

    Args:
        seconds: wall time, or None for no limit.
        monoid: largest transition monoid that is built.
        window: largest window c that is tried.
        vertices: largest number of unknowns in one linear system.
        cells: largest matrix (equations times unknowns) that is solved.
        actions: largest table of a monoid (elements times states).

    Example:
        >>> Budget(seconds=5).check("the search")
    """

    seconds: float | None = 60.0
    monoid: int = 20_000
    window: int = 32
    vertices: int = 3_000
    cells: int = 15_000_000
    actions: int = 20_000_000
    _deadline: float | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Start the clock again, for the next language."""
        self._deadline = None if self.seconds is None else time.monotonic() + self.seconds

    def check(self, doing: str) -> None:
        """Raise ``OutOfBudgetError`` when the time is over."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise OutOfBudgetError(f"time limit of {self.seconds:g} s reached during {doing}")

    def expect(self, seconds: float, doing: str) -> None:
        """Raise ``OutOfBudgetError`` before a step that cannot be interrupted and would not end."""
        if self._deadline is not None and time.monotonic() + seconds > self._deadline:
            raise OutOfBudgetError(f"time limit of {self.seconds:g} s too short for {doing}")

    def require(self, size: int, limit: str, doing: str) -> None:
        """Raise ``OutOfBudgetError`` when ``size`` exceeds the named limit."""
        allowed = getattr(self, limit)
        if size > allowed:
            raise OutOfBudgetError(f"{doing} needs {size:,}; the limit ({limit}) is {allowed:,}")
