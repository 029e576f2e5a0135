"""Numbers the claims and tables share: accuracy by encoding, ranks, lengths."""

from statistics import fmean

from lengthwise.evaluation.ranks import Ties, reciprocal_ranks
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.kazemnejad2023.splits import (
    BY_TASK,
    ENCODINGS,
    PUBLISHED_ORDER,
    SPLITS,
)


def inner(task: str) -> str:
    """Return the name of a task without options and without ``fixed:``.

    Example:
        >>> inner("fixed:copy-v1-text;size=100000"), inner("copy-v1-text:symbols=26")
        ('copy-v1-text', 'copy-v1-text')
    """
    return task.removeprefix("fixed:").partition(";")[0].partition(":")[0]


def unseen(evidence: StudyEvidence, task: str, encoding: str) -> float | None:
    """Return exact match over unseen lengths, averaged over seeds."""
    values = [r.unseen.accuracy for r in _records(evidence, task, encoding)]
    return sum(values) / len(values) if values else None


def trained(evidence: StudyEvidence, task: str, encoding: str) -> float | None:
    """Return exact match on the training lengths, averaged over seeds."""
    values = [r.accuracies[0] for r in _records(evidence, task, encoding)]
    return sum(values) / len(values) if values else None


def at(evidence: StudyEvidence, task: str, encoding: str, factor: float) -> float | None:
    """Return exact match at a multiple of the longest training length."""
    values = [
        r.at(round(r.spec.training.length[1] * factor)) for r in _records(evidence, task, encoding)
    ]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def beyond(evidence: StudyEvidence, task: str, encoding: str, steps: int) -> float | None:
    """Return exact match so many units beyond the longest training length."""
    values = [r.at(r.spec.training.length[1] + steps) for r in _records(evidence, task, encoding)]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _records(evidence: StudyEvidence, task: str, encoding: str):
    return [
        record for record in evidence.find("split", None, encoding) if inner(record.task) == task
    ]


def reciprocal(
    evidence: StudyEvidence, ties: Ties = "fair", group: str | None = None
) -> dict[str, float] | None:
    """Return the mean reciprocal rank of every encoding; None where no cell is complete.

    Ranked within a split and a seed; a split counts once, with however many seeds.
    """
    tables: dict[str, dict[int, dict[str, float]]] = {}
    for record in evidence.find("split"):
        name = inner(record.task)
        if group in (None, BY_TASK[name].group):
            seeds = tables.setdefault(name, {})
            seeds.setdefault(record.spec.seed, {})[record.encoding] = record.unseen.accuracy
    whole = [
        reciprocal_ranks(table, ties, PUBLISHED_ORDER)
        for table in tables.values()
        if any(len(cell) == len(ENCODINGS) for cell in table.values())
    ]
    if not whole:
        return None
    return {name: fmean(ranks[name] for ranks in whole) for name in ENCODINGS}


def row(evidence: StudyEvidence, task: str) -> dict[str, float] | None:
    """Return exact match over unseen lengths for every encoding; None if one is missing."""
    values = {encoding: unseen(evidence, task, encoding) for encoding in ENCODINGS}
    known = {name: value for name, value in values.items() if value is not None}
    return known if len(known) == len(ENCODINGS) else None


TASKS = tuple(split.task for split in SPLITS)
