"""What came out, in the first sentences of a page: counted, never typed."""

import re
from collections.abc import Iterable, Sequence

from lengthwise.records.outcomes import LINE, agreement
from lengthwise.report.curve_parts import by_panel
from lengthwise.report.curves import Curve, best
from lengthwise.report.predicted import Verdicts
from lengthwise.report.spelled import joined

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NEAR = 0.05
"""A curve is at chance if its whole interval ends below chance and this much: wide ones do not."""
MOST_TASKS = 4
"""Tasks that get a sentence each; of more, only counts are said."""


def lead(drawn: Sequence[Curve], found: Verdicts) -> str:
    """Say which predictions were right, and how far each task carried."""
    shown = [curve for curve in best(drawn) if len(curve.bins) > 1]
    groups = list(by_panel(shown).values())
    tasks = [text for members in groups for text in _of_task(members)]
    if len(groups) > MOST_TASKS:
        tasks = [*_counted(shown)]
    return " ".join([*_predictions(shown, found), *tasks])


def _predictions(shown: Sequence[Curve], found: Verdicts) -> Iterable[str]:
    answers = [found.get(c.task, {}).get(c.encoding, {}).get("answer", "") for c in shown]
    pairs = [(c, a) for c, a in zip(shown, answers, strict=True) if a in ("yes", "no")]
    said = [(c, agreement(a, c.outcome)) for c, a in pairs]
    right, wrong = (sum(agrees is wanted for _, agrees in said) for wanted in (True, False))
    tested = right + wrong
    if not said:
        return
    if right == len(said):
        one = "The prediction was right."
        yield one if right == 1 else f"All {number(right)} predictions were right."
        return
    if tested:
        names = joined([f"{c.task} with {c.encoding}" for c, agrees in said if agrees is False])
        failed = f"; not for {names}" if 0 < wrong <= MOST_TASKS else ""
        were = "was" if right == 1 else "were"
        of = f"{number(right).capitalize()} of {number(tested)}"
        yield f"{of} predictions {were} right{failed}."
    if tested < len(said):
        yield (
            f"{number(len(said) - tested).capitalize()} inconclusive: the models did not fit their "
            "training lengths."
        )


def _counted(shown: Sequence[Curve]) -> Iterable[str]:
    """Count the outcomes of many tasks."""
    by = {name: sum(c.outcome == name for c in shown) for name in dict.fromkeys(_OUTCOMES)}
    yield f"{by['holds']} of {len(shown)} curves stay above {LINE:.0%} at the longest lengths."
    rest = [f"{many} {_OUTCOMES[name]}" for name, many in by.items() if many and name != "holds"]
    if rest:
        yield f"Of the others {joined(rest)}."


_OUTCOMES = {
    "holds": "",
    "fails": "fall",
    "mixed": "differ by the seed",
    "not fitted": "did not learn their training lengths",
}


def _of_task(members: Sequence[Curve]) -> Iterable[str]:
    """Say of one task with which encodings it carries, where it falls, and what was not learned."""
    by: dict[str, list[Curve]] = {}
    for curve in members:
        by.setdefault(curve.outcome, []).append(curve)
    name = _named(members[0].task)
    if kept := by.get("holds"):
        times = kept[0].bins[-1].high / kept[0].trained_to
        yield f"{name} carries to {_times(times)} the training length {_with(kept, members)}."
    if lost := by.get("fails"):
        yield f"{name} {_falls(lost, members)}."
    if mixed := by.get("mixed"):
        yield f"{name} carries with some seeds and falls with others, {_with(mixed, members)}."
    if unlearned := by.get("not fitted"):
        yield (
            f"{name} was not learned {_with(unlearned, members)}: accuracy at its training lengths "
            "stayed too low to say anything about longer ones."
        )


def _falls(lost: Sequence[Curve], members: Sequence[Curve]) -> str:
    """Say how low curves fall, beside what guessing gives where it is worth saying."""
    shares = joined([f"{curve.bins[-1].accuracy:.0%} with {curve.encoding}" for curve in lost])
    where = f"at lengths {lost[0].bins[-1].low}\N{EN DASH}{lost[0].bins[-1].high}"
    guess = lost[0].chance[-1] if lost[0].chance else None
    if guess is None or guess.accuracy < 0.05:
        return f"falls to {shares} {where}"
    if all(curve.bins[-1].interval[1] <= guess.interval[1] + NEAR for curve in lost):
        return f"falls to chance {_with(lost, members)} ({shares} {where})"
    return f"falls to {shares} {where}, where guessing gives {guess.accuracy:.0%}"


def _with(some: Sequence[Curve], members: Sequence[Curve]) -> str:
    every = len(some) == len(members) > 1
    if every:
        return (
            "with both encodings" if len(some) == 2 else f"with all {number(len(some))} encodings"
        )
    return f"with {joined([curve.encoding for curve in some])}"


def _times(ratio: float) -> str:
    if ratio == 2:
        return "twice"
    if ratio == int(ratio):
        return f"{number(int(ratio))} times"
    return f"{ratio:.2g} times"


def _named(task: str) -> str:
    """Begin a sentence with a task's name, if it is a word."""
    return task[0].upper() + task[1:] if re.fullmatch(r"[a-z][a-z0-9-]*", task) else task


def number(many: int) -> str:
    """Return a small number as a word.

    Example:
        >>> number(3), number(30)
        ('three', '30')
    """
    return NUMBERS[many] if many < len(NUMBERS) else str(many)
