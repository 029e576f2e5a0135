"""From results to curves: accuracy against length, seeds pooled, with intervals."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.records.accuracy import AccuracyByLength, pool, pool_seeds
from lengthwise.records.outcomes import FITTED, CellOutcome, cell_outcome
from lengthwise.records.result import RunResult
from lengthwise.records.selection import merit, simplicity
from lengthwise.records.spec import RunSpec
from lengthwise.report.measured import Measured, from_result, varying


@dataclass(frozen=True)
class Curve:
    """Accuracy against length for one task and one encoding, over all seeds."""

    task: str
    encoding: str
    trained: tuple[int, int]
    seeds: int
    points: tuple[AccuracyByLength, ...]
    """Neighbouring lengths share a point where there are many."""
    bins: tuple[AccuracyByLength, ...]
    configuration: str = ""
    """What distinguishes it from other curves of its task and encoding; empty if nothing does."""
    group: str = ""
    spec: RunSpec | None = None
    """Of its first seed, where it is known."""
    chance: tuple[AccuracyByLength, ...] = ()
    """What guessing gives, by range of lengths, where it is known (``guessing.with_chance``)."""

    @property
    def trained_to(self) -> int:
        """The longest length seen in training."""
        return self.trained[1]

    @property
    def fitted(self) -> bool:
        """Whether the trained lengths were learned."""
        return bool(self.bins) and self.bins[0].accuracy >= FITTED

    @property
    def outcome(self) -> CellOutcome:
        """Holds, fails, mixed or not fitted, by the accuracies of every seed."""
        return cell_outcome([bin_.accuracy for bin_ in bins] for bins in self.by_seed)

    @property
    def by_seed(self) -> tuple[tuple[AccuracyByLength, ...], ...]:
        """The bins of every seed."""
        return tuple(zip(*(bin_.by_seed or (bin_,) for bin_ in self.bins), strict=True))

    @property
    def panel(self) -> tuple[str, str, tuple[int, int]]:
        """What it shares a figure's panel with: part of a study, task, training lengths."""
        return self.group, self.task, self.trained


def curves(results: Iterable[RunResult], most_points: int = 40) -> list[Curve]:
    """Pool the seeds of equal specifications; neighbouring lengths share a point."""
    return pool_runs([from_result(result) for result in results], most_points)


def pool_runs(runs: Sequence[Measured], most_points: int = 40) -> list[Curve]:
    """Pool the runs that differ in nothing but the seed.

    Example:
        >>> bins = (AccuracyByLength(low=1, high=2, correct={1: 3}, total={1: 4}),)
        >>> (curve,) = pool_runs([Measured("parity", "nope", (1, 2), bins, s) for s in (0, 1)])
        >>> curve.seeds, curve.bins[0].accuracy
        (2, 0.75)
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
            points=points_of(pool_seeds(member.bins for member in members), most_points),
            bins=pool_seeds(member.bins for member in members),
            configuration=_configuration(members[0], names),
            group=members[0].group,
            spec=members[0].spec,
        )
        for members in groups.values()
    ]


def _configuration(run: Measured, names: Sequence[str]) -> str:
    return ", ".join(
        f"{name.rpartition('.')[2].replace('_', ' ')} {run.settings[name]}"
        for name in names
        if name in run.settings
    )


def points_of(bins: Iterable[AccuracyByLength], most: int) -> tuple[AccuracyByLength, ...]:
    """Return the points of a curve, at most so many; neighbouring lengths share one."""
    every = pool(bins)
    lengths = every.lengths
    step = max(1, -(-len(lengths) // most))
    parts = (lengths[start : start + step] for start in range(0, len(lengths), step))
    return tuple(every.between(part[0], part[-1]) for part in parts)


def best(drawn: Iterable[Curve]) -> list[Curve]:
    """Keep one curve per task and encoding, by the rule of Huang et al. (2024)."""
    groups: dict[tuple[Any, ...], list[Curve]] = defaultdict(list)
    for curve in drawn:
        groups[curve.panel, curve.encoding].append(curve)
    return [max(members, key=_merit) for members in groups.values()]


def _merit(curve: Curve) -> tuple[float, ...]:
    accuracies = [bin_.accuracy for bin_ in curve.bins]
    simple = simplicity(curve.spec) if curve.spec else ()
    return merit(accuracies, simple, fitted=curve.fitted)
