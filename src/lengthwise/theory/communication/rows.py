"""Counting rows of communication matrices: how many messages Alice must have at least.

M[x, y] is what has to be known after Alice's half x and Bob's half y. Two halves with equal rows
need no different messages, so one-way communication takes exactly ``log2(number of rows)`` bits.
Super-logarithmic growth excludes a task for every PERIODIC and LOCAL limit transformer (Huang et
al. 2025, Theorem 12); slower growth excludes nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.languages.words import Words, all_words

MOST_ENTRIES = 1 << 22
STEPS, FACTOR, TOLERANCE = 5, 1.5, 0.98
"""Growth is exponential if the last factors are at least this large, and from the third on do not
shrink: 2^n - 1 begins with larger factors, and a polynomial with such factors shrinks longer."""


@dataclass(frozen=True)
class OneWayProblem:
    """A language over an alphabet: ``decide`` maps a batch of whole words to Booleans."""

    name: str
    letters: tuple[str, ...]
    decide: Callable[[Words], np.ndarray]


def count_rows(problem: OneWayProblem, half: int) -> int:
    """Return the number of different rows for halves of one length.

    Example:
        >>> odd = OneWayProblem("odd", ("0", "1"), lambda words: words.tokens.sum(axis=1) % 2 == 1)
        >>> [count_rows(odd, half) for half in (1, 2, 3)]
        [2, 2, 2]
    """
    side = len(problem.letters) ** half
    if side * side > MOST_ENTRIES:
        raise InputError(
            f"halves of length {half} over {len(problem.letters)} letters make a matrix of "
            f"{side * side:,} entries; at most {MOST_ENTRIES:,} are counted."
        )
    matrix = np.asarray(problem.decide(all_words(problem.letters, 2 * half)))
    return len(np.unique(matrix.reshape(side, side), axis=0))


def feasible_halves(problem: OneWayProblem, longest: int) -> range:
    """Return the half lengths, up to ``longest``, whose matrix can be counted."""
    top = longest
    while top > 1 and len(problem.letters) ** (2 * top) > MOST_ENTRIES:
        top -= 1
    return range(1, top + 1)


def exponential(rows: Sequence[int]) -> bool:
    """Whether the last factors between row counts stay large and do not shrink.

    Example:
        >>> exponential([2, 4, 8, 16, 32, 64]), exponential([7, 15, 31, 63, 127, 255])
        (True, True)
        >>> from math import comb
        >>> exponential([comb(n + 25, 25) for n in range(1, 12)])
        False
    """
    if len(rows) < STEPS + 1:
        return False
    last = np.array(rows[-STEPS - 1 :], dtype=float)
    factors = last[1:] / last[:-1]
    steady = factors[2:] >= TOLERANCE * factors[1:-1]
    return bool((factors >= FACTOR).all() and steady.all())


@dataclass(frozen=True)
class Growth:
    """Row counts for growing first parts and what they suggest."""

    halves: tuple[int, ...]
    rows: tuple[int, ...]

    @property
    def bits(self) -> tuple[float, ...]:
        """One-way cost in bits."""
        return tuple(log2(rows) for rows in self.rows)

    @property
    def verdict(self) -> str:
        """``silent`` (constant), ``log`` or ``linear`` bits, judged from the counted lengths only.

        Rows that multiply by a factor that does not shrink, over several steps, take linear bits;
        rows that have stopped growing take constant bits, and the bound says nothing.
        """
        if exponential(self.rows):
            return "linear"
        late = self.rows[len(self.rows) // 2 :]
        early = self.rows[: len(self.rows) // 2] or self.rows[:1]
        return "silent" if max(late) <= max(early) else "log"


def growth(problem: OneWayProblem, longest: int = 6) -> Growth:
    """Count rows for halves of length 1 to ``longest`` (less when the matrix gets too large)."""
    halves = feasible_halves(problem, longest)
    return Growth(tuple(halves), tuple(count_rows(problem, half) for half in halves))
