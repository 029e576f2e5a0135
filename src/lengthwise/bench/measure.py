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

    @property
    def reached(self) -> bool | None:
        """Whether it stays below the stated limit; None if there is none."""
        return None if self.at_most is None else self.value <= self.at_most


class Judged(BaseModel):
    """An answer beside the truth."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    group: str
    name: str
    truth: str
    reason: str
    answer: str
    strength: str
    seconds: float
    outcome: str
    """``right``, ``wrong`` or ``undecided``."""

    @property
    def reached(self) -> bool:
        """Whether it is not wrong."""
        return self.outcome != "wrong"


Measured = Row | Figure | Judged
"""One line of a record."""


def cells(row: Measured) -> dict[str, str]:
    """Return a row as people read it."""
    if isinstance(row, Judged):
        return {
            "row": row.name,
            "truth": row.truth,
            "answer": row.answer,
            "strength": row.strength,
            "seconds": f"{row.seconds:.1f}",
            "outcome": row.outcome,
        }
    if isinstance(row, Row):
        return {
            "row": row.name,
            "ours": _time(row.ours),
            "peer": f"{_time(row.theirs)} {row.peer}",
            "ratio": f"{row.ratio:.2f}x",
            "spread": f"{row.low:.2f}-{row.high:.2f}",
            "asked": "" if row.at_least is None else f"{row.at_least:g}x",
            "reached": _ANSWERS[row.reached],
        }
    return {
        "row": row.name,
        "ours": f"{row.value:.3g} {row.unit}",
        "peer": "",
        "ratio": "",
        "spread": "",
        "asked": "" if row.at_most is None else f"at most {row.at_most:g}",
        "reached": _ANSWERS[row.reached],
    }


_ANSWERS = {None: "", True: "yes", False: "NO"}


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


Timed = Callable[[], Any]


LEAST, MORE = 3.0, 10
"""Seconds to measure for a row at least, if so many times the rounds asked for suffice."""


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
    """Measure both in turn, after one round to warm up; what is short is measured more often."""
    for work in (ours, theirs):
        seconds(work)
    pairs: list[tuple[float, float]] = []
    while len(pairs) < rounds or (len(pairs) < MORE * rounds and sum(map(sum, pairs)) < LEAST):
        pairs.append((seconds(ours), seconds(theirs)))
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
