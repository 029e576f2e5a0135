"""How far runs got, in multiples of the training length, and what stopped those that fell short."""

from collections import Counter
from collections.abc import Sequence

from lengthwise.records.accuracy import pool
from lengthwise.records.outcomes import LINE
from lengthwise.studies.evidence import StudyRun

CAUSES = ("carries over", "not fitted", "falls at once", "falls later")
AT_ONCE = 1.25
"""A run that is below the line up to this multiple of the training length falls at once."""


def reach(run: StudyRun) -> float:
    """Return the largest length up to which a run stays above the line, over the training length.

    Lengths are looked at in order, three at a time, so that few instances of one length decide
    nothing. The largest length that was measured bounds it.
    """
    counts, trained = pool(run.bins), run.spec.training.length[1]
    longer = [n for n in counts.lengths if n > trained]
    reached = trained if run.fitted else 0
    for start in range(0, len(longer), 3):
        part = longer[start : start + 3]
        if not reached or counts.between(part[0], part[-1]).accuracy < LINE:
            break
        reached = part[-1]
    return reached / trained


def cause(run: StudyRun) -> str:
    """Say whether a run carries over, and if not, how it fails."""
    if not run.fitted:
        return "not fitted"
    if run.accuracies[-1] >= LINE:
        return "carries over"
    return "falls at once" if reach(run) <= AT_ONCE else "falls later"


def summary(runs: Sequence[StudyRun]) -> list[str]:
    """Return how often each cause occurs, and the reach of every run.

    Example:
        >>> summary([])
        ['0', '0', '0', '0', '']
    """
    counts = Counter(cause(run) for run in runs)
    each = " ".join(f"{reach(run):.1f}" for run in runs)
    return [*(str(counts[name]) for name in CAUSES), each]
