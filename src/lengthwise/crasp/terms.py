"""What a program can measure on words: counts, and how far sums of counts went on the way.

A *term* is a count ``#P``; a *form* a small integer combination of terms. Of every form three
numbers are kept for each word of a bank: its value at the end, and its lowest and highest value at
any position so far, or at those with one letter:

    word      ( ( ) ) )        form  #"(" - #")"
    value     1 2 1 0 -1       end -1, lowest -1, highest 2

A threshold on the first is a comparison, one on the others counts the positions that break it:
``lowest >= 0`` is ``#(#"(" - #")" < 0) == 0``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations, product
from math import gcd
from typing import Literal

import numpy as np

from lengthwise.crasp.bank import Bank
from lengthwise.crasp.embedding import Q, count, exists, prev, true
from lengthwise.crasp.syntax import (
    OPPOSITE,
    SWAPPED,
    Bool,
    Compare,
    Count,
    Not,
    Number,
    Residue,
    Scale,
)

Place = Literal["end", "lowest", "highest", "here"]
STRICT = {("<=", -1): "<", (">=", 1): ">", ("<", 1): "<=", (">", -1): ">="}
"""Comparisons of whole numbers with one that read better with zero."""
Form = tuple[tuple[int, int], ...]
"""Pairs of a coefficient and the number of a term."""

ABSENT = 20_000
"""The lowest value where there is no such position; the highest is its negative."""
MOST_ROWS = 6_000
AT_ONCE = 64
"""Forms that are computed together."""
SMALL = {1: (1,), 2: (1, 6), 3: (1, 3, 2), 4: (1, 2, 1, 1)}
LARGE = {1: (1,), 2: (1, 12), 3: (1, 7, 5), 4: (1, 5, 3, 2)}
"""Number of letters -> largest factors in forms of one, two, ... of them."""
FEW = 16
"""Up to so many terms, forms of three are made of them, and extremes."""
PERIODS = (2, 3, 4)


@dataclass(frozen=True)
class CountTerm:
    """A count ``#P`` with its values on the bank; ``cost`` is what naming P costs."""

    where: Bool
    values: np.ndarray
    cost: float


@dataclass(frozen=True)
class Quantity:
    """A row of numbers: a form at a place; ``here`` is a Boolean of the last position."""

    place: Place
    form: tuple[tuple[int, Bool], ...]
    guard: Bool | None
    cost: float

    def test(self, sign: str, threshold: int) -> Bool:
        """Write ``measure sign threshold`` as a program does, with sign ``<=``, ``>=`` or ``==``.

        Example:
            >>> Quantity("lowest", ((1, Q["a"]), (-1, Q["b"])), None, 1.0).test(">=", 0)
            #(#"a" < #"b") == 0
        """
        if self.place == "here":
            here = self.form[0][1]
            return here if sign == ">=" else Not(here)
        if self.place == "end":
            return compare(self.form, sign, threshold)
        exists_ = (self.place == "lowest") == (sign == "<=")
        inner = compare(self.form, sign if exists_ else OPPOSITE[sign], threshold)
        counted = count(inner if self.guard is None else self.guard & inner)
        return counted >= 1 if exists_ else counted == 0


def compare(form: Sequence[tuple[int, Bool]], sign: str, threshold: int) -> Bool:
    """Compare a form with a number, without negative coefficients.

    Example:
        >>> compare([(2, Q["a"]), (-3, Q["b"])], "<=", -1)
        2 * #"a" < 3 * #"b"
        >>> compare([(1, Q["a"]), (-1, Q["b"])], ">=", -2)
        #"a" + 2 >= #"b"
    """
    if all(factor < 0 for factor, _ in form):  # then the numbers stand on the other side
        return compare([(-f, p) for f, p in form], SWAPPED[sign], -threshold)
    if any(factor < 0 for factor, _ in form) and (sign, threshold) in STRICT:
        sign, threshold = STRICT[sign, threshold], 0
    left = _sum(((f, p) for f, p in form if f > 0), max(0, -threshold))
    right = _sum(((-f, p) for f, p in form if f < 0), max(0, threshold))
    return Compare(sign, left, right)


