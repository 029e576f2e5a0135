"""The words for what came out, and the rules that lead to them: one place for every page.

A *cell* is a problem with an encoding, trained with several seeds: it *holds*, *fails*, is *mixed*
or is *not fitted*. A *claim* is a sentence about cells: *held*, *not held*, *inconclusive* or *not
run*. A model that did not fit its training lengths confirms nothing: its seed is shown and
counted, and has no say.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from lengthwise.records.intervals import Interval

FITTED = 0.99
"""Exact match in distribution from which a run counts as having learned its training lengths."""
LINE = 0.70
"""Exact match at two to three times the training length that counts as carrying over: the values
published by Huang et al. (2024) separate there."""

CellOutcome = Literal["holds", "fails", "mixed", "not fitted"]
CELL_OUTCOMES: tuple[CellOutcome, ...] = ("holds", "fails", "mixed", "not fitted")
Status = Literal["held", "not held", "inconclusive", "not run"]
STATUSES: tuple[Status, ...] = ("held", "not held", "inconclusive", "not run")
TONES = {
    "held": "good",
    "not held": "bad",
    "inconclusive": "dim",
    "not run": "dim",
    "holds": "good",
    "fails": "bad",
    "mixed": "dim",
    "not fitted": "dim",
}
"""How a page colours them."""

BOARD = "lengthwise-scoreboard"
"""The format of a file with predictions beside measured cells."""


# ---- cells ----


def cell_outcome(seeds: Iterable[Sequence[float]]) -> CellOutcome:
    """Judge a cell by the accuracies of its seeds, in distribution first and farthest last.

    Seeds that did not fit have no say; a cell of which fewer than half the seeds fitted is not
    fitted. The others must agree on which side of the line they are.

    Example:
        >>> cell_outcome([(1.0, 0.9), (1.0, 0.8), (0.5, 0.0)])
        'holds'
        >>> cell_outcome([(1.0, 0.9), (1.0, 0.2)]), cell_outcome([(0.9, 0.9)])
        ('mixed', 'not fitted')
    """
    every = list(seeds)
    far = [values[-1] >= LINE for values in every if values[0] >= FITTED]
    if not far or 2 * len(far) < len(every):
        return "not fitted"
    if len(set(far)) > 1:
        return "mixed"
    return "holds" if far[0] else "fails"


def agreement(answer: str, outcome: CellOutcome) -> bool | None:
    """Whether a prediction is what was measured; None where one of them says nothing.

    Example:
        >>> agreement("yes", "holds"), agreement("no", "mixed"), agreement("no", "not fitted")
        (True, False, None)
    """
    if outcome == "not fitted" or answer not in ("yes", "no"):
        return None
    return outcome == ("holds" if answer == "yes" else "fails")


def agreement_sentence(pairs: Sequence[tuple[str, CellOutcome]]) -> str:
    """Say how many of the fitted cells are as predicted, given answers and outcomes.

    Mixed cells and undecided predictions count against.

    Example:
        >>> agreement_sentence([("yes", "holds"), ("no", "mixed"), ("no", "not fitted")])
        '1 of 2 fitted cells agree (50%); 1 mixed, 1 of 3 not fitted'
    """
    fitted = [pair for pair in pairs if pair[1] != "not fitted"]
    right = sum(agreement(*pair) is True for pair in fitted)
    share = f" ({right / len(fitted):.0%})" if fitted else ""
    mixed = sum(outcome == "mixed" for _, outcome in fitted)
    other = [f"{mixed} mixed"] if mixed else []
    if len(fitted) < len(pairs):
        other.append(f"{len(pairs) - len(fitted)} of {len(pairs)} not fitted")
    said = f"{right} of {len(fitted)} fitted cells agree{share}"
    return f"{said}; {', '.join(other)}" if other else said


# ---- claims ----


def headline(statuses: Iterable[str]) -> str:
    """Count claims as every page does: held of those that came out, the others beside it.

    Example:
        >>> headline(["held", "held", "not held", "inconclusive", "not run"])
        '2 of 3 held; 1 inconclusive, 1 not run'
    """
    many = Counter(statuses)
    came_out = f"{many['held']} of {many['held'] + many['not held']} held"
    other = ", ".join(f"{many[status]} {status}" for status in STATUSES[2:] if many[status])
    return f"{came_out}; {other}" if other else came_out


def at_least(found: Interval, line: float) -> Status:
    """Claim that a value reaches a line: inconclusive where its interval contains the line.

    Example:
        >>> at_least((0.8, 0.9), 0.7), at_least((0.6, 0.9), 0.7), at_least((0.1, 0.2), 0.7)
        ('held', 'inconclusive', 'not held')
    """
    if found[0] >= line:
        return "held"
    return "not held" if found[1] < line else "inconclusive"


def at_most(found: Interval, line: float) -> Status:
    """Claim that a value does not exceed a line."""
    if found[1] <= line:
        return "held"
    return "not held" if found[0] > line else "inconclusive"


def not_below(one: Interval, other: Interval, close: float = 0.0) -> Status:
    """Claim that the first of two values is the larger, or as large up to ``close``.

    Example:
        >>> not_below((0.5, 0.6), (0.1, 0.2)), not_below((0.5, 0.6), (0.55, 0.7))
        ('held', 'inconclusive')
        >>> not_below((0.0, 0.01), (0.0, 0.01), close=0.02)
        'held'
    """
    if one[0] >= other[1] - close:
        return "held"
    return "not held" if one[1] < other[0] - close else "inconclusive"


def _strongest(found: set[Status], order: Sequence[Status], otherwise: Status) -> Status:
    first: list[Status] = [status for status in order if status in found]
    return first[0] if first else otherwise if found else "not run"


def all_of(parts: Iterable[Status]) -> Status:
    """Claim all of several things: one that is not held refutes it, whatever the others are.

    Example:
        >>> all_of(["held", "inconclusive"]), all_of(["not run", "not held"])
        ('inconclusive', 'not held')
    """
    return _strongest(set(parts), ("not held", "not run", "inconclusive"), "held")


def any_of(parts: Iterable[Status]) -> Status:
    """Claim one of several things: one that is held proves it, whatever the others are.

    Example:
        >>> any_of(["held", "not held"]), any_of(["not held", "inconclusive"])
        ('held', 'inconclusive')
    """
    return _strongest(set(parts), ("held", "not run", "inconclusive"), "not held")
