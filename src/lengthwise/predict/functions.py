"""A user's predicate as a regular language: read, learned, asked again."""

from lengthwise.core.clock import Clock, OutOfTimeError
from lengthwise.core.errors import InputError
from lengthwise.core.guard import GuardedFunction
from lengthwise.languages.learned import Learned, learn
from lengthwise.theory.decide.sources import Language

SHARE = 0.6
"""Of the time limit, for reading and learning."""


def learned_language(
    reference: str, alphabet: str | None, seconds: float, max_states: int = 200
) -> Language:
    """Learn the automaton of ``file.py:name``; without one that can be trusted, say why.

    The function runs in a process of its own and within the time limit, as for predictions.
    """
    if not alphabet:
        raise InputError("a function needs its alphabet: add --alphabet.")
    letters = tuple(dict.fromkeys(alphabet))
    function = GuardedFunction(reference, Clock(seconds), letters)
    try:
        if function.is_task:
            raise InputError(f"{reference!r} is a task, not a predicate on words.")
        learned = learn_in_time(function, SHARE * seconds, max_states)
    finally:
        function.close()
    about = {"regex": None, "source": reference, "learned": learned.note}
    dfa = None if learned.doubt else learned.dfa
    return Language(reference, dfa, about, letters=letters, doubt=learned.doubt)


def learn_in_time(function: GuardedFunction, seconds: float, max_states: int) -> Learned:
    """Learn, then ask again; a function that is too slow leaves a doubt, not an error."""
    try:
        learned = learn(function, max_states=max_states, seconds=seconds)
    except OutOfTimeError:
        doubt = f"there was no time to learn an automaton ({function.questions:,} words were read)"
        learned = Learned(None, max(0, function.complete // 2), function, doubt)
    try:
        function.confirm()
    except OutOfTimeError:
        doubt = "there was no time to ask the function again whether it keeps its answers"
        return Learned(learned.dfa, learned.fitted, function, learned.doubt or doubt)
    return learned
