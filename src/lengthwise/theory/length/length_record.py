"""A length complexity as plain data: what `length` prints, and what is kept in the table."""

from typing import Any

from lengthwise.crasp.learning import name_parts
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool
from lengthwise.theory.length.automata import AutomatonLength
from lengthwise.theory.length.by_size import ProgramLength, Rival
from lengthwise.theory.length.complexity import ClassLength, Complexity
from lengthwise.theory.length.published_lengths import published_bounds

LISTED = 5
"""Unresolved programs that are listed."""
LONGEST = 2_000
"""Characters of a program that is written out; a longer one is known by its size."""


def record(found: Complexity) -> dict[str, Any]:
    """Return what is known as plain data."""
    programs = [c.found.program for c in found.classes.values() if c.found is not None]
    smallest = next((p for p in programs if p is not None), None)
    states = None if found.automaton is None else found.automaton.states
    return {
        "letters": list(found.letters),
        "read": "last",
        "programs": {name: _class(item) for name, item in found.classes.items()},
        "automata": None if found.automaton is None else _automata(found.automaton),
        "published": published_bounds(states, None if smallest is None else Program.of(smallest)),
        "seconds": round(found.seconds, 2),
        "cut": found.cut,
    }


def _class(item: ClassLength) -> dict[str, Any]:
    if item.found is None:
        return {"outside": item.outside}
    found = item.found
    return {
        "exact": found.exact,
        "low": found.low,
        "proved_low": found.low if found.minimal else found.proved_low,
        "program": None if found.program is None else _text(found.program),
        "size": found.size,
        "minimal": found.minimal,
        "looked": found.looked,
        "rival": _rival(found.best()),
        "proved_rival": None if found.minimal else _rival(_proved(found)),
        "unresolved": [_rival(rival) for rival in found.unresolved[:LISTED]],
        "unresolved_count": len(found.unresolved),
    }


def _proved(found: ProgramLength) -> Rival | None:
    return found.best(found.excluded + 1)


def _rival(rival: Rival | None) -> dict[str, Any] | None:
    if rival is None:
        return None
    return {
        "program": _text(rival.expression),
        "size": rival.size,
        "agrees": rival.agreed,
        "word": None if rival.word is None else list(rival.word),
    }


def _automata(found: AutomatonLength) -> dict[str, Any]:
    rival = found.rival
    return {
        "exact": found.exact,
        "low": found.low,
        "high": found.high,
        "states": found.states,
        "rival": {
            "alphabet": list(rival.alphabet),
            "transitions": rival.transitions.tolist(),
            "initial": int(rival.initial),
            "accepting": rival.accepting.tolist(),
        },
        "word": list(found.word),
    }


def _text(program: Bool) -> str:
    """Return a program on one line; parts of a long one get names, and an endless one is not shown.

    Example:
        >>> from lengthwise.crasp.embedding import Q
        >>> _text(Q["a"])
        '"a"'
    """
    text = str(program)
    if "..." in text:
        text = "; ".join(str(name_parts(program)).splitlines())
    return text if len(text) <= LONGEST else ""
