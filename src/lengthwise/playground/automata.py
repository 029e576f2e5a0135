"""Automata as plain data for the page, which runs words on them and lets Graphviz lay them out."""

from collections.abc import Iterable, Sequence
from typing import Any

LETTERS = 6
"""Symbols written on one arrow before the rest is only counted."""


def automaton(
    alphabet: Sequence[str],
    transitions: Sequence[Sequence[int]],
    initial: int,
    accepting: Iterable[int],
    *,
    hidden: Iterable[int] = (),
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Return an automaton; ``hidden`` states are not drawn, ``notes`` stand under states.

    Example:
        >>> automaton("a", [[1], [0]], 0, [0])["label"]
        'Automaton with 2 states; start 0; accepting: 0; 0 to 1 on a; 1 to 0 on a.'
    """
    final, gone = sorted(accepting), set(hidden)
    drawn = [q for q in range(len(transitions)) if q not in gone]
    arrows = [
        {"from": source, "to": target, "label": _short(symbols, alphabet), "symbols": symbols}
        for (source, target), symbols in merge(alphabet, transitions, drawn).items()
    ]
    return {
        "alphabet": list(alphabet),
        "transitions": [list(row) for row in transitions],
        "initial": initial,
        "accepting": final,
        "drawn": drawn,
        "arrows": arrows,
        "notes": list(notes),
        "label": _sentence(drawn, arrows, initial, final),
    }


def merge(
    alphabet: Sequence[str], transitions: Sequence[Sequence[int]], kept: Iterable[int]
) -> dict[tuple[int, int], list[str]]:
    """Join parallel transitions between states that are kept.

    Example:
        >>> merge("ab", [[0, 0]], [0])
        {(0, 0): ['a', 'b']}
    """
    found: dict[tuple[int, int], list[str]] = {}
    states = set(kept)
    for source in sorted(states):
        for symbol, target in zip(alphabet, transitions[source], strict=True):
            if target in states:
                found.setdefault((source, target), []).append(shown(symbol))
    return found


def shown(symbol: str) -> str:
    """Return a symbol so that it can be seen; a space is an open box."""
    return "\u2423" if symbol == " " else symbol if symbol.isprintable() else ascii(symbol)[1:-1]


def _short(symbols: Sequence[str], alphabet: Sequence[str]) -> str:
    names = [symbol[:12] for symbol in symbols]
    if len(names) <= LETTERS:
        return ",".join(names)
    if len(names) == len(alphabet):
        return "any"
    return f"{','.join(names[: LETTERS - 2])},… ({len(names)})"


def _sentence(
    drawn: Sequence[int], arrows: Sequence[dict[str, Any]], initial: int, final: Sequence[int]
) -> str:
    moves = [f"{a['from']} to {a['to']} on {' '.join(a['symbols'])}" for a in arrows[:60]]
    accepting = ", ".join(str(q) for q in drawn if q in final) or "none"
    states = "1 state" if len(drawn) == 1 else f"{len(drawn)} states"
    head = f"Automaton with {states}; start {initial}; accepting: {accepting}"
    return "; ".join([head, *moves]) + "."
