"""What a study knows: its finished runs in compact form, and what was measured besides.

Records are plain data, so that claims can be checked again from a committed file without the
runs, their weights or torch.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any, Self

from lengthwise.records.intervals import wilson
from lengthwise.records.spec import RunSpec

if TYPE_CHECKING:
    from lengthwise.records.result import RunResult


@dataclass(frozen=True)
class Bin:
    """Counts by length in one range of lengths."""

    low: int
    high: int
    correct: Mapping[int, int]
    total: Mapping[int, int]

    @property
    def counts(self) -> tuple[int, int]:
        """Correct and all instances."""
        return sum(self.correct.values()), sum(self.total.values())

    @property
    def accuracy(self) -> float:
        """Fraction of instances that are right."""
        correct, total = self.counts
        return correct / max(1, total)


@dataclass(frozen=True)
class Record:
    """One finished run: which part of the study it belongs to, its specification, its counts."""

    group: str
    spec: RunSpec
    bins: tuple[Bin, ...]
    steps: int
    seconds: float
    seeds: int = 1
    """How many runs the counts come from."""

    @property
    def task(self) -> str:
        """The task as it is named on the command line."""
        return str(self.spec.task)

    @property
    def encoding(self) -> str:
        """The position encoding as it is named on the command line."""
        return str(self.spec.position)

    @property
    def model(self) -> str:
        """Layers, heads and width."""
        shape = self.spec.model
        return f"{shape.layers}/{shape.heads}/{shape.width}"

    @property
    def accuracies(self) -> tuple[float, ...]:
        """Exact match in every bin, the training range first."""
        return tuple(bin_.accuracy for bin_ in self.bins)

    @property
    def unseen(self) -> tuple[int, int]:
        """Correct and all instances at lengths that were not trained."""
        return pool(bin_.counts for bin_ in self.bins[1:])

    def at(self, length: int) -> float | None:
        """Exact match at one length, None where nothing was measured."""
        correct, total = pool(
            (bin_.correct.get(length, 0), bin_.total.get(length, 0)) for bin_ in self.bins
        )
        return correct / total if total else None

    @classmethod
    def of(cls, group: str, result: "RunResult") -> Self:
        """Reduce a result to what claims and figures need."""
        bins = tuple(Bin(b.low, b.high, b.correct, b.total) for b in result.bins)
        return cls(group, result.spec, bins, result.steps, result.seconds)

    def to_json(self) -> dict[str, Any]:
        """Return plain data; settings that are defaults are left out."""
        return {
            "group": self.group,
            "id": self.spec.id,
            "task": self.task,
            "encoding": self.encoding,
            "model": self.model,
            "seed": self.spec.seed,
            "trained": list(self.spec.training.length),
            "spec": self.spec.model_dump(mode="json", exclude_defaults=True),
            "bins": [
                {"low": b.low, "high": b.high, "correct": dict(b.correct), "total": dict(b.total)}
                for b in self.bins
            ],
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Read what ``to_json`` wrote."""
        bins = tuple(
            Bin(b["low"], b["high"], _numbered(b["correct"]), _numbered(b["total"]))
            for b in data["bins"]
        )
        spec = RunSpec.read(data["spec"])
        return cls(data["group"], spec, bins, data["steps"], data["seconds"])


def merged(records: Sequence[Record]) -> Record:
    """Add up the counts of runs that differ in their seed alone."""
    if len(records) == 1:
        return records[0]
    first = records[0]
    bins = tuple(
        Bin(
            parts[0].low,
            parts[0].high,
            _added(p.correct for p in parts),
            _added(p.total for p in parts),
        )
        for parts in zip(*(record.bins for record in records), strict=True)
    )
    seconds = sum(record.seconds for record in records)
    return Record(first.group, first.spec, bins, first.steps, seconds, len(records))


def _added(counts: Iterable[Mapping[int, int]]) -> dict[int, int]:
    total: Counter[int] = Counter()
    for one in counts:
        total.update(one)
    return dict(sorted(total.items()))


def _numbered(counts: Mapping[str, int]) -> dict[int, int]:
    return {int(length): count for length, count in counts.items()}


def pool(counts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Add up pairs of correct and all.

    Example:
        >>> pool([(1, 2), (3, 4)])
        (4, 6)
    """
    correct = total = 0
    for right, every in counts:
        correct, total = correct + right, total + every
    return correct, total


@dataclass(frozen=True)
class Evidence:
    """Everything a study found at one size."""

    size: str
    records: tuple[Record, ...] = ()
    measures: Mapping[str, Any] = field(default_factory=dict)

    def find(
        self,
        group: str | None = None,
        task: str | None = None,
        encoding: str | None = None,
    ) -> list[Record]:
        """Return the records of a group, task (with or without its options) and encoding."""
        return [
            record
            for record in self.records
            if group in (None, record.group)
            and task in (None, record.task, record.task.partition(":")[0])
            and encoding in (None, record.encoding)
        ]

    def unseen(self, group: str, task: str, encoding: str) -> float | None:
        """Exact match over unseen lengths, averaged over seeds; None without runs."""
        found = self.find(group, task, encoding)
        return fmean(part(record.unseen) for record in found) if found else None

    def trained(self, group: str, task: str, encoding: str) -> float | None:
        """Exact match in distribution, averaged over seeds; None without runs."""
        found = self.find(group, task, encoding)
        return fmean(record.accuracies[0] for record in found) if found else None

    def at(self, group: str, task: str, encoding: str, length: int) -> float | None:
        """Exact match at one length, averaged over the seeds that measured it."""
        values = [record.at(length) for record in self.find(group, task, encoding)]
        known = [value for value in values if value is not None]
        return fmean(known) if known else None


def part(counts: tuple[int, int]) -> float:
    """Return a fraction, 0 of nothing.

    Example:
        >>> part((1, 4))
        0.25
    """
    return counts[0] / max(1, counts[1])


def interval(records: Sequence[Record], bin_: int | None = None) -> tuple[float, float]:
    """Return the Wilson interval of the pooled counts: of one bin, or of all unseen lengths.

    It covers the test instances, not the spread between seeds.
    """
    counts = (r.unseen if bin_ is None else r.bins[bin_].counts for r in records)
    return wilson(*pool(counts))
