"""From results to curves: accuracy against length, seeds pooled, with intervals."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lengthwise.records.intervals import wilson
from lengthwise.report.measured import Counts, Measured, from_result, varying

if TYPE_CHECKING:
    from lengthwise.records.result import RunResult

FITTED = 0.99
"""Exact match on trained lengths from which a task counts as learned, as on the scoreboard."""


@dataclass(frozen=True)
class Point:
    """Accuracy on lengths around ``length``, with its 95% Wilson interval."""

    length: float
    accuracy: float
    low: float
    high: float
    correct: int
    total: int
    lengths: tuple[int, int]
    """The shortest and longest length that share the point."""


@dataclass(frozen=True)
class Curve:
    """Accuracy against length for one task and one encoding, over all seeds."""

    task: str
    encoding: str
    trained: tuple[int, int]
    seeds: int
    points: tuple[Point, ...]
    bins: tuple[tuple[str, float, float, float], ...]
    """Name, accuracy and interval of each bin."""
    configuration: str = ""
    """What distinguishes it from other curves of its task and encoding; empty if nothing does."""
    group: str = ""

    @property
    def trained_to(self) -> int:
        """The longest length seen in training."""
        return self.trained[1]

    @property
    def fitted(self) -> bool:
        """Whether the trained lengths were learned."""
        return bool(self.bins) and self.bins[0][1] >= FITTED

    @property
    def panel(self) -> tuple[str, str, tuple[int, int]]:
        """What it shares a figure's panel with: part of a study, task, training lengths."""
        return self.group, self.task, self.trained


def curves(results: "Iterable[RunResult]", most_points: int = 40) -> list[Curve]:
    """Pool the seeds of equal specifications; neighbouring lengths share a point."""
    return pool([from_result(result) for result in results], most_points)


def pool(runs: Sequence[Measured], most_points: int = 40) -> list[Curve]:
    """Pool the runs that differ in nothing but the seed.

    Example:
        >>> from lengthwise.report.measured import Bin
        >>> bins = (Bin(1, 2, {1: (3, 4)}),)
        >>> (curve,) = pool([Measured("parity", "nope", (1, 2), bins, seed) for seed in (0, 1)])
        >>> curve.seeds, curve.bins[0][:2]
        (2, ('1-2', 0.75))
    """
    names = varying(runs)
    groups: dict[tuple[Any, ...], list[Measured]] = defaultdict(list)
    for run in runs:
        rest = tuple(sorted((name, str(value)) for name, value in run.settings.items()))
        ranges = tuple((b.low, b.high) for b in run.bins)
        groups[run.group, run.task, run.encoding, run.trained, rest, ranges].append(run)
    return [
        Curve(
            task=members[0].task,
            encoding=members[0].encoding,
            trained=members[0].trained,
            seeds=len(members),
            points=_points(members, most_points),
            bins=_bins(members),
            configuration=_configuration(members[0], names),
            group=members[0].group,
        )
        for members in groups.values()
    ]


def _configuration(run: Measured, names: Sequence[str]) -> str:
    return ", ".join(
        f"{name.rpartition('.')[2].replace('_', ' ')} {run.settings[name]}"
        for name in names
        if name in run.settings
    )


def _points(members: Sequence[Measured], most: int) -> tuple[Point, ...]:
    counts: Counts = {}
    for bin_ in (b for member in members for b in member.bins):
        for length, (right, seen) in bin_.counts.items():
            before = counts.get(length, (0, 0))
            counts[length] = before[0] + right, before[1] + seen
    lengths = sorted(counts)
    step = max(1, -(-len(lengths) // most))
    points = []
    for start in range(0, len(lengths), step):
        part = lengths[start : start + step]
        right, seen = (sum(counts[n][k] for n in part) for k in (0, 1))
        middle, low_high = sum(part) / len(part), wilson(right, seen)
        points.append(Point(middle, right / seen, *low_high, right, seen, (part[0], part[-1])))
    return tuple(points)


def _bins(members: Sequence[Measured]) -> tuple[tuple[str, float, float, float], ...]:
    rows = []
    for bins in zip(*(member.bins for member in members), strict=True):
        right, seen = (sum(b.sums[k] for b in bins) for k in (0, 1))
        rows.append((f"{bins[0].low}-{bins[0].high}", right / max(1, seen), *wilson(right, seen)))
    return tuple(rows)


def best(drawn: Iterable[Curve]) -> list[Curve]:
    """Keep one curve per task and encoding: a fitted one, then the best just beyond training.

    This is the selection of Huang et al. (2024) in small, as on the scoreboard; the first of equal
    ones is kept.
    """
    groups: dict[tuple[Any, ...], list[Curve]] = defaultdict(list)
    for curve in drawn:
        groups[curve.panel, curve.encoding].append(curve)
    return [max(members, key=_merit) for members in groups.values()]


def _merit(curve: Curve) -> tuple[bool, float]:
    decisive = 1 if curve.fitted and len(curve.bins) > 1 else 0
    return curve.fitted, curve.bins[decisive][1] if curve.bins else 0.0
