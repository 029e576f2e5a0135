"""Every program up to a size, one for each meaning that is not proved to be another's.

:mod:`.candidates` keeps one expression for each behaviour *on some words*: parts that agree there
may differ on longer words, and what could be built from the part that was dropped is never seen.
Here parts are only joined if their :mod:`.meanings` have one form, which proves that they agree on
all words. So for every program of the grammar there is one here that is not larger and accepts
the same words, as far as the enumeration has come:

    Booleans   "a"  true  false  !P  P && Q  P || Q   x < y  <=  ==  !=  >=  >
    counts     0  1  -1 ...  #P  x + y  x - y  k * x
    and with positions and windows   pos % m == r   #[i-d, ...] P   for all m, r and d

Conditionals, ``min`` and ``max`` are abbreviations and not in the grammar.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.bank import Bank, all_codes
from lengthwise.crasp.facts import bits, own_size
from lengthwise.crasp.machines import TooLargeError
from lengthwise.crasp.meanings import Meanings
from lengthwise.crasp.syntax import (
    COMPARISONS,
    Add,
    And,
    Compare,
    Constant,
    Expression,
    LocalCount,
    Not,
    Number,
    Or,
    PrefixCount,
    Residue,
    Scale,
    Subtract,
    Symbol,
)

BANK_WORDS = 600
"""About how many words each meaning is evaluated on."""
LONGEST = 64
"""Longest word among them."""
CANDIDATE = 4e-5
"""Seconds for the form of one expression."""


class Kept(NamedTuple):
    """An expression, the form of its meaning, and its values on the words of the bank."""

    expression: Any
    meaning: Any
    values: np.ndarray


Way = tuple[type[Expression], tuple[Any, ...], tuple[Kept, ...]]
"""How to make an expression: the class of its node, the constants, and kept operands."""


@dataclass
class _Shelf:
    """Kept expressions of one type by size; ``known`` holds the forms of all."""

    by_size: dict[int, list[Kept]] = field(default_factory=dict)
    known: set[Any] = field(default_factory=set)

    def at(self, size: int) -> list[Kept]:
        return self.by_size.get(size, [])


def bank_length(letters: int) -> int:
    """Return the length up to which all words make a bank of about ``BANK_WORDS``."""
    length, total = 1, letters
    while total + letters ** (length + 1) <= BANK_WORDS and length < LONGEST:
        length += 1
        total += letters**length
    return length


class EveryProgram:
    """Programs over some letters, grown one size at a time.

    ``size`` is the size up to which nothing is missing; ``costs`` says what work each size took.

    Example:
        >>> every = EveryProgram("ab")
        >>> [len(every.grow(Limits())) for _ in range(4)]
        [4, 0, 0, 14]
    """

    def __init__(self, letters: Sequence[str], *, positions: bool = False) -> None:
        self.letters, self.positions = tuple(letters), positions
        length = bank_length(len(self.letters))
        self.bank = Bank.build(self.letters, all_codes(len(self.letters), length))
        self.length, self.size = length, 0
        self.costs: list[float] = [0.0]
        self._meanings = Meanings(self.letters)
        self._bools, self._counts = _Shelf(), _Shelf()

    def booleans(self, size: int) -> list[Kept]:
        """Return the Booleans of a size that was grown."""
        return self._bools.at(size)

    def counts(self, size: int) -> list[Kept]:
        """Return the counts of a size that was grown."""
        return self._counts.at(size)

    def grow(self, limits: Limits) -> list[Kept]:
        """Add everything of the next size and return its Booleans.

        Where the time is over, ``LimitReachedError`` is raised and nothing of that size is kept;
        nor is it after an alarm.
        """
        size, self._made = self.size + 1, 0
        shelves = (self._counts, self._counts_of(size)), (self._bools, self._bools_of(size))
        try:
            for shelf, made in shelves:
                self._fill(shelf, made, size, limits)
        except BaseException:  # an alarm too
            for shelf, _ in shelves:
                for kept in shelf.by_size.pop(size, ()):
                    shelf.known.discard(kept.meaning)
            raise
        self.size = size
        self.costs.append(CANDIDATE * self._made)
        return self._bools.at(size)

    def _fill(self, shelf: _Shelf, made: Iterator[Way], size: int, limits: Limits) -> None:
        """Keep what has a new form; values are computed for these alone."""
        kept = shelf.by_size.setdefault(size, [])
        try:
            for number, (kind, constants, operands) in enumerate(made):
                if not number % 64:
                    limits.check("the enumeration of programs")
                    limits.spend(64 * CANDIDATE)
                    self._made += 64
                forms = [item.meaning for item in operands]
                meaning = self._meanings.form(kind, constants, forms)
                if meaning in shelf.known:
                    continue
                shelf.known.add(meaning)
                expression = kind(*constants, *(item.expression for item in operands))
                values = self._values(kind, constants, [item.values for item in operands])
                kept.append(Kept(expression, meaning, values))
        except TooLargeError:
            raise LimitReachedError("a part of a program has too many states") from None

    # --- each way to make an expression of a size: class, constants, operands ---

    def _bools_of(self, size: int) -> Iterator[Way]:
        if size == 1:
            yield from ((Symbol, (name,), ()) for name in self.letters)
            yield from ((Constant, (value,), ()) for value in (True, False))
        if self.positions:
            yield from ((Residue, pair, ()) for pair in residues_of(size))
        yield from ((Not, (), (one,)) for one in self._bools.at(size - 1))
        for pair in _pairs(self._bools, size - 1):
            yield And, (), pair
            yield Or, (), pair
        for pair in _pairs(self._counts, size - 1):
            yield from ((Compare, (sign,), pair) for sign in COMPARISONS)

    def _counts_of(self, size: int) -> Iterator[Way]:
        yield from ((Number, (value,), ()) for value in numbers_of(size))
        yield from ((PrefixCount, (), (one,)) for one in self._bools.at(size - 1))
        for pair in _pairs(self._counts, size - 1):
            yield Add, (), pair
            yield Subtract, (), pair
            yield Subtract, (), pair[::-1]
        for factor in factors_of(size):
            below = self._counts.at(size - own_size(Scale, (factor,)))
            yield from ((Scale, (factor,), (one,)) for one in below)
        for window in windows_of(size - 2) if self.positions else ():
            below = self._bools.at(size - own_size(LocalCount, (window,)))
            yield from ((LocalCount, (window,), (one,)) for one in below)

    def _values(self, kind: type[Expression], constants: Any, args: list[np.ndarray]) -> Any:
        """Evaluate one operation on the bank, independently of its form."""
        bank = self.bank
        if kind is Symbol:
            return bank.letter == self.letters.index(constants[0])
        if kind is Constant:
            return np.full(bank.size, constants[0], dtype=bool)
        if kind is Residue:
            return bank.length % constants[0] == constants[1]
        if kind is Number:
            return np.full(bank.size, constants[0], dtype=np.int32)
        if kind is Compare:
            return COMPARISONS[constants[0]](*args)
        if kind is PrefixCount:
            return bank.running(args[0][None, :])[0].astype(np.int32)
        if kind is LocalCount:
            return bank.near(args[0][None, :], constants[0])[0].astype(np.int32)
        if kind is Scale:
            return constants[0] * args[0]
        return _POINTWISE[kind](*args)


_POINTWISE: dict[type[Expression], Any] = {
    Not: np.logical_not,
    And: np.logical_and,
    Or: np.logical_or,
    Add: np.add,
    Subtract: np.subtract,
}


def _pairs(shelf: _Shelf, total: int) -> Iterator[tuple[Kept, Kept]]:
    """Yield unordered pairs of two sizes that add up, the smaller first."""
    for size in range(1, total // 2 + 1):
        left, right = shelf.at(size), shelf.at(total - size)
        if left is right:
            yield from ((one, two) for k, one in enumerate(left) for two in left[k:])
        else:
            yield from ((one, two) for one in left for two in right)


def numbers_of(size: int) -> Iterator[int]:
    """Yield the numbers of a size, as they are written.

    Example:
        >>> list(numbers_of(1)), list(numbers_of(2)), list(numbers_of(3))
        ([0, 1], [2, 3, -1], [4, 5, 6, 7, -2, -3])
    """
    yield from (k for k in range(0 if size == 1 else 1 << (size - 1), 1 << size))
    if size > 1:
        yield from (-k for k in range(1 << (size - 2), 1 << (size - 1)))


def factors_of(size: int) -> Iterator[int]:
    """Yield the factors that a multiple of a size may have."""
    yield from (k for width in range(2, size) for k in numbers_of(width) if abs(k) > 1)


def residues_of(size: int) -> Iterator[tuple[int, int]]:
    """Yield the moduli and residues that make a predicate of a size.

    Example:
        >>> list(residues_of(4)), len(list(residues_of(5)))
        ([(2, 0), (2, 1), (3, 0), (3, 1)], 9)
    """
    for width in range(2, size):
        for modulus in range(1 << (width - 1), 1 << width):
            for residue in range(modulus):
                if own_size(Residue, (modulus, residue)) == size:
                    yield modulus, residue


def windows_of(cost: int) -> Iterator[tuple[int, ...]]:
    """Yield the sets of distances whose bits add up to at most a cost, each once.

    Example:
        >>> list(windows_of(2))
        [(0,), (0, 1), (1,), (2,), (3,)]
    """

    def beyond(least: int, left: int) -> Iterator[tuple[int, ...]]:
        for distance in range(least, 1 << left if left else 0):
            yield (distance,)
            for more in beyond(distance + 1, left - bits(distance)):
                yield (distance, *more)

    yield from beyond(0, max(0, cost))
