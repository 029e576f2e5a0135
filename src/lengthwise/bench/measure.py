"""Interleaved timing: ours, theirs, ours, theirs; the best of each, and the spread of ratios."""

import time
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict


class Row(BaseModel):
    """One line of the benchmark. ``ratio`` says how many times faster ours is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    group: str
    name: str
    peer: str
    ours: float
    """Seconds, best of all rounds."""
    theirs: float
    ratio: float
    low: float
    """Smallest and largest ratio of a single round."""
    high: float
    at_least: float | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the stated ratio is reached; None if there is none."""
        return None if self.at_least is None else self.ratio >= self.at_least


class Figure(BaseModel):
    """A measured number without a peer: memory, or a share of the machine's peak."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    group: str
    name: str
    value: float
    unit: str
    at_most: float | None = None


Timed = Callable[[], Any]


def seconds(work: Timed) -> float:
    """Time one call; a call that returns a float has timed itself."""
    started = time.perf_counter()
    result = work()
    return result if isinstance(result, float) else time.perf_counter() - started


def compare(
    group: str,
    name: str,
    ours: Timed,
    peer: str,
    theirs: Timed,
    *,
    rounds: int = 5,
    at_least: float | None = None,
) -> Row:
    """Measure both in turn, after one round to warm up."""
    for work in (ours, theirs):
        seconds(work)
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(rounds)]
    best_ours, best_theirs = (min(times) for times in zip(*pairs, strict=True))
    ratios = [b / a for a, b in pairs]
    return Row(
        group=group,
        name=name,
        peer=peer,
        ours=best_ours,
        theirs=best_theirs,
        ratio=best_theirs / best_ours,
        low=min(ratios),
        high=max(ratios),
        at_least=at_least,
    )
