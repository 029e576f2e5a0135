"""What came out, in the first sentences of a page."""

from collections import Counter
from collections.abc import Iterable, Sequence

from lengthwise.records.outcomes import CELL_OUTCOMES
from lengthwise.records.thresholds import LINE
from lengthwise.report.curve_parts import by_panel, compared
from lengthwise.report.curves import Curve, best
from lengthwise.report.predicted import Verdicts

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MOST_TASKS = 4
"""Tasks that get a sentence each; of more, only counts are said."""


def lead(drawn: Sequence[Curve], found: Verdicts) -> str:
    """Say which predictions were right, and how far each task carried."""
    shown = [curve for curve in best(drawn) if len(curve.bins) > 1]
    tasks = [" ".join(_of_task(members)) for members in by_panel(shown).values()]
    if len(tasks) > MOST_TASKS:
        many = Counter(curve.outcome for curve in shown)
        counts = ", ".join(f"{name} {many[name]}" for name in CELL_OUTCOMES if many[name])
        tasks = [f"{len(shown)} cells at the longest lengths, by the line of {LINE:.0%}: {counts}."]
    return " ".join([*_predictions(shown, found), *tasks])


def _predictions(shown: Sequence[Curve], found: Verdicts) -> Iterable[str]:
    answers = [found.get(c.task, {}).get(c.encoding, {}).get("answer", "") for c in shown]
    said = [(c, compared(c, a)) for c, a in zip(shown, answers, strict=True) if a in ("yes", "no")]
    right, wrong = (sum(agrees is wanted for _, agrees in said) for wanted in (True, False))
    tested = right + wrong
    if not said:
        return
    if right == len(said):
        one = "The prediction was right."
        yield one if right == 1 else f"All {_n(right)} predictions were right."
        return
    if tested:
        names = ", ".join(f"{c.task} with {c.encoding}" for c, agrees in said if agrees is False)
        failed = f"; not for {names}" if 0 < wrong <= MOST_TASKS else ""
        were = "was" if right == 1 else "were"
        yield f"{_n(right).capitalize()} of {_n(tested)} predictions {were} right{failed}."
    if tested < len(said):
        yield (
            f"{_n(len(said) - tested).capitalize()} inconclusive: the models did not fit their "
            "training lengths."
        )


def _of_task(members: Sequence[Curve]) -> Iterable[str]:
    """Say of one task with which encodings it carries, and where it falls."""
    kept = [curve for curve in members if curve.outcome == "holds"]
    lost = [curve for curve in members if curve.outcome == "fails"]
    mixed = [curve for curve in members if curve.outcome == "mixed"]
    if kept:
        top = kept[0].bins[-1].high
        times = top / kept[0].trained_to
        yield f"{kept[0].task} carries to length {top}, {times:.3g} times the training length, with"
        yield f"{_joined(curve.encoding for curve in kept)}."
    if lost:
        falls = [f"{curve.bins[-1].accuracy:.0%} with {curve.encoding}" for curve in lost]
        yield f"{lost[0].task} falls to {_joined(falls)} at lengths {lost[0].bins[-1].name}."
    if mixed:
        yield f"{mixed[0].task} is mixed with {_joined(c.encoding for c in mixed)}: seeds differ."


def _joined(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _n(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else str(number)
