"""Guards: Booleans that say which rule applies, over counts, windows, positions and terms."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from lengthwise.crasp.embedding import (
    Q,
    any_of,
    count,
    exists,
    never,
    pos,
    prev,
    total,
    true,
    where,
)
from lengthwise.crasp.syntax import Bool, Count
from lengthwise.crasp.writing.symbol_terms import PERIODS, SymbolTerm
from lengthwise.crasp.writing.text_layout import TextLayout

TURNS = 5
"""Numbers of written tokens, and small counts, that a guard names."""
MANY = 12
"""With more letters no guard names a single one of them."""


@dataclass(frozen=True)
class Guard:
    """A Boolean with its cost."""

    cost: int
    node: Bool


@dataclass(frozen=True)
class TextCount:
    """A number read off the text; quantities of one ``kind`` are compared with each other."""

    kind: str
    cost: int
    node: Count


def guards(
    layout: TextLayout, named: Sequence[SymbolTerm], *, local: bool, periodic: bool
) -> Iterator[Guard]:
    """Yield guards, the one that always holds first; ``named`` are the terms of the layout."""
    yield Guard(0, true)
    yield from _letters(layout, local)
    yield from _of_this_symbol(layout, local)
    if periodic:
        for period in PERIODS:
            yield from (Guard(2, pos % period == place) for place in range(period))
    found = list(quantities(layout, local=local, periodic=periodic))
    for quantity in found:
        for k in range(TURNS):
            yield Guard(2 + quantity.cost + k // 2, quantity.node == k)
            if k:
                yield Guard(2 + quantity.cost + k // 2, quantity.node >= k)
    for one, two in combinations(found, 2):
        if one.kind == two.kind:
            yield from _compared(one, two)
    if layout.few:
        yield from _sums(layout)
    yield from _term_guards(layout, named)


def _letters(layout: TextLayout, local: bool) -> Iterator[Guard]:
    symbols = layout.letters if len(layout.letters) <= MANY else ()
    for symbol in (*layout.marks, *symbols):
        yield Guard(1, Q[symbol])
        if local:
            yield from (Guard(2 + d, prev(Q[symbol], d)) for d in (1, 2, 3))


def _of_this_symbol(layout: TextLayout, local: bool) -> Iterator[Guard]:
    """How often, and where, the symbol here stood in a part."""
    letters = layout.letters
    for part in layout.parts.values():
        for k in (0, 1, 2):
            here = any_of(Q[s] & (count(Q[s] & part) == k) for s in letters)
            yield Guard(3, here)
        if local:
            yield from (
                Guard(4, any_of(Q[s] & exists(Q[m] & prev(Q[s])) for s in letters))
                for m in layout.marks
            )
    if local:
        yield Guard(3, any_of(Q[s] & prev(Q[s]) for s in letters))


def quantities(layout: TextLayout, *, local: bool, periodic: bool) -> Iterator[TextCount]:
    """Yield the counts that guards compare: sizes, letters, repeats, pairs."""
    letters = layout.letters
    written = layout.written
    if written is not None:
        yield TextCount("size", 1, written)
    for part in layout.parts.values():
        yield TextCount("size", 1, count(part))
        distinct = total(where(exists(Q[s] & part), 1, 0) for s in letters)
        yield TextCount("size", 2, distinct)
        repeat = any_of(Q[s] & (count(Q[s] & part) >= 2) for s in letters) & part
        yield TextCount("size", 2, count(repeat))
        larger = [
            any_of(exists(Q[t] & part) for t in letters[k + 1 :]) for k in range(len(letters))
        ]
        fallen = any_of(Q[s] & larger[k] for k, s in enumerate(letters)) & part
        yield TextCount("order", 3, count(fallen))
        if local:
            same = any_of(Q[s] & prev(Q[s] & part) for s in letters) & part
            yield TextCount("pairs", 3, count(same))
        if layout.few:
            yield from _letter_counts(layout, part, local)
    if periodic and layout.few:
        part = next(iter(layout.parts.values()))
        for period in PERIODS[:2]:
            for place in range(period):
                here = part & (pos % period == place)
                for s in letters:
                    yield TextCount(f"modulo {period}", 2, count(Q[s] & here))


def _letter_counts(layout: TextLayout, part: Bool, local: bool) -> Iterator[TextCount]:
    letters = layout.letters
    for s in letters:
        yield TextCount("size", 1, count(Q[s] & part))
    if len(letters) > 4:
        return
    for s, t in combinations(letters, 2):
        one, two = count(Q[s] & part), count(Q[t] & part)
        yield TextCount("ahead", 4, count(part & (one > two)))
        yield TextCount("ahead", 4, count(part & (one < two)))
        yield TextCount("ahead", 4, count(part & (two > one + 1)))
        yield TextCount("ahead", 4, count(part & (one > two + 1)))
    for s in letters:
        for t in letters:
            if local:
                yield TextCount("pairs", 3, count(Q[t] & prev(Q[s] & part) & part))
            if s != t:
                yield TextCount("order", 3, count(Q[t] & exists(Q[s] & part) & part))
                yield TextCount("order", 3, count(Q[t] & never(Q[s] & part) & part))


def _compared(one: TextCount, two: TextCount) -> Iterator[Guard]:
    cost = 3 + one.cost + two.cost
    for extra in (0, 1, -1):
        yield Guard(cost + abs(extra), one.node == two.node + extra)
    yield Guard(cost, one.node > two.node)
    yield Guard(cost, one.node < two.node)
    yield Guard(cost + 1, one.node > two.node + 1)
    if one.kind == "size":
        yield Guard(cost + 2, one.node == 2 * two.node)
        yield Guard(cost + 2, two.node == 2 * one.node)
        yield Guard(cost + 2, one.node > 2 * two.node)
        yield Guard(cost + 2, two.node > 2 * one.node)
        yield Guard(cost + 2, one.node + 1 == 2 * two.node)


def _sums(layout: TextLayout) -> Iterator[Guard]:
    """Two letters together against a third, or a letter against all others."""
    for part in layout.parts.values():
        counts = {s: count(Q[s] & part) for s in layout.letters}
        for s in layout.letters:
            rest = total(counts[t] for t in layout.letters if t != s)
            yield Guard(5, counts[s] > rest)
            yield Guard(5, counts[s] == rest)
            others = [t for t in layout.letters if t != s]
            if len(others) > 2:
                for t, u in combinations(others, 2):
                    yield Guard(6, counts[s] > counts[t] + counts[u])
                    yield Guard(6, counts[s] == counts[t] + counts[u])


def _term_guards(layout: TextLayout, named: Sequence[SymbolTerm]) -> Iterator[Guard]:
    """Single values of cheap terms, and whether two terms agree or stand in order."""
    cheap = [term for term in named if term.cost <= 4][:16]
    simple = 12 if layout.few else 2 if len(layout.letters) <= MANY else -1
    for term in named:
        if term.cost <= simple:
            yield from (Guard(3 + term.cost, node) for node in term.cases.values())
    for one, two in combinations(cheap, 2):
        cost = 3 + one.cost + two.cost
        yield Guard(cost, any_of(one.cases[s] & two.cases[s] for s in layout.letters))
        if len(layout.letters) <= MANY:
            pairs = combinations(layout.letters, 2)
            yield Guard(cost + 1, any_of(one.cases[s] & two.cases[t] for s, t in pairs))
