"""Evidence made up for tests: runs with the accuracies one asks for."""

from collections.abc import Callable

from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.spec import RunSpec
from lengthwise.studies.evidence import StudyRun

Curve = float | Callable[[int], float]


def record(group: str, spec: RunSpec, *accuracies: Curve, instances: int = 100) -> StudyRun:
    """A finished run whose bins have these accuracies, the same at every length or a function."""
    bins = []
    for (low, high), accuracy in zip(spec.bins, accuracies, strict=True):
        lengths = range(low, high + 1)
        at = accuracy if callable(accuracy) else lambda _, value=accuracy: value
        right = {n: round(at(n) * instances) for n in lengths}
        bins.append(
            AccuracyByLength(
                low=low, high=high, correct=right, total=dict.fromkeys(lengths, instances)
            )
        )
    return StudyRun(group, spec, tuple(bins), spec.training.steps, 1.0)
