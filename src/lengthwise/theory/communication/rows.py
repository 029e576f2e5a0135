"""Counting rows of communication matrices: how many messages Alice must have at least.

M[x, y] is what has to be known after Alice's half x and Bob's half y. Two halves with equal rows
need no different messages, so one-way communication takes exactly ``log2(number of rows)`` bits.
Super-logarithmic growth excludes a task for every PERIODIC and LOCAL limit transformer (Huang et
al. 2025, Theorem 12); slower growth excludes nothing.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import product
from math import log2

import numpy as np

from lengthwise.core.errors import InputError, unknown
from lengthwise.crasp.program import Program
from lengthwise.languages.words import Words, all_words

MOST_ENTRIES = 1 << 22
Half = tuple[str, ...]


@dataclass(frozen=True)
class OneWayProblem:
    """What is to be known from two halves over an alphabet.

    ``decide`` maps a batch of whole words to Booleans; or ``output`` maps two halves to anything.
    """

    name: str
    letters: tuple[str, ...]
    decide: Callable[[Words], np.ndarray] | None = None
    output: Callable[[Half, Half], Hashable] | None = None


def count_rows(problem: OneWayProblem, half: int) -> int:
    """Return the number of different rows for halves of one length.

    Example:
        >>> [count_rows(find_problem("parity"), half) for half in (1, 2, 3)]
        [2, 2, 2]
    """
    side = len(problem.letters) ** half
    if side * side > MOST_ENTRIES:
        raise InputError(
            f"halves of length {half} over {len(problem.letters)} letters make a matrix of "
            f"{side * side:,} entries; at most {MOST_ENTRIES:,} are counted."
        )
    if problem.decide is not None:
        matrix = np.asarray(problem.decide(all_words(problem.letters, 2 * half)))
        return len(np.unique(matrix.reshape(side, side), axis=0))
    assert problem.output is not None
    halves = list(product(problem.letters, repeat=half))
    return len({tuple(problem.output(x, y) for y in halves) for x in halves})


def feasible_halves(problem: OneWayProblem, longest: int) -> range:
    """Return the half lengths, up to ``longest``, whose matrix can be counted."""
    top = longest
    while top > 1 and len(problem.letters) ** (2 * top) > MOST_ENTRIES:
        top -= 1
    return range(1, top + 1)


@dataclass(frozen=True)
class Growth:
    """Row counts for growing halves and what they suggest."""

    halves: tuple[int, ...]
    rows: tuple[int, ...]

    @property
    def bits(self) -> tuple[float, ...]:
        """One-way cost in bits."""
        return tuple(log2(rows) for rows in self.rows)

    @property
    def verdict(self) -> str:
        """``silent`` (constant), ``log`` or ``linear`` bits, judged from the counted lengths only.

        Rows that double (or nearly) at every step take linear bits; rows that have stopped
        growing take constant bits, and the bound says nothing.
        """
        late = self.rows[len(self.rows) // 2 :]
        early = self.rows[: len(self.rows) // 2] or self.rows[:1]
        ratios = [after / before for before, after in zip(self.rows, self.rows[1:], strict=False)]
        if ratios and min(ratios[-3:]) >= 1.5 and self.rows[-1] > 4:
            return "linear"
        return "silent" if max(late) <= max(early) else "log"


def growth(problem: OneWayProblem, longest: int = 6) -> Growth:
    """Count rows for halves of length 1 to ``longest`` (less when the matrix gets too large)."""
    halves = feasible_halves(problem, longest)
    return Growth(tuple(halves), tuple(count_rows(problem, half) for half in halves))


def _majority_answer(x: Half, y: Half) -> Hashable:
    ones = (x + y).count("1")
    zeros = len(x + y) - ones
    return "1" if ones > zeros else "0" if zeros > ones else "tie"


def _add(x: Half, y: Half) -> Hashable:
    return int("".join(x), 2) + int("".join(y), 2)


def _mode(x: Half, y: Half) -> Hashable:
    counts = sorted(((x + y).count(letter), letter) for letter in set(x + y))
    return counts[-1][1] if len(counts) == 1 or counts[-1][0] > counts[-2][0] else "tie"


BITS = ("0", "1")
PROBLEMS: dict[str, OneWayProblem] = {
    problem.name: problem
    for problem in (
        OneWayProblem("square", BITS, output=lambda x, y: x == y),
        OneWayProblem("palindrome", BITS, output=lambda x, y: x == y[::-1]),
        OneWayProblem("parity", BITS, output=lambda x, y: (x + y).count("1") % 2),
        OneWayProblem("repeat-copy", BITS, output=lambda x, y: x),
        OneWayProblem("addition", BITS, output=_add),
        OneWayProblem("binary-majority", BITS, output=_majority_answer),
        OneWayProblem("mode", ("a", "b", "c"), output=_mode),
        OneWayProblem("sort", BITS, output=lambda x, y: tuple(sorted(x + y))),
    )
}
"""Problems whose answer is not membership in a language; tasks of these names mean them."""


def find_program(name: str, parameters: str = "") -> Program | None:
    """Return the program that a name means, None when it means a problem or a task."""
    from lengthwise.crasp.library import find, names

    base = name.partition("(")[0]
    known = name.endswith(".cr") or base in names() or base.startswith("d-")
    return find(name, parameters) if known else None


def find_problem(name: str, parameters: str = "") -> OneWayProblem:
    """Return a problem by name: one of ``PROBLEMS``, a program, or a task about a language."""
    from lengthwise.crasp.interpreter import accepts
    from lengthwise.crasp.library import names
    from lengthwise.crasp.targets import from_task, is_task

    program = find_program(name, parameters)
    if program is not None:
        if program.is_generator:
            raise InputError(f"{name!r} writes symbols; rows are counted for recognisers.")
        letters = program.all_letters()
        return OneWayProblem(name, letters, lambda words: np.asarray(accepts(program, words)))
    if name in PROBLEMS:
        return PROBLEMS[name]
    if is_task(name):
        target = from_task(name)
        return OneWayProblem(name, target.letters, target.decide)
    raise unknown("program, problem or task about a language", name, [*PROBLEMS, *names()])
