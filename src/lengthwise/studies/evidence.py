"""What a study knows: its finished runs in compact form, and what was measured besides.

Records are plain data, so that claims can be checked again from a committed file without the
runs, their weights or torch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, Self

from lengthwise.records.accuracy import AccuracyByLength, pool, pool_seeds, read_bins
from lengthwise.records.outcomes import FITTED, LINE, CellOutcome, cell_outcome
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
    rung: int = 0
    """Which of the recipe's settings it was trained with, the first being 0."""

    @property
    def task(self) -> str:
        """The task as it is named on the command line."""
        return str(self.spec.task)

    @property
    def asked(self) -> str:
        """The task that it is about, also where its instances were drawn once."""
        options: Mapping[str, Any] = self.spec.task.options
        return str(options["task"]) if self.spec.task.name == "fixed" else self.task

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

    @property
    def fitted(self) -> bool:
        """Whether the training lengths were learned; if not, the run confirms nothing."""
        return self.accuracies[0] >= FITTED

    def at(self, length: int) -> float | None:
        """Exact match at one length, None where nothing was measured."""
        found = pool(self.bins).between(length, length)
        return found.accuracy if found.lengths else None

    @classmethod
    def of(cls, group: str, result: RunResult, rung: int = 0) -> Self:
        """Reduce a result to what claims and figures need."""
        found = cls(group, result.spec, result.bins, result.steps, result.seconds)
        return replace(found, rung=rung)

    def to_json(self) -> dict[str, Any]:
        """Return plain data; settings that are defaults are left out."""
        return {
            "group": self.group,
            "id": self.spec.id,
            "task": self.task,
            "encoding": self.encoding,
            "model": self.model,
            "seed": self.spec.seed,
            "rung": self.rung,
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
        rung = data.get("rung", 0)
        return cls(data["group"], spec, bins, data["steps"], data["seconds"], rung=rung)


def merged(records: Sequence[StudyRun]) -> StudyRun:
    """Add up the counts of runs that differ in their seed alone."""
    if len(records) == 1:
        return records[0]
    first = records[0]
    bins = pool_seeds(record.bins for record in records)
    seconds = sum(record.seconds for record in records)
    return StudyRun(first.group, first.spec, bins, first.steps, seconds, len(records))


@dataclass(frozen=True)
class Cell:
    """A problem with an encoding: the run of every seed that counts, and how many were made.

    Of a seed the first rung that fitted counts, the last one if none did.
    """

    runs: tuple[StudyRun, ...]
    tried: int
    """All runs, with the rungs that did not fit."""
    fit: float = FITTED
    """Exact match in distribution from which a seed has a say."""

    @classmethod
    def of(cls, records: Sequence[StudyRun]) -> Self | None:
        """Choose among the rungs of every seed; None without records."""
        seeds: dict[int, list[StudyRun]] = {}
        for record in sorted(records, key=lambda r: (r.spec.seed, r.rung)):
            seeds.setdefault(record.spec.seed, []).append(record)
        runs = tuple(next((r for r in rungs if r.fitted), rungs[-1]) for rungs in seeds.values())
        return cls(runs, len(records)) if runs else None

    def until(self, bin_: int) -> Self:
        """Return the cell with bin ``bin_`` as its last: what became of it at shorter lengths."""
        runs = tuple(replace(run, bins=run.bins[: bin_ + 1]) for run in self.runs)
        return replace(self, runs=runs)

    @property
    def outcome(self) -> CellOutcome:
        """Holds, fails, mixed, or not fitted."""
        return cell_outcome(run.accuracies for run in self.runs)

    @property
    def fitted(self) -> tuple[StudyRun, ...]:
        """The runs that have a say."""
        return tuple(run for run in self.runs if run.accuracies[0] >= self.fit)

    @property
    def mostly_fitted(self) -> bool:
        """Whether at least half of the seeds have a say."""
        return bool(self.fitted) and 2 * len(self.fitted) >= len(self.runs)

    @property
    def bins(self) -> tuple[AccuracyByLength, ...]:
        """The counts of the fitted seeds, of all seeds where none fitted, with their intervals."""
        return pool_seeds(run.bins for run in self.fitted or self.runs)

    @property
    def accuracies(self) -> tuple[float, ...]:
        """The mean over those seeds in every bin, the training range first."""
        return tuple(bin_.accuracy for bin_ in self.bins)

    @property
    def shown(self) -> str:
        """The mean of every bin in percent, then the last bin of every seed, unfitted in brackets.

        Example: 100.0 / 98.2 / 74.0 (100 99 62 (0) 35)
        """
        means = " / ".join(f"{100 * value:.1f}" for value in self.accuracies)
        return f"{means} ({self.by_seed})" if len(self.runs) > 1 else means

    @property
    def by_seed(self) -> str:
        """The last bin of every seed in percent, in brackets where the seed did not fit."""
        return self.each(lambda run: f"{100 * run.accuracies[-1]:.0f}")

    def each(self, text: Callable[[StudyRun], str]) -> str:
        """Say something about every seed, in brackets where it did not fit."""
        return " ".join(
            text(run) if run.accuracies[0] >= self.fit else f"({text(run)})" for run in self.runs
        )

    @property
    def rungs(self) -> str:
        """The rung of every seed, the first being 1.

        Example: 1 1 3 1 1
        """
        return " ".join(str(run.rung + 1) for run in self.runs)

    @property
    def reason(self) -> str:
        """What a reader should know beside the outcome: seeds that differ, seeds without a say."""
        far = [run.accuracies[-1] >= LINE for run in self.fitted]
        mixed = (
            f"mixed: {sum(far)} of {len(far)} fitted seeds hold" if 0 < sum(far) < len(far) else ""
        )
        missed = len(self.runs) - len(self.fitted)
        unfitted = f"{missed} of {len(self.runs)} seeds not fitted" if missed else ""
        return "; ".join(part for part in (mixed, unfitted) if part)


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

    def cell(self, group: str) -> Cell | None:
        """Return the cell that a group of runs is; None without runs."""
        return Cell.of([record for record in self.records if record.group == group])

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
