"""What the playground accepts, and how it says no."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from lengthwise.core.errors import InputError, unknown

Choice = TypeVar("Choice", bound=str)

BODY_BYTES = 262_144
"""Largest request."""
REGEX = 500
PROGRAM = 20_000
SMALL_TEXT = 200
"""Characters of an alphabet, of parameters and of other short fields."""
STATES = 2_000
"""Largest automaton built from a regular expression."""
LISTED_STATES = 200
LENGTH = 4_096
"""Longest word, and longest length that a program is compiled for."""
TRACED = 200
"""Longest word whose trace is shown."""
SHOWN = 400
"""Positions that are listed when a model is compared with its program."""
COMPARED = 12
"""Runs whose curves are drawn together."""
LISTED_RUNS = 500
SECONDS = 20.0
MEMORY_MB = 2_048
COMPUTATIONS = 2
"""Computations at the same time."""


def table() -> dict[str, int]:
    """Return the limits that the page shows and checks while people type."""
    return {
        "regex": REGEX,
        "program": PROGRAM,
        "small": SMALL_TEXT,
        "length": LENGTH,
        "word": 8 * LENGTH,
        "compared": COMPARED,
    }


def read_text(request: Mapping[str, Any], name: str, most: int, *, needed: bool = False) -> str:
    """Return a text field, or say what is wrong with it.

    Example:
        >>> read_text({"regex": "(ab)*"}, "regex", 500)
        '(ab)*'
        >>> read_text({"regex": "a" * 501}, "regex", 500)
        Traceback (most recent call last):
        ...
        lengthwise.core.errors.InputError: regex: 501 characters; the playground's limit is 500.
    """
    value = request.get(name, "")
    if not isinstance(value, str):
        raise InputError(f"{name}: expected text, not {type(value).__name__}.")
    if len(value) > most:
        raise InputError(f"{name}: {len(value):,} characters; the playground's limit is {most:,}.")
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise InputError(f"{name}: it holds a character that is not text.")
    if needed and not value.strip():
        raise InputError(f"{name}: it is empty; type one first.")
    return value


def read_number(request: Mapping[str, Any], name: str, default: int, low: int, high: int) -> int:
    """Return a whole number within its bounds."""
    value = request.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{name}: expected a whole number.")
    if not low <= value <= high:
        raise InputError(f"{name}: {value:,} is outside {low:,} to {high:,}.")
    return value


def read_choice(request: Mapping[str, Any], name: str, options: Iterable[Choice]) -> Choice:
    """Return one of some words; the first is the default."""
    known = list(options)
    value = request.get(name, known[0])
    if value not in known:
        raise unknown(name, str(value)[:SMALL_TEXT], known)
    return value


def refuse_others(request: Mapping[str, Any], names: Iterable[str]) -> None:
    """Refuse fields that nobody reads, with the nearest name."""
    known = list(names)
    for name in request:
        if name not in known:
            raise unknown("field", str(name)[:SMALL_TEXT], known)
