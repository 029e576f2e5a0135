"""What the page may ask: every action by name, a pure function from a request to plain data."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Literal

from lengthwise.core.errors import InputError, unknown

Kind = Literal["compute", "read"]
Action = Callable[[Mapping[str, Any]], dict[str, Any]]

ACTIONS: dict[str, tuple[str, Kind]] = {
    "language": ("lengthwise.playground.language:language", "compute"),
    "changes": ("lengthwise.playground.changes:changes", "compute"),
    "library": ("lengthwise.playground.programs:library", "read"),
    "program": ("lengthwise.playground.programs:program", "compute"),
    "compare": ("lengthwise.playground.programs:compare", "compute"),
    "step": ("lengthwise.playground.word_steps:step", "compute"),
    "disagree": ("lengthwise.playground.disagreement:disagree", "compute"),
    "runs": ("lengthwise.playground.results:runs", "read"),
    "run": ("lengthwise.playground.results:run", "read"),
    "curves": ("lengthwise.playground.results:curves", "read"),
    "sweep": ("lengthwise.playground.results:sweep", "read"),
}
"""Name -> where it is, and whether it computes (few at a time) or only reads."""

SERVER_FIELDS = ("store", "seconds")
"""Fields that the server fills in; a page that sends them is refused."""


def kind_of(action: str) -> Kind:
    """Return what an action costs; unknown ones are refused by name."""
    if action not in ACTIONS:
        raise unknown("action", action[:40], ACTIONS)
    return ACTIONS[action][1]


def answer(action: str, request: Any, *, store: str, seconds: float) -> dict[str, Any]:
    """Answer a request; what users get wrong comes back as ``error``, never as a traceback.

    Example:
        >>> answer("language", {"regex": "(ab"}, store="runs", seconds=5.0)["ok"]
        False
    """
    try:
        kind_of(action)
        if not isinstance(request, dict):
            raise InputError("a request is a JSON object.")
        for name in SERVER_FIELDS:
            if name in request:
                raise InputError(f"field {name!r} is not for pages to set.")
        module, _, function = ACTIONS[action][0].partition(":")
        called: Action = getattr(import_module(module), function)
        return {"ok": True, **called({**request, "store": store, "seconds": seconds})}
    except InputError as error:
        place = {name: getattr(error, name, None) for name in ("line", "column")}
        return failure(str(error), **place)


def failure(message: str, **more: Any) -> dict[str, Any]:
    """Return the answer that says what went wrong."""
    return {"ok": False, "error": message, **more}
