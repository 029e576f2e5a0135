"""The other side of ``guard``: loads one function and answers words, in a process of its own.

Before each word its number is marked, so that the other side knows which word takes long.
"""

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.core.registry import load_from_file
from lengthwise.core.supervisor import Marking
from lengthwise.tasks.base import Task

SAMPLER = "_members"
"""``name_members(rng, length)`` beside ``name`` draws members of about a length."""
MOST_STARTS = 1_000
"""Processes that a function may start; one that forks in a loop stops there."""


def serve(channel: Marking, reference: str) -> None:
    """Answer until nobody asks any more."""
    _refuse_fork_bombs()
    here = os.getpid()

    def say(reply: Any) -> None:
        if os.getpid() != here:  # the user's function has forked and come back
            os._exit(0)
        channel.send(reply)

    try:
        function = load_from_file(reference, "function")
        sampler = _find(reference + SAMPLER)
    except InputError as error:
        say({"error": str(error)})
        return
    if not callable(function):
        say({"error": f"function {reference!r}: not a function."})
        return
    say({"kind": "task" if _is_task(function) else "function", "sampler": sampler is not None})
    while True:
        request = channel.receive()
        if "words" in request:
            say(_answers(function, request["words"], channel.mark))
        else:
            say(_draw(sampler, request["members"], request["seed"]))


def _refuse_fork_bombs() -> None:
    """Let a function start processes, but not without end, and not from what it has forked."""
    here, starts = os.getpid(), 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal starts
        if event not in ("os.fork", "os.forkpty", "os.posix_spawn", "subprocess.Popen"):
            return
        starts += 1
        if os.getpid() != here or starts > MOST_STARTS:
            raise RuntimeError("it starts processes without end")

    sys.addaudithook(hook)


def _find(reference: str) -> Any:
    try:
        found = load_from_file(reference, "function")
    except InputError:  # there is none
        return None
    return found if callable(found) else None


def _answers(
    function: Any, words: list[str], mark: Callable[[int], None]
) -> dict[str, str | list[bool]]:
    """Return the answers to the words up to the first that fails, and that failure."""
    found: list[bool] = []
    for number, word in enumerate(words):
        mark(number)
        try:
            value = function(word)
            truth = value if value is True or value is False else _truth(value)
            failure = _not_a_truth_value(value) if truth is None else ""
        except SystemExit:
            truth, failure = None, "it ends the program."
        except BaseException as error:
            truth, failure = None, described(error)
        if truth is None:
            return {"word": word, "error": failure}
        found.append(truth)
    return {"answers": found}


def _truth(value: Any) -> bool | None:
    """Read numpy's truth values and the numbers 0 and 1; None for anything else."""
    if not isinstance(value, int) and not str(type(value).__module__).startswith("numpy"):
        return None
    with contextlib.suppress(Exception):
        for number, answer in ((0, False), (1, True)):
            if getattr(value, "ndim", 0) == 0 and bool(value == number):
                return answer
    return None


def _not_a_truth_value(value: Any) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= 40 else shown[:37] + "..."
    return f"it returned {shown} ({type(value).__name__}); return True or False, as bool(...) does."


def described(error: BaseException) -> str:
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
            return {"error": f"at length {length}: {described(error)}"}
        if word is not None and not isinstance(word, str):
            kind = type(word).__name__
            return {"error": f"at length {length}: it returned a {kind}; return a str or None."}
        found.append(word)
    return {"members": found}


def _is_task(value: Any) -> bool:
    if not isinstance(value, type):
        return False

    return issubclass(value, Task)
