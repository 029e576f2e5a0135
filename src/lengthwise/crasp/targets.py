"""What a program is compared with: an automaton, a Python function, another program, or a task."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.program import Program
from lengthwise.languages.convention import Accept
from lengthwise.languages.words import Words

if TYPE_CHECKING:
    from lengthwise.languages.dfa import DFA


@dataclass(frozen=True)
class Target:
    """A language: ``decide`` maps a batch of words over ``letters`` to Booleans, shape (batch,).

    ``automaton`` is known when the language was given as one.
    """

    name: str
    letters: tuple[str, ...]
    decide: Callable[[Words], np.ndarray] = field(repr=False)
    automaton: "DFA | None" = field(default=None, repr=False)


def from_automaton(automaton: "DFA", name: str = "automaton") -> Target:
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
    from lengthwise.languages.regex import compile_regex

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
        raise InputError("a Python function needs letters to be tried on: use --letters.")
    single = all(len(letter) == 1 for letter in letters)

    def answer(row: Sequence[str]) -> bool:
        word = "".join(row) if single else row
        try:
            return bool(function(word))
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


def from_task(text: str) -> Target:
    """Return the language a named task is about."""
    from lengthwise.tasks import load_task

    task = load_task(text)
    language = task.language
    if language is None:
        raise InputError(f"task {text!r} is not about a language; it has words to write instead.")
    if isinstance(language, str):
        return from_regex(language)
    return from_automaton(language, text)


def read_target(
    text: str, letters: Sequence[str], *, accept: Accept = "last", parameters: Any = None
) -> Target:
    """Turn what a user typed into a target: FILE.py:fn, FILE.cr, a task's name, or a regex.

    ``letters`` are used where the text itself does not say which letters there are.
    """
    from lengthwise.core.registry import load_from_file
    from lengthwise.crasp.parser import parse_file

    if ".py:" in text:
        return from_function(load_from_file(text, "language"), letters, text)
    if text.endswith(".cr"):
        return from_program(parse_file(text, parameters=parameters), letters, text, accept)
    if is_task(text):
        return from_task(text)
    if Path(text).suffix in (".py", ".txt", ".json"):
        raise InputError(f"{text!r}: name the function as {text}:function, or give a regex.")
    return from_regex(text, letters)


def is_task(text: str) -> bool:
    """Whether the text names a task (``name`` or ``name:option=value``)."""
    from lengthwise.tasks import TASKS

    return text.partition(":")[0] in TASKS
