"""Terms: the symbol that stands somewhere, follows something, is most frequent, or is next.

A term is one Boolean per symbol, of which the one that holds names the value. What a term costs is
how much it says; cheaper ones are preferred.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from lengthwise.crasp.embedding import (
    Q,
    all_of,
    any_of,
    count,
    exists,
    never,
    number,
    pos,
    prev,
    where,
)
from lengthwise.crasp.syntax import Bool, Count
from lengthwise.crasp.writing.text_layout import TextLayout

PLACES = 6
"""Farthest position from an end of a part, and farthest offset, that a term names."""
PERIODS = (2, 3, 4)
LARGE = 16
"""With more letters only the nearest pairs are looked at: their number grows with the square."""


@dataclass(frozen=True)
class SymbolTerm:
    """A symbol of the text, by one Boolean for each."""

    name: str
    cost: int
    cases: dict[str, Bool]


def terms(layout: TextLayout, *, local: bool, periodic: bool) -> Iterator[SymbolTerm]:
    """Yield the terms of a layout, with windows and positions only where allowed.

    Example:
        >>> from lengthwise.crasp.embedding import true
        >>> layout = TextLayout(("a", "b"), (), {"text": true}, None)
        >>> first = next(terms(layout, local=False, periodic=False))
        >>> first.name, first.cases["a"]
        ('the symbol here', "a")
    """
    yield _term(layout, "the symbol here", 0, lambda s: Q[s])
    parts = dict(layout.parts)
    yield from _places(layout)
    yield from _repeats(layout)
    yield from _beside(layout)
    if local:
        yield from _offsets(layout)
        yield from _beside_marks(layout)
        yield from _followers(layout)
    if periodic:
        for period in PERIODS:
            for place in range(1, period + 1):
                name = f"positions {place} of every {period} of the {next(iter(parts))}"
                parts[name] = next(iter(layout.parts.values())) & (pos % period == place % period)
    for name, part in parts.items():
        extra = 0 if name in layout.parts else 3
        yield from _frequent(layout, name, part, extra)
        if not extra:
            yield from _ordered(layout, name, part)
            yield from _counted(layout, name, part)
            if layout.written is not None:
                yield from _ranked(layout, name, part, layout.written)


def _term(layout: TextLayout, name: str, cost: int, case: Callable[[str], Bool]) -> SymbolTerm:
    return SymbolTerm(name, cost, {symbol: case(symbol) for symbol in layout.letters})


def _places(layout: TextLayout) -> Iterator[SymbolTerm]:
    for name, part in layout.parts.items():
        for k in range(1, PLACES + 1):
            here = part & (count(part) == k)
            yield _term(
                layout, f"symbol {k} of the {name}", k, lambda s, here=here: exists(Q[s] & here)
            )


def _repeats(layout: TextLayout) -> Iterator[SymbolTerm]:
    """The first symbols that stood before, and the first new ones."""
    for name, part in layout.parts.items():
        for kind, times in (("repeated", 2), ("new", 1)):
            here = part & any_of(Q[s] & (count(Q[s] & part) == times) for s in layout.letters)
            for k in (1, 2):
                place = here & (count(here) == k)
                yield _term(
                    layout,
                    f"{kind} symbol {k} of the {name}",
                    3 + k,
                    lambda s, place=place: exists(Q[s] & place),
                )


def _beside(layout: TextLayout) -> Iterator[SymbolTerm]:
    """What stood near the first place of a symbol that the text names, without windows.

    Positions before the first t are counted; the place d behind it is where all positions are
    d + 1 more than those. What stood before t is known by its own first place alone.
    """
    if len(layout.letters) > LARGE:
        return
    *_, (last, end) = layout.parts.items()
    first = end & (count(end) == 1)
    keys = {
        "the symbol here": {t: Q[t] for t in layout.letters},
        f"symbol 1 of the {last}": {t: exists(Q[t] & first) for t in layout.letters},
    }
    for name, part in layout.parts.items():
        ahead = {s: count(part & never(Q[s] & part)) for s in layout.letters}
        for key, asked in keys.items():
            for d in (1, 2):
                place = {t: count(part) == ahead[t] + (d + 1) for t in layout.letters}
                yield _term(
                    layout,
                    f"what stood {d} behind the first of {key} in the {name}",
                    5 + d,
                    lambda s, asked=asked, place=place, part=part: any_of(
                        asked[t] & exists(Q[s] & part & place[t]) for t in layout.letters
                    ),
                )
            yield _term(
                layout,
                f"what stood first just before the first of {key} in the {name}",
                6,
                lambda s, asked=asked, ahead=ahead, part=part: any_of(
                    asked[t] & exists(Q[s] & part) & (ahead[s] + 1 == ahead[t])
                    for t in layout.letters
                ),
            )


def _offsets(layout: TextLayout) -> Iterator[SymbolTerm]:
    for d in range(1, PLACES + 1):
        yield _term(layout, f"the symbol {d} before", d + 1, lambda s, d=d: prev(Q[s], d))


def _beside_marks(layout: TextLayout) -> Iterator[SymbolTerm]:
    for mark in layout.marks:
        for d in range(1, PLACES + 1):
            yield _term(
                layout,
                f"the symbol {d} before {mark}",
                d + 1,
                lambda s, d=d, mark=mark: exists(Q[mark] & prev(Q[s], d)),
            )


def _followers(layout: TextLayout) -> Iterator[SymbolTerm]:
    """What stood behind or before the symbol here (or just before here), earlier in the text."""
    near = 1 if len(layout.letters) > LARGE else 2
    for key in (0, 1):
        for distance in range(1, near + 1):
            for side in ("behind", "before"):
                for first in (False, True):
                    for name, part in layout.parts.items():
                        yield _follower(layout, key, distance, side, first, name, part)


def _follower(
    layout: TextLayout, key: int, distance: int, side: str, first: bool, name: str, part: Bool
) -> SymbolTerm:
    asked = {t: prev(Q[t], key) if key else Q[t] for t in layout.letters}
    start = {t: Q[t] & (count(Q[t]) == 1) if first else Q[t] for t in layout.letters}

    def pair(t: str, s: str) -> Bool:
        if side == "behind":
            return Q[s] & prev(start[t], distance) & part
        return start[t] & prev(Q[s], distance) & part

    def earlier(t: str, s: str) -> Bool:
        seen = pair(t, s)
        recent = count(seen, offsets=tuple(range(key + 1)))
        return count(seen) - recent >= 1

    which = "first of " if first else ""
    text = "the symbol here" if not key else "the symbol just before"
    return _term(
        layout,
        f"what stood {distance} {side} {which}{text} in the {name}",
        3 + key + distance + 2 * first,
        lambda s: any_of(asked[t] & earlier(t, s) for t in layout.letters),
    )


def _frequent(layout: TextLayout, name: str, part: Bool, extra: int) -> Iterator[SymbolTerm]:
    """Most and least frequent symbols, with each way of breaking ties."""
    letters = layout.letters
    counts = {s: count(Q[s] & part) for s in letters}
    rank = {s: index for index, s in enumerate(letters)}

    def earlier(s: str, t: str) -> Bool:
        return exists(Q[s] & part & never(Q[t] & part))

    ties: dict[str, Callable[[str, str], Bool | bool]] = {
        "none": lambda _s, _t: False,
        "the first in order": lambda s, t: rank[s] < rank[t],
        "the last in order": lambda s, t: rank[s] > rank[t],
        "the earliest": earlier,
    }
    for tie, wins in ties.items():
        if extra and tie == "the earliest":
            continue
        for kind in ("most", "least", "least present"):
            if kind == "least" and tie == "the earliest":
                continue

            def beats(
                s: str, t: str, kind: str = kind, wins: Callable[..., Bool | bool] = wins
            ) -> Bool:
                more = counts[s] > counts[t] if kind == "most" else counts[s] < counts[t]
                absent = counts[t] == 0
                better = more | ((counts[s] == counts[t]) & wins(s, t))
                return absent | better if kind == "least present" else better

            def best(s: str, kind: str = kind, beats: Callable[..., Bool] = beats) -> Bool:
                found = all_of(beats(s, t) for t in letters if t != s)
                return (counts[s] >= 1) & found if kind == "least present" else found

            told = "" if tie == "none" else f" ({tie} of equals)"
            cost = 3 + extra + 2 * (tie != "none") + (kind == "least present")
            yield _term(layout, f"the {kind} frequent symbol of the {name}{told}", cost, best)


def _ordered(layout: TextLayout, name: str, part: Bool) -> Iterator[SymbolTerm]:
    """The smallest, second smallest, ... and the largest symbols of a part."""
    present = {s: exists(Q[s] & part) for s in layout.letters}
    for k in range(PLACES):
        for down in (False, True):
            below = _below(layout, {s: where(p, 1, 0) for s, p in present.items()}, down)
            which = f"{'largest' if down else 'smallest'} {k + 1}"
            yield _term(
                layout,
                f"the {which} of the {name}",
                3 + k,
                lambda s, below=below, k=k: present[s] & (below[s] == k),
            )


def _below(layout: TextLayout, sizes: Mapping[str, Count], down: bool) -> dict[str, Count]:
    """Add up sizes over the symbols before each one in the order."""
    order = layout.letters[::-1] if down else layout.letters
    found: dict[str, Count] = {}
    so_far: Count = number(0)
    for symbol in order:
        found[symbol] = so_far
        so_far = so_far + sizes[symbol]
    return found


def _counted(layout: TextLayout, name: str, part: Bool) -> Iterator[SymbolTerm]:
    for k in range(3):
        yield _term(
            layout,
            f"the one symbol that stands {k} times in the {name}",
            4,
            lambda s, k=k: count(Q[s] & part) == k,
        )


def _ranked(layout: TextLayout, name: str, part: Bool, written: Count) -> Iterator[SymbolTerm]:
    """Symbols whose turn it is: by first or last place, by order, each once or as often as read."""
    letters = layout.letters
    counts = {s: count(Q[s] & part) for s in letters}
    present = {s: exists(Q[s] & part) for s in letters}
    new = any_of(Q[s] & (count(Q[s] & part) == 1) for s in letters) & part
    ranks: dict[str, Callable[[str], Count]] = {
        "from the first": lambda s: count(part & never(Q[s] & part)),
        "from the last": lambda s: count(part & exists(Q[s] & part)) - 1,
        "from the first, without repeats,": lambda s: count(new & never(Q[s] & part)),
    }
    once = {s: where(present[s], 1, 0) for s in letters}
    for down in (False, True):
        below = _below(layout, once, down)
        ranks[f"in {'falling' if down else 'rising'} order"] = lambda s, below=below: below[s]
    for how, rank in ranks.items():
        for shown, turn in _turns(written):
            yield _term(
                layout,
                f"the symbol {how} of the {name} at {shown}",
                5 + (shown != "its turn"),
                lambda s, rank=rank, turn=turn: present[s] & turn(rank(s)),
            )
    for down in (False, True):
        below = _below(layout, counts, down)
        yield _term(
            layout,
            f"the next of the {name} in {'falling' if down else 'rising'} order, with repeats",
            6,
            lambda s, below=below: (below[s] <= written) & (written < below[s] + counts[s]),
        )


def _turns(written: Count) -> Iterator[tuple[str, Callable[[Count], Bool]]]:
    """When a rank is due: at its turn, one or two later, every second, each twice."""
    yield "its turn", lambda rank: rank == written
    yield "its turn, one on", lambda rank: rank == written + 1
    yield "its turn, one back", lambda rank: rank + 1 == written
    yield "every second turn", lambda rank: rank == 2 * written
    yield "every second turn, one on", lambda rank: rank == 2 * written + 1
    yield "two turns each", lambda rank: (2 * rank == written) | (2 * rank + 1 == written)
