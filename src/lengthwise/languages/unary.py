"""Sequences of answers: do they become periodic, and do their last changes grow like a line?"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

CHANGES = 4
"""Changes in the last third without a period: then the sequence is called irregular."""
STEPS = 8
"""Steps that must grow, one more than the other, before growth is called more than linear."""


def period_of(answers: Sequence[bool] | Sequence[int]) -> tuple[int, int] | None:
    """Return the least period, and the least start from which it holds, within a third each.

    Example:
        >>> period_of([True, True, *[False, True, False] * 20])
        (3, 2)
        >>> period_of([round(n**0.5) ** 2 == n for n in range(100)]) is None
        True
    """
    found, size = np.asarray(answers), len(answers)
    for period in range(1, size // 3 + 1):
        wrong = np.flatnonzero(found[period:] != found[:-period])
        start = int(wrong[-1]) + 1 if len(wrong) else 0
        if start <= size // 3:
            return period, start
    return None


def irregular(answers: Sequence[bool]) -> bool:
    """Whether a long sequence goes on changing and has no period.

    Either it changes several times in its last third, or the gaps between members grow with every
    member, as they do for powers of two.

    Example:
        >>> irregular([n & (n - 1) == 0 for n in range(1, 600)])
        True
        >>> irregular([n < 500 for n in range(600)]), irregular([n % 7 == 1 for n in range(600)])
        (False, False)
    """
    if period_of(answers) is not None and len(set(answers[len(answers) // 3 :])) > 1:
        return False
    changes = np.flatnonzero(np.diff(np.array(answers, dtype=np.int8)))
    if (changes > 2 * len(answers) // 3).sum() >= CHANGES:
        return True
    gaps = np.diff(np.flatnonzero(answers))
    grow = len(gaps) > STEPS and bool((np.diff(gaps[-STEPS - 1 :]) > 0).all())
    return grow and int(gaps[-1]) > len(answers) // 4


def convex(values: Sequence[int]) -> bool:
    """Whether steps grow with every step, which those of a line or of rounded lines do not.

    Example:
        >>> convex([n * n for n in range(12)]), convex([3 * n // 2 for n in range(12)])
        (True, False)
    """
    steps = [b - a for a, b in pairwise(values)]
    return len(steps) > STEPS and all(a < b for a, b in pairwise(steps))


def uneven(values: Sequence[int]) -> bool:
    """Whether the steps of a sequence go on changing without a period.

    The steps of a line with a rational slope, rounded, have one, whatever it is divided by.

    Example:
        >>> uneven([round(n * 2**0.5) for n in range(400)])
        True
        >>> uneven([17 * n // 12 for n in range(400)]), uneven([max(n, 300) for n in range(400)])
        (False, False)
    """
    steps = [b - a for a, b in pairwise(values)]
    last = steps[2 * len(steps) // 3 :]
    return sum(a != b for a, b in pairwise(last)) >= CHANGES and period_of(steps) is None
