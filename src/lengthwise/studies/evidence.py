"""What a study knows: its finished runs in compact form, and what was measured besides.

Records are plain data, so that claims can be checked again from a committed file without the
runs, their weights or torch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Self

from lengthwise.records.accuracy import AccuracyByLength, pool, pool_seeds, read_bins
from lengthwise.records.result import RunResult
from lengthwise.records.spec import RunSpec


@dataclass(frozen=True)
class StudyRun:
    """One finished run: which part of the study it belongs to, its specification, its counts."""

    group: str
    spec: RunSpec
    bins: tuple[AccuracyByLength, ...]
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
    def unseen(self) -> AccuracyByLength:
        """Exact match at lengths that were not trained."""
        return pool(self.bins[1:])

    def at(self, length: int) -> float | None:
        """Exact match at one length, None where nothing was measured."""
        found = pool(self.bins).between(length, length)
        return found.accuracy if found.lengths else None

    @classmethod
    def of(cls, group: str, result: RunResult) -> Self:
        """Reduce a result to what claims and figures need."""
        return cls(group, result.spec, result.bins, result.steps, result.seconds)

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
            "bins": [bin_.model_dump() for bin_ in self.bins],
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Read what ``to_json`` wrote."""
        spec, bins = RunSpec.read(data["spec"]), read_bins(data["bins"])
        return cls(data["group"], spec, bins, data["steps"], data["seconds"])


def merged(records: Sequence[StudyRun]) -> StudyRun:
    """Add up the counts of runs that differ in their seed alone."""
    if len(records) == 1:
        return records[0]
    first = records[0]
    bins = pool_seeds(record.bins for record in records)
    seconds = sum(record.seconds for record in records)
    return StudyRun(first.group, first.spec, bins, first.steps, seconds, len(records))


@dataclass(frozen=True)
class StudyEvidence:
    """Everything a study found at one size."""

    size: str
    records: tuple[StudyRun, ...] = ()
    measures: Mapping[str, Any] = field(default_factory=dict)

    def find(
        self,
        group: str | None = None,
        task: str | None = None,
        encoding: str | None = None,
    ) -> list[StudyRun]:
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
        return fmean(record.unseen.accuracy for record in found) if found else None

    def trained(self, group: str, task: str, encoding: str) -> float | None:
        """Exact match in distribution, averaged over seeds; None without runs."""
        found = self.find(group, task, encoding)
        return fmean(record.accuracies[0] for record in found) if found else None

    def at(self, group: str, task: str, encoding: str, length: int) -> float | None:
        """Exact match at one length, averaged over the seeds that measured it."""
        values = [record.at(length) for record in self.find(group, task, encoding)]
        known = [value for value in values if value is not None]
        return fmean(known) if known else None


def interval(records: Sequence[StudyRun], bin_: int | None = None) -> tuple[float, float]:
    """Return the Wilson interval of the pooled counts: of one bin, or of all unseen lengths.

    It covers the test instances, not the spread between seeds.
    """
    return pool(r.unseen if bin_ is None else r.bins[bin_] for r in records).interval
