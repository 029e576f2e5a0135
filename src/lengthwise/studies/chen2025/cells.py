"""One task with one encoding: did it fit the trained scales, and did it carry to 16-20?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lengthwise.records.accuracy import AccuracyByLength, pool, pool_seeds
from lengthwise.records.intervals import Interval
from lengthwise.records.outcomes import Status, at_least, at_most
from lengthwise.studies.chen2025.runs import CONTROL, CONTROL_IDEAL, ENCODINGS, RPE, TASKS
from lengthwise.studies.evidence import Cell, StudyEvidence, StudyRun
from lengthwise.studies.frozen_file import frozen

LINES = frozen("chen2025").lines
"""``generalizes``: exact match at scales 16-20; ``fits``: at the trained scales; ``seeds``."""

FAR = (16, 20)

NAMES = {
    "ape": "APE",
    RPE: "RPE",
    "rope": "RoPE",
    "alibi": "ALiBi",
    "nope": "NoPE",
    "ipe": "IPE",
    "ipe-sh": "IPE-SH",
    CONTROL_IDEAL: "IPE",
    "lbpe": "LBPE",
}
RELATION = {"ape": "ape", RPE: "rpe", "rope": "rpe", "alibi": "rpe", "nope": "nope"}
"""What an encoding can tell about a pair of positions; every other encoding here is ideal.

That rotary and ALiBi have the relation of distances is our reading: they see the distance, but
through a fixed function."""


def name_of(encoding: str) -> str:
    """Return the encoding's usual name.

    Example:
        >>> name_of("shaw:clip=0"), name_of("ipe:attention=gap")
        ('RPE', 'IPE (gap)')
    """
    base, _, options = encoding.partition(":attention=")
    return NAMES[base] + (f" ({options})" if options and options != "soft" else "")


def task_of(record: StudyRun) -> str:
    """Return the task's name without options."""
    return record.asked.partition(":")[0]


def reported(evidence: StudyEvidence) -> StudyEvidence:
    """Return the evidence at the checkpoints that the paper's rule chooses (else at the last)."""
    chosen = evidence.measures.get("checkpoints", {})
    records = tuple(_at(record, chosen.get(record.spec.id)) for record in evidence.records)
    return replace(evidence, records=records)


def _at(record: StudyRun, checkpoint: dict[str, Any] | None) -> StudyRun:
    if checkpoint is None:
        return record
    correct = {n: right for n, right, _ in checkpoint["counts"]}
    total = {n: tried for n, _, tried in checkpoint["counts"]}
    every = AccuracyByLength(low=min(total), high=max(total), correct=correct, total=total)
    bins = tuple(every.between(b.low, b.high) for b in record.bins)
    return replace(record, bins=bins, steps=checkpoint["step"])


def at_scales(records: Sequence[StudyRun], low: int, high: int) -> AccuracyByLength:
    """Return exact match at scales ``low`` to ``high``, over all records, seed by seed."""
    return pool(pool_seeds(record.bins for record in records)).between(low, high)


@dataclass(frozen=True, kw_only=True)
class TaskCell(Cell):
    """The runs of one task with one encoding, one for each seed."""

    task: str
    encoding: str

    @property
    def trained(self) -> float:
        """Exact match at the trained scales, over all seeds."""
        return pool(run.bins[0] for run in self.runs).accuracy

    @property
    def at_far(self) -> AccuracyByLength:
        """Counts at scales 16-20 of the seeds that have a say, of all where none has."""
        return pool(self.bins).between(*FAR)

    @property
    def far(self) -> float:
        """Exact match at scales 16-20."""
        return self.at_far.accuracy

    @property
    def holds(self) -> bool:
        """Whether it generalizes in the mean over seeds."""
        return self.far >= LINES["generalizes"]

    def status(self, *, holds: bool) -> Status:
        """Claim that it generalizes, or that it does not; too few seeds decide nothing."""
        if not self.mostly_fitted or len(self.runs) < LINES["seeds"]:
            return "inconclusive"
        judge = at_least if holds else at_most
        return judge(self.interval, LINES["generalizes"])

    @property
    def interval(self) -> Interval:
        """The interval of ``far`` over seeds and instances."""
        return self.at_far.interval

    @property
    def label(self) -> str:
        """Task and encoding in words."""
        return f"{self.task.removesuffix('-steps')} {name_of(self.encoding)}"

    @property
    def shown(self) -> str:
        """Exact match at trained scales and at 16-20, then 16-20 of every seed."""
        return f"{self.trained:.2f} trained, {self.far:.2f} at 16-20{self.by_seed}"

    @property
    def by_seed(self) -> str:
        """Scales 16-20 of every seed, in brackets where it did not fit; nothing for one seed."""
        if len(self.runs) == 1:
            return ""
        return f" ({self.each(lambda run: f'{at_scales([run], *FAR).accuracy:.2f}')})"


def cells(evidence: StudyEvidence, group: str) -> Iterator[TaskCell]:
    """Yield the cells of one group in the order of their first run; longer runs replace shorter."""
    found: dict[tuple[str, str], dict[int, StudyRun]] = {}
    for record in evidence.find(group):
        seeds = found.setdefault((task_of(record), record.encoding), {})
        known = seeds.get(record.spec.seed)
        if known is None or known.spec.training.steps < record.spec.training.steps:
            seeds[record.spec.seed] = record
    for (task, encoding), seeds in found.items():
        runs = tuple(seeds.values())
        yield TaskCell(runs, len(runs), LINES["fits"], task=task, encoding=encoding)


def cell(evidence: StudyEvidence, group: str, task: str, encoding: str) -> TaskCell | None:
    """Return one cell, None without runs."""
    every = (c for c in cells(evidence, group) if (c.task, c.encoding) == (task, encoding))
    return next(every, None)


def stepwise(evidence: StudyEvidence) -> list[TaskCell]:
    """Return the cells of Figure 2: every encoding on every step-by-step task."""
    return [c for c in cells(evidence, "encodings") if c.task in TASKS and c.encoding in ENCODINGS]


def verdict(evidence: StudyEvidence, found: TaskCell) -> dict[str, Any] | None:
    """Return what SRC says about a cell, None if it was not counted."""
    hinted = found.encoding.startswith("ipe-sh") and found.task != CONTROL
    layout = "one answer" if found.task == CONTROL else "unaligned" if hinted else "aligned"
    relation = RELATION.get(found.encoding, "ipe")
    for row in evidence.measures.get("complexity", ()):
        if (row["task"], row["layout"], row["relation"]) == (found.task, layout, relation):
            return row
    return None
