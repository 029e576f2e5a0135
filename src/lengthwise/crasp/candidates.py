"""Bottom-up enumeration of expressions, one per distinct behaviour on a bank of words.

Expressions grow by size (``facts.size``: operations written out, with the bits of constants). Two
candidates with the same values on the whole bank are interchangeable there; only the first, hence
smallest, is kept, unless a later one nests fewer counts. A candidate of size s joins kept ones:

    size 1   "a"  true | 0  1                       leaves; 2 and 3 at size 2, pos % 2 == 0 at 4
    size s   !P                                     P of size s - 1
             P && Q,  P || Q                        sizes p + q = s - 1, p <= q
             #P;  #[i-1] P;  2 * x                  operand of size s - 1; s - 2; s - 3
             x + y,  x - y,  x < y, ...             sizes x + y = s - 1

Everything is vectorised over candidates: one operand is held fixed against the stacked signatures
of all partners. Booleans are packed bits, counts small integers, and behaviours are compared by
64-bit hashes; a solution is compared with the labels bit by bit, so a collision can hide a
candidate but never make a wrong one pass.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.bank import Bank
from lengthwise.crasp.facts import bits, own_size
from lengthwise.crasp.syntax import (
    Add,
    And,
    Compare,
    Constant,
    Counting,
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

Recipe = tuple[type[Expression], tuple[Any, ...], tuple[int, ...]]
"""How to build a candidate: the class of its node, the constants, and operand rows."""

CANDIDATE = 3.5e-6
"""Seconds for one candidate."""
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass
class Shelf:
    """Candidates of one type: their values and recipes, in the order found."""

    values: list[np.ndarray] = field(default_factory=list)
    recipes: list[Recipe] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    known: dict[int, int] = field(default_factory=dict)
    by_size: dict[int, list[int]] = field(default_factory=dict)

    def add(self, values: np.ndarray, recipes: list[Recipe], size: int, depths: list[int]) -> None:
        """Keep those candidates whose behaviour is new, or known only at greater depth."""
        for row, key in enumerate(_hash(values).tolist()):
            depth = depths[row]
            if self.known.get(key, depth + 1) > depth:
                self.known[key] = depth
                self.by_size.setdefault(size, []).append(len(self.recipes))
                self.values.append(values[row])
                self.recipes.append(recipes[row])
                self.sizes.append(size)
                self.depths.append(depth)

    def rows(self, size: int) -> list[int]:
        """Return the candidates of one size."""
        return self.by_size.get(size, [])

    def stack(self, rows: list[int]) -> np.ndarray:
        """Return the values of some candidates as one array."""
        return np.stack([self.values[row] for row in rows])


def _hash(values: np.ndarray) -> np.ndarray:
    """Hash each row of an integer array to 64 bits."""
    raw = np.ascontiguousarray(values).view(np.uint8)
    padding = -raw.shape[1] % 8
    if padding:
        raw = np.pad(raw, ((0, 0), (0, padding)))
    words = raw.view(np.uint64)
    salts = np.random.default_rng(12345).integers(1, 2**63, size=words.shape[1], dtype=np.uint64)
    mixed = (words ^ (words >> np.uint64(31))) * _MIX + salts
    mixed = (mixed ^ (mixed >> np.uint64(29))) * (salts | np.uint64(1))
    return (mixed ^ (mixed >> np.uint64(32))).sum(axis=1, dtype=np.uint64)


@dataclass(frozen=True)
class SearchSpace:
    """Which programs are looked for.

    ``depth`` bounds the nesting of counts, ``size`` the enumerated parts (``facts.size``; a
    solution may join two of them). ``constant`` is the largest number written, ``periods`` the
    moduli and ``window`` the farthest local offset that may be used; ``candidates`` the number of
    different behaviours that are kept.
    """

    depth: int = 3
    size: int = 11
    constant: int = 2
    periods: tuple[int, ...] = (2,)
    window: int = 1
    candidates: int = 400_000


class Candidates:
    """All behaviours up to a size, grown one size at a time by :meth:`grow`."""

    def __init__(self, bank: Bank, space: SearchSpace, limits: Limits) -> None:
        self.bank = bank
        self.space, self.limits = space, limits
        self.bools = Shelf()
        self.counts = Shelf()
        self.size = 0
        self.explored = 0

    def grow(self) -> list[int]:
        """Add everything of the next size; return the rows of its new Booleans."""
        self.size += 1
        self._leaves()
        self._negations()
        self._connectives()
        self._counts()
        self._sums()
        self._comparisons()
        return self.bools.rows(self.size)

    def expression(self, row: int, *, boolean: bool = True) -> Any:
        """Build the syntax tree of a candidate."""
        kind, constants, operands = (self.bools if boolean else self.counts).recipes[row]
        below = issubclass(kind, Not | And | Or | Counting)  # whose operands are Booleans
        args = [self.expression(operand, boolean=below) for operand in operands]
        return kind(*constants, *args)

    # --- each way to make an expression of the present size ---

    def _leaves(self) -> None:
        bank = self.bank
        made: list[tuple[np.ndarray, Recipe]] = [
            (bank.letter == code, (Symbol, (name,), ())) for code, name in enumerate(bank.letters)
        ]
        made.append((np.ones(bank.size, dtype=bool), (Constant, (True,), ())))
        made.append((np.zeros(bank.size, dtype=bool), (Constant, (False,), ())))
        for period in self.space.periods:
            for residue in range(period):
                value = bank.length % period == residue
                made.append((value, (Residue, (period, residue), ())))
        made = [item for item in made if own_size(*item[1][:2]) == self.size]
        if made:
            self._keep_bools(np.stack([v for v, _ in made]), [r for _, r in made], [0] * len(made))
        numbers = [k for k in range(self.space.constant + 1) if bits(k) == self.size]
        if numbers:
            values = np.repeat(np.array(numbers, dtype=np.int16)[:, None], bank.size, axis=1)
            self._keep_counts(values, [(Number, (k,), ()) for k in numbers], [0] * len(numbers))

    def _negations(self) -> None:
        rows = self.bools.rows(self.size - 1)
        if rows:
            values = ~self._unpacked(rows)
            depths = [self.bools.depths[row] for row in rows]
            self._keep_bools(values, [(Not, (), (row,)) for row in rows], depths)

    def _connectives(self) -> None:
        for left_size in range(1, (self.size - 1) // 2 + 1):
            left, right = self.bools.rows(left_size), self.bools.rows(self.size - 1 - left_size)
            if not left or not right:
                continue
            others = self.bools.stack(right)
            for row in list(left):
                self._check()
                depths = [max(self.bools.depths[row], self.bools.depths[r]) for r in right]
                for kind, join in ((And, np.bitwise_and), (Or, np.bitwise_or)):
                    recipes: list[Recipe] = [(kind, (), (row, other)) for other in right]
                    self._keep_packed(join(self.bools.values[row], others), recipes, depths)

    def _counts(self) -> None:
        for window in _windows(self.space.window):
            rows = self.bools.rows(self.size - own_size(LocalCount, (window,)))
            if rows:
                near = self.bank.near(self._unpacked(rows), window)
                recipes: list[Recipe] = [(LocalCount, (window,), (row,)) for row in rows]
                depths = [self.bools.depths[row] for row in rows]
                self._keep_counts(near, recipes, depths)
        below = self.bools.rows(self.size - 1)
        rows = [row for row in below if self.bools.depths[row] < self.space.depth]
        if rows:
            recipes = [(PrefixCount, (), (row,)) for row in rows]
            depths = [self.bools.depths[row] + 1 for row in rows]
            self._keep_counts(self.bank.running(self._unpacked(rows)), recipes, depths)

    def _unpacked(self, rows: list[int]) -> np.ndarray:
        return np.unpackbits(self.bools.stack(rows), axis=1, count=self.bank.size).view(bool)

    def _sums(self) -> None:
        """Sums and differences of a proper count and any count, and doubles."""
        for left_size in range(2, self.size - 1):
            left, right = self._proper(left_size), self._right(left_size)
            if not left or not right:
                continue
            others = self.counts.stack(right)
            for row in left:
                self._check()
                depths = [max(self.counts.depths[row], self.counts.depths[r]) for r in right]
                for kind, join in ((Add, np.add), (Subtract, np.subtract)):
                    recipes: list[Recipe] = [(kind, (), (row, other)) for other in right]
                    self._keep_counts(join(self.counts.values[row], others), recipes, depths)
        rows = self._proper(self.size - own_size(Scale, (2,)))
        if rows:
            depths = [self.counts.depths[row] for row in rows]
            recipes = [(Scale, (2,), (row,)) for row in rows]
            self._keep_counts(2 * self.counts.stack(rows), recipes, depths)

    def _proper(self, size: int) -> list[int]:
        return [row for row in self.counts.rows(size) if self.counts.recipes[row][0] is not Number]

    def _right(self, left_size: int, *, ordered: bool = False) -> list[int]:
        """Return the right operands beside a left one: numbers, and counts.

        Where the order does not matter, counts are joined with those that are not smaller.
        """
        rows = self.counts.rows(self.size - 1 - left_size)
        if not ordered or self.size - 1 - left_size >= left_size:
            return rows
        return [row for row in rows if self.counts.recipes[row][0] is Number]

    def _comparisons(self) -> None:
        for left_size in range(2, self.size - 1):
            left, right = self._proper(left_size), self._right(left_size, ordered=True)
            if not left or not right:
                continue
            others = self.counts.stack(right)
            for row in left:
                self._check()
                self._compare_all(row, right, others)

    def _compare_all(self, row: int, right: list[int], others: np.ndarray) -> None:
        value = self.counts.values[row]
        depths = [max(self.counts.depths[row], self.counts.depths[r]) for r in right]
        less, same = value < others, value == others
        for sign, values in (
            ("==", same),
            (">", ~(less | same)),
            ("<", less),
            (">=", ~less),
            ("<=", less | same),
            ("!=", ~same),
        ):
            recipes: list[Recipe] = [(Compare, (sign,), (row, other)) for other in right]
            self._keep_bools(values, recipes, depths)

    # --- keeping ---

    def _keep_bools(self, values: np.ndarray, recipes: list[Recipe], depths: list[int]) -> None:
        self._keep_packed(np.packbits(values, axis=1), recipes, depths)

    def _keep_packed(self, values: np.ndarray, recipes: list[Recipe], depths: list[int]) -> None:
        self._explored(len(recipes))
        self.bools.add(values, recipes, self.size, depths)

    def _keep_counts(self, values: np.ndarray, recipes: list[Recipe], depths: list[int]) -> None:
        self._explored(len(recipes))
        self.counts.add(values.astype(np.int16), recipes, self.size, depths)

    def _explored(self, candidates: int) -> None:
        self.explored += candidates
        self.limits.spend(CANDIDATE * candidates)

    def _check(self) -> None:
        kept = len(self.bools.recipes) + len(self.counts.recipes)
        self.limits.check("the enumeration of expressions")
        if kept > self.space.candidates:
            raise LimitReachedError(f"more than {self.space.candidates:,} distinct expressions")


def _windows(longest: int) -> list[tuple[int, ...]]:
    """Return the local windows tried: one earlier position, or all from there to here."""
    single = [(distance,) for distance in range(1, longest + 1)]
    return single + [tuple(range(distance + 1)) for distance in range(1, longest + 1)]
