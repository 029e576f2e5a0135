"""Whole programs one and two sizes beyond the parts that are kept.

A program of size s that is no negation is made of parts of at most s - 2. So where every part up to
a size is kept (:mod:`.every_program`), every program up to two sizes more can be looked at; nothing
is built on it, so it needs no form, and whether it agrees with a language on short words is found
for whole rows of the table at once:

    "a" && (all Booleans of size s - 2)    #"a" < (all counts of size s - 3)    ...
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.crasp.every_program import COMPARED, EveryProgram, Kept, residues_of
from lengthwise.crasp.syntax import And, Bool, Compare, Not, Or, Residue


class _Row(NamedTuple):
    """Programs that differ in their last part: their values on the first words, and one of them."""

    values: Callable[[int], np.ndarray]
    build: Callable[[int], Bool]


class _Table(NamedTuple):
    kept: list[Kept]
    values: np.ndarray


class WholePrograms:
    """The programs one and two sizes beyond an enumeration.

    Example:
        >>> every = EveryProgram("ab")
        >>> for _ in range(3):
        ...     _ = every.grow(Limits())
        >>> words, labels = every.bank.size, every.bank.letter == 0
        >>> found = WholePrograms(every).agreeing(4, labels, lambda: words, Limits())
        >>> [str(program) for program in found]
        []
    """

    def __init__(self, every: EveryProgram) -> None:
        self._every = every
        self._tables: dict[tuple[bool, int], _Table] = {}

    def agreeing(
        self, size: int, labels: np.ndarray, until: Callable[[], int], limits: Limits
    ) -> Iterator[Bool]:
        """Yield every program of a size that agrees with labels on the first words of the bank.

        ``until`` says how many these are; it may say more as the search goes on.
        """
        assert 1 <= self._every.size < size <= self._every.size + 2, "parts are missing"
        for number, row in enumerate(self._rows(size)):
            if not number % 16:
                limits.check("the enumeration of programs")
            end = until()
            same = (row.values(end) == labels[:end]).all(axis=1)
            for index in np.flatnonzero(same):
                yield row.build(int(index))

    def _rows(self, size: int) -> Iterator[_Row]:
        yield from self._positions(size, negated=False)
        yield from self._connectives(size, negated=False)
        yield from self._comparisons(size)
        if size == self._every.size + 1:
            table = self._table(size - 1, boolean=True)
            yield _Row(lambda end: ~table.values[:, :end], lambda k: Not(table.kept[k].expression))
        else:  # of what is not kept, a negated comparison is a comparison and no negation is needed
            yield from self._positions(size - 1, negated=True)
            yield from self._connectives(size - 1, negated=True)

    def _positions(self, size: int, *, negated: bool) -> Iterator[_Row]:
        pairs = list(residues_of(size)) if self._every.positions else []
        if pairs:
            length = self._every.bank.length
            values = np.stack([length % m == r for m, r in pairs]) ^ negated
            yield _Row(lambda end: values[:, :end], lambda k: _signed(Residue(*pairs[k]), negated))

    def _connectives(self, size: int, *, negated: bool) -> Iterator[_Row]:
        for left in range(1, (size - 1) // 2 + 1):
            table = self._table(size - 1 - left, boolean=True)
            for one in self._every.booleans(left):
                for kind, join in ((And, np.logical_and), (Or, np.logical_or)):
                    yield _joined(kind, (), join, one, table, negated)

    def _comparisons(self, size: int) -> Iterator[_Row]:
        for left in range(1, (size - 1) // 2 + 1):
            table = self._table(size - 1 - left, boolean=False)
            for one in self._every.counts(left):
                for sign, join in COMPARED.items():
                    yield _joined(Compare, (sign,), join, one, table, negated=False)

    def _table(self, size: int, *, boolean: bool) -> _Table:
        key = boolean, size
        if key not in self._tables:
            every = self._every
            kept = every.booleans(size) if boolean else every.counts(size)
            empty = np.zeros((0, every.bank.size), dtype=bool if boolean else np.int32)
            values = np.stack([item.values for item in kept]) if kept else empty
            self._tables[key] = _Table(kept, values)
        return self._tables[key]


def _joined(kind: Any, constants: Any, join: Any, one: Kept, table: _Table, negated: bool) -> _Row:
    return _Row(
        lambda end: join(one.values[:end], table.values[:, :end]) ^ negated,
        lambda k: _signed(kind(*constants, one.expression, table.kept[k].expression), negated),
    )


def _signed(program: Bool, negated: bool) -> Bool:
    return Not(program) if negated else program
