"""Numbers the claims and tables share: the seeds of a cell that fitted, accuracies, ranks."""

from collections.abc import Mapping
from statistics import fmean

from lengthwise.evaluation.ranks import Ties, reciprocal_ranks
from lengthwise.records.accuracy import AccuracyByLength, pool, pool_seeds
from lengthwise.records.intervals import Interval, mean_interval
from lengthwise.studies.evidence import Cell, StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.kazemnejad2023.splits import BY_TASK, NAMES, PUBLISHED_ORDER, name_of

ENCODINGS = tuple(NAMES.values())
LINES = frozen("kazemnejad2023").lines


def inner(task: str) -> str:
    """Return the name of a task without options and without ``fixed:``.

    Example:
        >>> inner("fixed:task=copy-v1-text,size=100"), inner("copy-v1-text:symbols=26")
        ('copy-v1-text', 'copy-v1-text')
    """
    return task.removeprefix("fixed:").removeprefix("task=").partition(",")[0].partition(":")[0]


def pad_of(task: str) -> str:
    """Return the parts of a task's scratchpad, nothing without one.

    Example:
        >>> pad_of("addition-text:scratchpad=i0_c1_o1_v0_r0"), pad_of("addition-text")
        ('i0_c1_o1_v0_r0', '')
    """
    return task.partition("scratchpad=")[2].partition(",")[0].partition(";")[0]


def cell(evidence: StudyEvidence, task: str, name: str, pad: str = "") -> Cell:
    """Return the runs of every seed of a task with an encoding, as the paper names it."""
    runs = tuple(
        record
        for record in evidence.find("scratchpad" if pad else "split")
        if inner(record.asked) == task
        and pad_of(record.asked) == pad
        and name_of(record.encoding) == name
    )
    return Cell(runs, len(runs), LINES["fits"])


def unfitted(
    evidence: StudyEvidence, task: str, names: tuple[str, ...], pad: str = ""
) -> list[str]:
    """Return the encodings of which fewer than half of the seeds fitted."""
    return [name for name in names if not cell(evidence, task, name, pad).mostly_fitted]


def seeds(evidence: StudyEvidence, task: str, names: tuple[str, ...], pad: str = "") -> int:
    """Return how many seeds each of some encodings has at least."""
    return min(len(cell(evidence, task, name, pad).runs) for name in names)


def unseen(evidence: StudyEvidence, task: str, name: str, pad: str = "") -> AccuracyByLength:
    """Return exact match over unseen lengths of the seeds that fitted."""
    return pool(cell(evidence, task, name, pad).bins[1:])


def trained(evidence: StudyEvidence, task: str, name: str, pad: str = "") -> AccuracyByLength:
    """Return exact match at the training lengths, of all seeds."""
    return pool_seeds(run.bins for run in cell(evidence, task, name, pad).runs)[0]


def at(evidence: StudyEvidence, task: str, name: str, place: str) -> AccuracyByLength:
    """Return exact match at one length: ``1.4L`` or ``L+2`` with L the longest trained."""
    found = cell(evidence, task, name)
    longest = found.runs[0].spec.training.length[1]
    number = place.replace("L", "")
    length = longest + int(number) if place.startswith("L") else round(longest * float(number))
    return pool(found.bins[1:]).between(length, length)


# ---- ranks ----


def reciprocal(
    evidence: StudyEvidence, ties: Ties = "fair", group: str | None = None
) -> dict[str, list[float]] | None:
    """Return the mean reciprocal rank of every encoding, one for each seed.

    Ranked within a split and a seed, then averaged over splits. A split that no encoding learned
    says nothing and is left out; None where no split is left.
    """
    found: dict[str, list[float]] = {name: [] for name in ENCODINGS}
    for seed in sorted({record.spec.seed for record in evidence.find("split")}):
        table = _learned(evidence, seed, group)
        if table:
            ranks = reciprocal_ranks(table, ties, PUBLISHED_ORDER)
            for name in ENCODINGS:
                found[name].append(ranks[name])
    return found if found[ENCODINGS[0]] else None


def _learned(evidence: StudyEvidence, seed: int, group: str | None) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {}
    learned: set[str] = set()
    for record in evidence.find("split"):
        task = inner(record.asked)
        if record.spec.seed == seed and group in (None, BY_TASK[task].group):
            row = table.setdefault(task, {})
            row[name_of(record.encoding)] = record.unseen.accuracy
            if record.accuracies[0] >= LINES["fits"]:
                learned.add(task)
    return {
        task: row for task, row in table.items() if task in learned and len(row) == len(ENCODINGS)
    }


def lead(ranks: Mapping[str, list[float]], one: str, other: str) -> Interval:
    """Return the interval of the difference of two encodings' ranks, seed by seed."""
    return mean_interval([a - b for a, b in zip(ranks[one], ranks[other], strict=True)])


def mean(values: list[float]) -> float:
    """Return the mean over seeds."""
    return fmean(values)
