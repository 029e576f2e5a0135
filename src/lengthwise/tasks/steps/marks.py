"""Marks beside symbols: by an index or a token of its own every symbol can be found again.

A model that has to know how far it got in its input would have to carry that much across every cut;
a mark that is repeated says it (index hints: Zhou et al. 2023; signposts: Kraus et al. 2026, of
which only the abstract could be read here). Marks run out: so many symbols, so long an input.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.crasp.embedding import Q, any_of, exists, never, prev, true
from lengthwise.crasp.syntax import Bool
from lengthwise.tasks.vocabulary import SEP

FEWEST, MOST = 2, 1_000
LARGEST = 40
"""Programs are not written for more marks: with signposts they grow with the square."""
INDEX, SIGNPOST = "#", "@"


def mark_names(kind: str, marks: int) -> tuple[str, ...]:
    """Return the symbols of the marks.

    Example:
        >>> mark_names("#", 2)
        ('#1', '#2')
    """
    return tuple(f"{kind}{number}" for number in range(1, marks + 1))


def check_marks(task: str, marks: int, names: Sequence[str], symbols: Sequence[str]) -> None:
    """Refuse too few or too many marks, and marks that are symbols of the task already."""
    if not FEWEST <= marks <= MOST:
        raise InputError(f"task {task!r}: marks={marks} is not in {FEWEST}..{MOST}.")
    clash = set(names) & set(symbols)
    if clash:
        raise InputError(f"task {task!r}: {min(clash)!r} is a symbol of the task and a mark.")


def draw_marks(
    rng: np.random.Generator, sizes: Int[np.ndarray, "b"], marks: int, *, order: bool
) -> Int[np.ndarray, "b n"]:
    """Draw the marks of each row: consecutive ones from a random start, or any distinct ones.

    The random start lets short inputs show every mark, and every mark's successor.
    """
    width = int(sizes.max(initial=0))
    if order:
        start = rng.integers(0, marks - sizes + 1)
        return np.minimum(start[:, None] + np.arange(width), marks - 1)
    every = np.tile(np.arange(marks), (len(sizes), 1))
    return rng.permuted(every, axis=1)[:, :width]


def first_mark(names: Sequence[str]) -> dict[str, Bool]:
    """Say which mark begins the text."""
    return {h: exists(Q[h] & ~prev(true)) for h in names}


def at_mark(names: Sequence[str], letter: str) -> Bool:
    """Say that the mark here stands before a letter somewhere: what is looked up by it."""
    return any_of(Q[h] & exists(Q[letter] & prev(Q[h])) for h in names)


def following_index(names: Sequence[str], back: int = 1) -> dict[str, Bool]:
    """Say which mark comes next behind that ``back`` symbols ago: the next index, if it occurs."""
    return {new: prev(Q[old], back) & exists(Q[new]) for old, new in pairwise(names)}


def following_signpost(names: Sequence[str], back: int = 1) -> dict[str, Bool]:
    """Say which mark stood behind the one ``back`` symbols ago, two symbols on."""
    return {
        new: any_of(prev(Q[old], back) & exists(Q[new] & prev(Q[old], 2)) for old in names)
        for new in names
    }


def preceding_signpost(names: Sequence[str]) -> dict[str, Bool]:
    """Say which mark stood before the last one in the input, two symbols earlier."""
    reading = never(Q[SEP])  # behind it marks stand in the other order
    return {
        new: any_of(prev(Q[old]) & exists(Q[old] & prev(Q[new], 2) & reading) for old in names)
        for new in names
    }
