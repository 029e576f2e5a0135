"""Whole programs some sizes beyond the parts that are kept.

Where every part up to a size is kept (:mod:`.every_program`), larger programs are made of kept
parts and of larger ones in turn, down one branch:

    "a" && (Booleans of size s - 2)    0 == #(Booleans of size s - 4)    ...

Nothing is built on what is looked at here, so it needs no form; nothing is joined either. Whether a
program agrees with a language on short words is found for whole blocks of them at once, which is
some hundred times faster than finding forms. Left out is only what equals a smaller program (a
negated comparison is another comparison) or the same one turned round.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.crasp.every_program import (
    EveryProgram,
    factors_of,
    numbers_of,
    residues_of,
    windows_of,
)
from lengthwise.crasp.facts import own_size
from lengthwise.crasp.syntax import (
    COMPARISONS,
    Add,
    And,
    Bool,
    Compare,
    Expression,
    LocalCount,
    Not,
    Number,
    Or,
    PrefixCount,
    Residue,
    Scale,
    Subtract,
)

MOST_WORDS = 160
"""About how many words larger parts are evaluated on at most."""
FIRST_WORDS = 16
"""Words on which all comparisons are tried first: their answers are the bits of one number."""
VALUE, BLOCK = 1.2e-9, 1.5e-5
"""Seconds for one value, and for a block whatever its size."""


class _Block(NamedTuple):
    """Expressions by their values on the first words (one row each), and how to build one."""

    values: np.ndarray
    build: Callable[[int], Any]


class WholePrograms:
    """The programs beyond the first ``kept`` sizes of an enumeration (default: all it has).

    Example:
        >>> every = EveryProgram("ab")
        >>> for _ in range(3):
        ...     _ = every.grow(Limits())
        >>> words, labels = every.bank.size, every.bank.running(every.bank.letter[None, :] == 1)[0]
        >>> whole = WholePrograms(every)
        >>> [str(p) for p in whole.agreeing(4, labels == 0, lambda: words, Limits())]
        ['0 == #"b"', '0 >= #"b"', '1 > #"b"']
    """

    def __init__(self, every: EveryProgram, kept: int | None = None) -> None:
        self._every, self._bank = every, every.bank
        self.kept = every.size if kept is None else kept
        self._tables: dict[tuple[bool, int], _Block] = {}
        self._limits = Limits(None)

    def agreeing(
        self, size: int, labels: np.ndarray, until: Callable[[], int], limits: Limits
    ) -> Iterator[Bool]:
        """Yield every program of a size that agrees with labels on the first words of the bank.

        ``until`` says how many these are; it may say more as the search goes on.
        """
        assert 1 <= self.kept < size <= 2 * self.kept + 2, "parts are missing"
        self._limits = limits
        most = max(
            (level.stop for level in self._bank.levels if level.stop <= MOST_WORDS), default=1
        )
        end = lambda: max(1, min(until(), most))  # noqa: E731
        yield from self._rooted(size, labels, end)
        flipped = map(Not, self._negatable(size - 1, ~labels, end))
        yield from flipped

    def _negatable(self, size: int, labels: np.ndarray, end: Callable[[], int]) -> Iterator[Bool]:
        """Yield what is no comparison: of these the negation may be new."""
        if size > self.kept:
            yield from self._positions(size, labels, end())
            yield from self._connectives(size, labels, end)
        else:
            n = end()
            yield from self._chosen(self._table(size, True), labels[:n])

    def _rooted(self, size: int, labels: np.ndarray, end: Callable[[], int]) -> Iterator[Bool]:
        yield from self._positions(size, labels, end())
        yield from self._connectives(size, labels, end)
        for left in range(1, (size - 1) // 2 + 1):
            n = end()
            ones = [(item.expression, item.values[:n]) for item in self._every.counts(left)]
            for block in self._counts(size - 1 - left, n):
                for one, values in ones:
                    for sign, k in self._signs(values, block.values, labels[:n]):
                        yield Compare(sign, one, block.build(k))

    def _chosen(self, block: _Block, labels: np.ndarray) -> Iterator[Any]:
        same = (block.values[:, : len(labels)] == labels).all(axis=1)
        yield from (block.build(int(k)) for k in np.flatnonzero(same))

    def _positions(self, size: int, labels: np.ndarray, end: int) -> Iterator[Bool]:
        for block in self._residues(size, end):
            yield from self._chosen(block, labels[:end])

    def _connectives(self, size: int, labels: np.ndarray, end: Callable[[], int]) -> Iterator[Bool]:
        """Yield conjunctions and disjunctions: both parts hold wherever the conjunction must."""
        for left in range(1, (size - 1) // 2 + 1):
            n = end()
            sides = [(And, labels[:n], False), (Or, ~labels[:n], True)]
            pools = [
                [
                    (item.expression, values)
                    for item in self._every.booleans(left)
                    if (values := item.values[:n] ^ turned)[wanted].all()
                ]
                for _, wanted, turned in sides
            ]
            if not any(pools):
                continue
            for block in self._bools(size - 1 - left, n):
                for (kind, wanted, turned), pool in zip(sides, pools, strict=True):
                    if not pool:
                        continue
                    right = np.flatnonzero((block.values[:, wanted] ^ turned).all(axis=1))
                    others = block.values[right] ^ turned
                    for one, values in pool:
                        same = (others & values == wanted).all(axis=1)
                        yield from (kind(one, block.build(int(k))) for k in right[same])

    def _signs(
        self, one: np.ndarray, others: np.ndarray, labels: np.ndarray
    ) -> Iterator[tuple[str, int]]:
        """Yield the comparisons of one count with others that agree with labels."""
        few = min(FIRST_WORDS, len(one))
        self._spend(len(others), 2 * few)
        more, same, wanted = (
            _bits(values)
            for values in (
                others[:, :few] > one[:few],
                others[:, :few] == one[:few],
                labels[None, :few],
            )
        )
        every = np.uint16(_bits(np.ones((1, few), dtype=bool))[0])
        answers = {
            "<": more,
            "<=": more | same,
            "==": same,
            "!=": every & ~same,
            ">=": every & ~more,
            ">": every & ~(more | same),
        }
        for sign, answer in answers.items():
            rows = np.flatnonzero(answer == wanted)
            if len(rows):
                right = (COMPARISONS[sign](one, others[rows]) == labels).all(axis=1)
                yield from ((sign, int(k)) for k in rows[right])

    # --- parts of a size, kept or made of smaller ones ---

    def _table(self, size: int, boolean: bool) -> _Block:
        key = boolean, size
        if key not in self._tables:
            every = self._every
            kept = every.booleans(size) if boolean else every.counts(size)
            empty = np.zeros((0, every.bank.size), dtype=bool if boolean else np.int32)
            values = np.stack([item.values for item in kept]) if kept else empty
            self._tables[key] = _Block(values, lambda k: kept[k].expression)
        return self._tables[key]

    def _bools(self, size: int, end: int) -> Iterator[_Block]:
        """Yield blocks with every Boolean of a size."""
        if size <= self.kept:
            table = self._table(size, True)
            yield _Block(table.values[:, :end], table.build)
            return
        yield from self._residues(size, end)
        yield from self._joined(size, end)
        for left in range(1, (size - 1) // 2 + 1):
            for block in self._counts(size - 1 - left, end):
                for item in self._every.counts(left):
                    for sign, compared in COMPARISONS.items():
                        values = compared(item.values[:end], block.values)
                        yield self._made(values, Compare, (sign, item.expression), block)
        below = self._bools(size - 1, end) if size - 1 <= self.kept else self._turned(size - 1, end)
        for block in below:
            yield self._made(~block.values, Not, (), block)

    def _turned(self, size: int, end: int) -> Iterator[_Block]:
        yield from self._residues(size, end)
        yield from self._joined(size, end)

    def _residues(self, size: int, end: int) -> Iterator[_Block]:
        pairs = list(residues_of(size)) if self._every.positions else []
        if pairs:
            length = self._bank.length[:end]
            values = np.stack([length % m == r for m, r in pairs])
            yield _Block(values, lambda k: Residue(*pairs[k]))

    def _joined(self, size: int, end: int) -> Iterator[_Block]:
        for left in range(1, (size - 1) // 2 + 1):
            for block in self._bools(size - 1 - left, end):
                for item in self._every.booleans(left):
                    one = item.values[:end]
                    for kind, values in ((And, block.values & one), (Or, block.values | one)):
                        yield self._made(values, kind, (item.expression,), block)

    def _counts(self, size: int, end: int) -> Iterator[_Block]:
        """Yield blocks with every count of a size."""
        if size <= self.kept:
            table = self._table(size, False)
            yield _Block(table.values[:, :end], table.build)
            return
        numbers = list(numbers_of(size))
        shape = len(numbers), end
        constants = np.broadcast_to(np.array(numbers, dtype=np.int32)[:, None], shape)
        yield _Block(constants, lambda k: Number(numbers[k]))
        for block in self._bools(size - 1, end):
            yield self._made(self._bank.running(block.values), PrefixCount, (), block)
        for left in range(1, (size - 1) // 2 + 1):
            for block in self._counts(size - 1 - left, end):
                for item in self._every.counts(left):
                    one, expression = item.values[:end], item.expression
                    yield self._made(one + block.values, Add, (expression,), block)
                    yield self._made(one - block.values, Subtract, (expression,), block)
                    yield self._made(block.values - one, _minus, (expression,), block)
        for below in range(2, size - 2):  # a multiple of a number is a number
            factors = [k for k in factors_of(size) if own_size(Scale, (k,)) + below == size]
            for block in self._counts(below, end) if factors else ():
                yield self._multiples(factors, block)
        if self._every.positions:
            for window in windows_of(size - 2):
                for block in self._bools(size - own_size(LocalCount, (window,)), end):
                    near = self._bank.near(block.values, window)
                    yield self._made(near, LocalCount, (window,), block)

    def _multiples(self, factors: list[int], block: _Block) -> _Block:
        rows, words = block.values.shape
        values = np.array(factors, dtype=np.int32)[:, None, None] * block.values
        self._spend(len(factors) * rows, words)
        return _Block(
            values.reshape(-1, words), lambda k: Scale(factors[k // rows], block.build(k % rows))
        )

    def _made(self, values: Any, kind: Callable[..., Expression], first: Any, last: _Block) -> Any:
        """Return the block of one operation, whose last operand is from another block."""
        self._spend(*values.shape)
        return _Block(values, lambda k: kind(*first, last.build(k)))

    def _spend(self, rows: int, words: int) -> None:
        self._limits.spend(BLOCK + VALUE * rows * words)
        self._limits.check("the enumeration of programs")


def _minus(one: Any, other: Any) -> Subtract:
    return Subtract(other, one)


def _bits(values: np.ndarray) -> np.ndarray:
    """Return rows of at most ``FIRST_WORDS`` Booleans as numbers."""
    packed = np.zeros((len(values), 2), dtype=np.uint8)
    found = np.packbits(values, axis=1)
    packed[:, : found.shape[1]] = found
    return packed.view(np.uint16)[:, 0]
