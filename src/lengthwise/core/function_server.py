"""The other side of ``guard``: loads one function and answers words, one JSON line each."""

import contextlib
import json
import os
import sys
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.core.registry import load_from_file

MEMORY = 4 << 30
"""Bytes of address space that a user's function may take."""


def main() -> None:
    """Serve until the input ends; what the function prints goes nowhere."""
    commands, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "r+b") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    _limit_memory()

    def say(reply: dict[str, Any]) -> None:
        answers.write(json.dumps(reply).encode() + b"\n")
        answers.flush()

    try:
        function = load_from_file(sys.argv[1], "function")
    except InputError as error:
        say({"error": str(error)})
        return
    except SystemExit:
        say({"error": "the file ends the program when it is loaded."})
        return
    if not callable(function):
        say({"error": "not a function."})
        return
    say({"kind": "class" if isinstance(function, type) else "function"})
    for line in commands:
        say(_answer(function, json.loads(line)))


def _answer(function: Any, word: str) -> dict[str, Any]:
    try:
        return {"answer": bool(function(word))}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}."}


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    main()
