"""What a program is compared with: an automaton, a Python function or another program."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.limits import LimitReachedError
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.program import Program
from lengthwise.languages.convention import Accept
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.words import Words


@dataclass(frozen=True)
class Target:
    """A language: ``decide`` maps a batch of words over ``letters`` to Booleans, shape (batch,).

    ``automaton`` is known when the language was given as one.
    """

    name: str
    letters: tuple[str, ...]
    decide: Callable[[Words], np.ndarray] = field(repr=False)
    automaton: DFA | None = field(default=None, repr=False)


def from_automaton(automaton: DFA, name: str = "automaton") -> Target:
    """Return the language of an automaton."""

    def decide(words: Words) -> np.ndarray:
        tokens = words.tokens.astype(np.int64)
        padding = np.arange(words.longest) >= words.lengths[:, None]
        states = automaton.run(np.where(padding, -1, tokens))
        return automaton.accepting[states[:, -1]]

    return Target(name, automaton.alphabet, decide, automaton)


def from_regex(pattern: str, letters: Sequence[str] | None = None) -> Target:
    """Return the language of a regular expression over ``letters`` (default: those it mentions).

    Example:
        >>> target = from_regex("(ab)*")
        >>> target.decide(Words.encode(["abab", "ba"], target.letters)).tolist()
        [True, False]
    """
    return from_automaton(compile_regex(pattern, letters or None), pattern)


def from_function(
    function: Callable[[Any], bool], letters: Sequence[str], name: str = ""
) -> Target:
    """Return the language of a Python predicate.

    It is called with one word at a time: a string when every letter is one character, else a tuple.
    """
    known = name or getattr(function, "__name__", "function")
    if not callable(function):
        raise InputError(f"{known!r} is not a function of words.")
    if not letters:
        raise InputError("a Python function needs letters to be tried on: use --alphabet.")
    single = all(len(letter) == 1 for letter in letters)

    def answer(row: Sequence[str]) -> bool:
        word = "".join(row) if single else row
        try:
            return bool(function(word))
        except (InputError, LimitReachedError):  # a guarded function says itself what is wrong
            raise
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            raise InputError(
                f"function {known!r} failed on the word {word!r}: {problem}."
            ) from error

    def decide(words: Words) -> np.ndarray:
        rows = (words.word(index) for index in range(words.count))
        return np.fromiter(map(answer, rows), dtype=bool, count=words.count)

    return Target(known, tuple(letters), decide)


def from_program(
    program: Program, letters: Sequence[str], name: str = "program", accept: Accept = "last"
) -> Target:
    """Return the language of another program over the given letters."""
    known = tuple(letters)
    return Target(name, known, lambda words: np.asarray(accepts(program, words, accept=accept)))
