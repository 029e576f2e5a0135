"""The other side of ``guard``: loads one function and answers words.

One JSON line comes in per request. Words are answered by one byte each, written at once, so that
the other side knows which word takes long: ``1``, ``0``, or ``!`` and a JSON line about a failure,
after which the rest of the request is not answered. Everything else is answered by a JSON line.
"""

import contextlib
import json
import os
import sys
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.core.registry import load_from_file
from lengthwise.tasks.base import Task

MEMORY = 4 << 30
"""Bytes of address space that a user's function may take."""
SAMPLER = "_members"
"""``name_members(rng, length)`` beside ``name`` draws members of about a length."""


def main() -> None:
    """Serve until the input ends; what the function prints goes nowhere."""
    commands, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    with open(os.devnull, "r+b") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    _limit_memory()

    def say(reply: dict[str, Any]) -> None:
        os.write(answers, json.dumps(reply).encode() + b"\n")

    reference = sys.argv[1]
    try:
        function = load_from_file(reference, "function")
        sampler = _find(reference + SAMPLER)
    except InputError as error:
        say({"error": str(error)})
        return
    except SystemExit:
        say({"error": "the file ends the program when it is loaded."})
        return
    if not callable(function):
        say({"error": "not a function."})
        return
    say({"kind": "task" if _is_task(function) else "function", "sampler": sampler is not None})
    for line in commands:
        request = json.loads(line)
        if "words" in request:
            _serve(function, request["words"], answers)
        else:
            say(_draw(sampler, request["members"], request["seed"]))


def _find(reference: str) -> Any:
    try:
        found = load_from_file(reference, "function")
    except InputError:  # there is none
        return None
    return found if callable(found) else None


def _serve(function: Any, words: list[str], answers: int) -> None:
    for word in words:
        failure = ""
        try:
            value = function(word)
            if value is True or value is False:
                os.write(answers, b"1" if value else b"0")
                continue
            truth = _truth(value)
            if truth is not None:
                os.write(answers, truth)
                continue
            failure = _not_a_truth_value(value)
        except SystemExit:
            failure = "it ends the program."
        except BaseException as error:
            failure = _described(error)
        os.write(answers, b"!" + json.dumps({"word": word, "error": failure}).encode() + b"\n")
        return


def _truth(value: Any) -> bytes | None:
    """Read numpy's truth values and the numbers 0 and 1; None for anything else."""
    if not isinstance(value, int) and not str(type(value).__module__).startswith("numpy"):
        return None
    with contextlib.suppress(Exception):
        for number, answer in ((0, b"0"), (1, b"1")):
            if getattr(value, "ndim", 0) == 0 and bool(value == number):
                return answer
    return None


def _not_a_truth_value(value: Any) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= 40 else shown[:37] + "..."
    return f"it returned {shown} ({type(value).__name__}); return True or False, as bool(...) does."


def _described(error: BaseException) -> str:
    """Name an exception in one line."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message[:200]}."


def _draw(sampler: Any, lengths: list[int], seed: int) -> dict[str, Any]:
    import numpy as np

    rng, found = np.random.default_rng(seed), []
    for length in lengths:
        try:
            word = sampler(rng, length)
        except SystemExit:
            return {"error": f"at length {length}: it ends the program."}
        except BaseException as error:
            return {"error": f"at length {length}: {_described(error)}"}
        if word is not None and not isinstance(word, str):
            kind = type(word).__name__
            return {"error": f"at length {length}: it returned a {kind}; return a str or None."}
        found.append(word)
    return {"members": found}


def _is_task(value: Any) -> bool:
    if not isinstance(value, type):
        return False

    return issubclass(value, Task)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    main()
