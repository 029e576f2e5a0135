"""Bounds of numbers that users give: one table, checked where a number comes in."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin

from lengthwise.core.errors import InputError


@dataclass(frozen=True)
class Bounds:
    """The least and the largest value that makes sense; stands in ``Annotated[int, Bounds(..)]``.

    Example:
        >>> Bounds(1, 10).check("--seeds", 3)
        >>> Bounds(1, 10).check("--seeds", 11)
        Traceback (most recent call last):
        lengthwise.core.errors.InputError: --seeds 11: it must be between 1 and 10.
    """

    low: float
    high: float
    open: bool = False
    """Whether the least value itself is excluded."""

    def check(self, name: str, value: float) -> None:
        """Refuse a value outside, naming the option."""
        inside = self.low < value if self.open else self.low <= value
        if _finite(value) and inside and value <= self.high:
            return
        least = f"above {self.low:,}" if self.open else f"at least {self.low:,}"
        allowed = least if value < self.low or not inside else f"between {self.low} and {self.high}"
        raise InputError(f"{name} {value}: it must be {allowed}.")


def _finite(value: float) -> bool:
    return isinstance(value, int) or math.isfinite(value)  # the largest integers are no floats


Count = Annotated[int, Bounds(1, 10**9)]
"""How many of something there must be one of."""
Whole = Annotated[int, Bounds(0, 10**9)]
"""A whole number that may be 0."""
Seed = Annotated[int, Bounds(0, 2**63 - 1)]
"""What random generators take."""
Seconds = Annotated[float, Bounds(0, 10**7, open=True)]
"""A time limit."""
Penalty = Annotated[float, Bounds(0, 10**6)]
"""The weight of a penalty in training."""
Length = Annotated[int, Bounds(0, 10**6)]
"""The length of a word."""
Processors = Annotated[int, Bounds(1, 4096)]
"""Threads, or processes at the same time."""

BLOCKS, WIDTH, STEPS, BATCH, INSTANCES = 1_000, 10**6, 10**12, 10**6, 10**8
"""Most blocks or heads of a model, units in a layer, steps, and instances at once or in a test."""
LONGEST = 10**6
"""Longest instance of a run."""
PERIOD = Bounds(1, 10**6)
"""The modulus of positions in a program."""
OFFSET = Bounds(0, 10_000)
"""How far back a local count may look."""
COMPILED = Bounds(0, 1_000)
"""Periods and offsets of a program that is compiled: each is a head, a layer or a column."""
EXPRESSION = 1_000
"""Most characters of an expression in positions."""


def bounds_of(annotation: Any) -> Bounds | None:
    """Return the bounds in an annotation, also inside ``X | None`` and ``Sequence[X]``.

    Example:
        >>> bounds_of(Count | None).low
        1
    """
    if get_origin(annotation) is Annotated:
        return next((item for item in annotation.__metadata__ if isinstance(item, Bounds)), None)
    return next(filter(None, map(bounds_of, get_args(annotation))), None)
