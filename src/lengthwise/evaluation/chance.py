"""How often guessing is right: the line below which a curve has nothing to say."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE

DRAWN = 1000
"""Instances of a range of lengths."""


def chance(
    task: Task, trained: tuple[int, int], ranges: Sequence[tuple[int, int]]
) -> tuple[AccuracyByLength | None, ...]:
    """Score one fixed answer: the commonest at the training lengths, given to every input.

    It is chosen on other instances than those it is scored on. None stands for a range of which
    there are no instances.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> (found,) = chance(load_task("parity"), (1, 10), [(21, 30)])
        >>> found is not None and 0.45 < found.accuracy < 0.55
        True
    """
    rng = np.random.default_rng(0)
    answers = _answers(task, rng, trained)
    if not answers:
        return (None,) * len(ranges)
    guess, _ = Counter(answer for _, answer in answers).most_common(1)[0]
    return tuple(_score(_answers(task, rng, bin_), guess, bin_) for bin_ in ranges)


def _answers(
    task: Task, rng: np.random.Generator, bin_: tuple[int, int]
) -> list[tuple[int, tuple[int, ...]]]:
    """Draw instances, each as its length and everything that is asked of it."""
    try:
        batch = task.draw(rng, *bin_, DRAWN)
    except InputError:  # no such lengths
        return []
    rows = (tuple(row[row != IGNORE].tolist()) for row in batch.targets)
    return list(zip(batch.length.tolist(), rows, strict=True))


def _score(
    answers: Sequence[tuple[int, tuple[int, ...]]], guess: tuple[int, ...], bin_: tuple[int, int]
) -> AccuracyByLength | None:
    if not answers:
        return None
    total = Counter(length for length, _ in answers)
    right = Counter(length for length, answer in answers if answer == guess)
    correct = {length: right[length] for length in total}
    return AccuracyByLength(low=bin_[0], high=bin_[1], correct=correct, total=dict(total))
