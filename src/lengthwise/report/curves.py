"""From results to curves: accuracy against length, seeds pooled, with intervals."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lengthwise.evaluation.intervals import wilson
from lengthwise.runs.result import RunResult


@dataclass(frozen=True)
class Point:
    """Accuracy on lengths around ``length``, with its 95% Wilson interval."""

    length: float
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """Accuracy against length for one task and one encoding, over all seeds."""

    task: str
    encoding: str
    trained_to: int
    seeds: int
    points: tuple[Point, ...]
    bins: tuple[tuple[str, float, float, float], ...]
    """Name, accuracy and interval of each bin."""


def curves(results: Iterable[RunResult], most_points: int = 40) -> list[Curve]:
    """Pool the seeds of equal specifications; neighbouring lengths share a point."""
    groups: dict[tuple[str, ...], list[RunResult]] = defaultdict(list)
    for result in results:
        spec = result.spec
        rest = spec.model_dump_json(exclude={"seed", "task", "position"})
        groups[str(spec.task), str(spec.position), rest].append(result)
    return [
        Curve(
            task=task,
            encoding=encoding,
            trained_to=members[0].spec.training.length[1],
            seeds=len(members),
            points=_points(members, most_points),
            bins=_bins(members),
        )
        for (task, encoding, _), members in groups.items()
    ]


def _points(members: Sequence[RunResult], most: int) -> tuple[Point, ...]:
    counts: dict[int, tuple[int, int]] = {}
    for member in members:
        for length, (right, seen) in member.by_length.items():
            before = counts.get(length, (0, 0))
            counts[length] = before[0] + right, before[1] + seen
    lengths = sorted(counts)
    step = -(-len(lengths) // most)
    points = []
    for start in range(0, len(lengths), step):
        part = lengths[start : start + step]
        right, seen = (sum(counts[n][k] for n in part) for k in (0, 1))
        points.append(Point(sum(part) / len(part), right / seen, *wilson(right, seen)))
    return tuple(points)


def _bins(members: Sequence[RunResult]) -> tuple[tuple[str, float, float, float], ...]:
    rows = []
    for bins in zip(*(member.bins for member in members), strict=True):
        right = sum(sum(b.correct.values()) for b in bins)
        seen = sum(sum(b.total.values()) for b in bins)
        rows.append((f"{bins[0].low}-{bins[0].high}", right / seen, *wilson(right, seen)))
    return tuple(rows)