def _sum(parts: Iterable[tuple[int, Bool]], constant: int) -> Count:
    terms: list[Count] = [count(p) if f == 1 else Scale(f, count(p)) for f, p in parts]
    if constant or not terms:
        terms.append(Number(constant))
    return reduce(lambda x, y: x + y, terms)


@dataclass
class Quantities:
    """Rows of numbers on a bank, without repetitions, and what each of them is."""

    bank: Bank
    rows: list[np.ndarray] = field(default_factory=list)
    made: list[Quantity] = field(default_factory=list)
    _seen: set[bytes] = field(default_factory=set)

    def add(self, values: np.ndarray, measure: Quantity) -> None:
        """Keep a row unless an earlier one has the same values."""
        values = values.astype(np.int16)
        key = values.tobytes()
        if key not in self._seen and len(self.rows) < MOST_ROWS:
            self._seen.add(key)
            self.rows.append(values)
            self.made.append(measure)

    def add_forms(
        self,
        terms: Sequence[CountTerm],
        forms: Iterable[Form],
        guards: Sequence[tuple[Bool, np.ndarray]] = (),
        extremes: bool = True,
    ) -> None:
        """Add the value of each form at the end and, if wanted, its extremes on the way."""
        stacked = np.stack([term.values for term in terms]).astype(np.int32)
        places: list[tuple[Bool | None, np.ndarray | None]] = [(None, None), *guards]
        todo = list(forms)
        for start in range(0, len(todo), AT_ONCE):
            chunk = todo[start : start + AT_ONCE]
            factors = np.zeros((len(chunk), len(terms)), dtype=np.int32)
            for row, form in enumerate(chunk):
                factors[row, [k for _, k in form]] = [factor for factor, _ in form]
            values = factors @ stacked
            lows, highs = [], []
            for _, mask in places if extremes else ():
                lows.append(self._lowest(values, mask))
                highs.append(-self._lowest(-values, mask))
            for row, form in enumerate(chunk):
                written = tuple((factor, terms[k].where) for factor, k in form)
                cost = sum(abs(factor) - 0.5 + terms[k].cost for factor, k in form)
                self.add(values[row], Quantity("end", written, None, cost))
                for (guard, _), low, high in zip(places, lows, highs, strict=False):
                    extra = cost + 1 + (guard is not None)
                    self.add(low[row], Quantity("lowest", written, guard, extra))
                    self.add(high[row], Quantity("highest", written, guard, extra))

    def add_boolean(self, here: Bool, values: np.ndarray, cost: float) -> None:
        """Add a Boolean of the last position."""
        self.add(values, Quantity("here", ((1, here),), None, cost))

    def _lowest(self, values: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
        """Return the lowest values so far of each row, at the places of a mask."""
        found = np.where(mask, values, ABSENT) if mask is not None else values.copy()
        for level in self.bank.levels[1:]:
            now = found[:, level]
            np.minimum(now, found[:, self.bank.parent[level]], out=now)
        return found

    def matrix(self) -> np.ndarray:
        """All rows as one array."""
        return np.stack(self.rows)


def small_forms(number: int, largest: Mapping[int, Sequence[int]]) -> Iterator[Form]:
    """Yield combinations of letters' counts: large factors for few letters, small ones for many.

    Example:
        >>> ((2, 0), (-3, 1)) in set(small_forms(2, SMALL)), len(set(small_forms(8, SMALL)))
        (True, 289)
    """
    bounds = largest.get(number, (1, 1, 1) if number <= 8 else (1, 1))
    for size, bound in enumerate(bounds, 1):
        for chosen in combinations(range(number), size):
            yield from _combined(chosen, bound)
    if number > 4:
        yield tuple((1, k) for k in range(number))


def _combined(chosen: Sequence[int], bound: int) -> Iterator[Form]:
    factors = [k for k in range(-bound, bound + 1) if k]
    for first in range(1, bound + 1):
        for rest in product(factors, repeat=len(chosen) - 1):
            if gcd(first, *rest) == 1:
                yield tuple(zip((first, *rest), chosen, strict=True))


class Terms:
    """Makes terms of a bank, kind by kind, and the quantities that they give."""

    def __init__(self, bank: Bank, *, sees_last: bool) -> None:
        self.bank, self._sees_last = bank, sees_last
        self.quantities = Quantities(bank)
        size = len(bank.letters)
        self._is = [(Q[letter], bank.letter == code) for code, letter in enumerate(bank.letters)]
        self._letters = [self.term(where, mask, 0.0) for where, mask in self._is]
        self._seen = [
            (exists(Q[letter]), term.values > 0)
            for letter, term in zip(bank.letters, self._letters, strict=True)
        ]
        self._size = size

    def term(self, where: Bool, mask: np.ndarray, cost: float) -> CountTerm:
        """Count a Boolean along every word."""
        return CountTerm(where, self.bank.running(mask[None, :])[0], cost)

    def masks(self, *, many: bool = False) -> list[tuple[Bool, np.ndarray]]:
        """Booleans by which cases may be told: the last letter, letters that occurred.

        If ``many``, also first letters, and which of two letters leads.
        """
        found = [*(self._is if self._sees_last else []), *self._seen]
        if many:
            found += [(count(t.where) >= 1, t.values > 0) for t in self._firsts()]
            for t, u in combinations(range(min(self._size, 5)), 2):
                difference = self._letters[t].values - self._letters[u].values
                form = ((1, self._is[t][0]), (-1, self._is[u][0]))
                found.append((compare(form, ">=", 1), difference > 0))
                found.append((compare(form, "<=", -1), difference < 0))
        return found

    def letters(self) -> None:
        """sums of letters, and how far they went."""
        if self._sees_last:
            for where, mask in self._is:
                self.quantities.add_boolean(where, mask, 0.5)
        forms = list(small_forms(self._size, SMALL))
        tiny = [f for f in forms if len(f) <= 2 and max(abs(c) for c, _ in f) <= 1]
        self.quantities.add_forms(self._letters, tiny, self._is)
        self.quantities.add_forms(self._letters, forms)

    def factors(self) -> None:
        """Sums of letters with larger factors."""
        forms = small_forms(self._size, LARGE)
        self.quantities.add_forms(self._letters, forms, extremes=self._size == 2)

    def order(self) -> None:
        """letters behind others, first letters, letters where one leads another."""
        terms = [*self._letters, *self._behind(), *self._before()]
        few = len(terms) <= FEW
        forms: list[Form] = [((1, k),) for k in range(len(terms))]
        if len(terms) <= 2 * FEW:
            pairs = combinations(range(len(terms)), 2)
            forms += [((x, i), (y, j)) for i, j in pairs for x, y in _FACTORS[: 6 if few else 2]]
        self.quantities.add_forms(terms, forms, extremes=few)
        if few:
            triples = combinations(range(len(terms)), 3)
            signs = list(product((1, -1), repeat=2))
            wide: list[Form] = [((1, i), (x, j), (y, k)) for i, j, k in triples for x, y in signs]
            self.quantities.add_forms(terms, wide, extremes=False)
        lone = [*self._firsts(), *self._leads(), *self._third()]
        count_ = len(self._letters)
        both = [*self._letters, *lone]
        single: list[Form] = [((1, k),) for k in range(count_, len(both))]
        single += [((1, k), (-1, j)) for k in range(count_, len(both)) for j in range(count_)]
        self.quantities.add_forms(both, single, extremes=False)

    def _behind(self) -> list[CountTerm]:
        """Letters s at places with an earlier t."""
        return [
            self.term(where & seen, mask & occurred, 1.0)
            for s, (where, mask) in enumerate(self._is)
            for t, (seen, occurred) in enumerate(self._seen)
            if s != t
        ]

    def _before(self) -> list[CountTerm]:
        """Letters s at places without an earlier t."""
        return [
            self.term(where & (count(self._is[t][0]) == 0), mask & ~occurred, 1.0)
            for s, (where, mask) in enumerate(self._is)
            for t, (_, occurred) in enumerate(self._seen)
            if s != t
        ]

    def _firsts(self) -> list[CountTerm]:
        first = count(true) == 1
        return [self.term(w & first, m & (self.bank.length == 1), 0.5) for w, m in self._is]

    def _leads(self) -> list[CountTerm]:
        """Places, and letters at places, where a letter's count is above, at or below another's."""
        found: list[CountTerm] = []
        for t, u in combinations(range(self._size), 2):
            difference = self._letters[t].values - self._letters[u].values
            form = ((1, self._is[t][0]), (-1, self._is[u][0]))
            for sign, threshold, mask in (
                (">=", 1, difference > 0),
                ("==", 0, difference == 0),
                ("<=", -1, difference < 0),
            ):
                leads = compare(form, sign, threshold)
                found.append(self.term(leads, mask, 1.5))
                if self._size <= 4:
                    found += [self.term(w & leads, m & mask, 2.0) for w, m in self._is]
        return found

    def _third(self) -> list[CountTerm]:
        """Letters at places behind a scattered pair: what words of three letters they contain."""
        if self._size > 4:
            return []
        found: list[CountTerm] = []
        for behind in [*self._behind(), *(self.term(w, m, 0.5) for w, m in self._is)]:
            twice = behind.cost == 0.5
            reached = count(behind.where) >= (2 if twice else 1)
            mask = behind.values >= (2 if twice else 1)
            found += [self.term(w & reached, m & mask, 2.0) for w, m in self._is]
        return found

    def neighbours(self) -> None:
        """Letters with those before them."""
        near = [
            (w & prev(v), m & self.bank.shifted(n[None, :], 1)[0], 1.0)
            for w, m in self._is
            for v, n in self._is
        ]
        if self._size <= 3:
            near += [
                (w & prev(v) & prev(u, 2), m & self._back(n, 1) & self._back(o, 2), 2.0)
                for w, m in self._is
                for v, n in self._is
                for u, o in self._is
            ]
        if self._sees_last:
            for distance in (1, 2):
                for v, n in self._is:
                    self.quantities.add_boolean(prev(v, distance), self._back(n, distance), 1.0)
        self._beside([self.term(*item) for item in near])

    def _back(self, mask: np.ndarray, distance: int) -> np.ndarray:
        return self.bank.shifted(mask[None, :], distance)[0]

    def places(self) -> None:
        """positions by their residue, letters at them."""
        for period in PERIODS if self._size <= 6 else PERIODS[:2]:
            found: list[CountTerm] = []
            for residue in range(period):
                at, mask = Residue(period, residue), self.bank.length % period == residue
                if self._sees_last:
                    self.quantities.add_boolean(at, mask, period / 2)
                found += [self.term(w & at, m & mask, period / 2) for w, m in self._is]
            self._beside(found)

    def _beside(self, new: list[CountTerm]) -> None:
        """Add new terms alone, with each other, and with letters."""
        base = len(self._letters)
        terms = [*self._letters, *new]
        fresh = range(base, len(terms))
        forms: list[Form] = [((1, k),) for k in fresh]
        forms += [((1, k), (-1, j)) for k in fresh for j in range(k)]
        forms += [((1, k), (-2, j)) for k in range(base) for j in fresh]
        self.quantities.add_forms(terms, forms, extremes=len(new) <= 9)


_FACTORS = ((1, -1), (1, 1), (1, -2), (2, -1), (1, 2), (2, 1))
