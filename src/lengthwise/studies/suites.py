"""Suites of problems for the scoreboard: the published 25, random regexes, a user's list."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_text
from lengthwise.core.limits import Limits
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.subjects import name_subject
from lengthwise.tasks import load_task
from lengthwise.theory.decide.decision import decide

SUITES = ("huang2024", "random")

_ALGORITHMIC = (
    "binary-majority",
    "majority",
    "interleaved-majority",
    "sort:symbols={symbols}",
    "unique-copy:symbols={symbols}",
    "repeat-copy",
    "parity",
    "addition",
)
_LANGUAGES = (
    *("aa-star", "aaaa-star", "abab-star", "tomita-3", "tomita-5", "tomita-6"),
    *("d-2", "d-3", "d-4", "d-12", "tomita-1", "tomita-2", "tomita-4", "tomita-7"),
    *("abcde", "ab-d-bc", "zero-twos"),
)


def huang2024(longest: int = 150) -> list[str]:
    """Return the 8 + 17 problems of Huang et al. (2024) as tasks, in the order of their tables.

    Sort and copy have as many symbols as the longest input.

    Example:
        >>> len(huang2024()), huang2024(24)[3]
        (25, 'sort:symbols=24')
    """
    return [*(name.format(symbols=longest) for name in _ALGORITHMIC), *_LANGUAGES]


def random_regexes(count: int = 30, seed: int = 0, longest: int = 150) -> list[str]:
    """Draw regexes balanced over three classes: plain, only with positions and windows, neither.

    The classes are those of the decision under ``predict``. Only languages with words of many
    lengths are kept, so that they can be trained.

    Example:
        >>> random_regexes(3, seed=1) == random_regexes(3, seed=1)
        True
    """

    wanted = dict.fromkeys((("in", "in"), ("out", "in"), ("out", "out")), -(-count // 3))
    found: list[str] = []
    seen: set[bytes] = set()
    for pattern in random_patterns(np.random.default_rng(seed)):
        if len(found) >= count:
            return found
        dfa = compile_regex(pattern, "ab").minimise()
        key = dfa.transitions.tobytes() + dfa.accepting.tobytes()
        if key in seen or not 3 <= dfa.states <= 12 or not trainable(dfa, longest):
            continue
        seen.add(key)
        answer = decide(dfa, "predict", Limits(seconds=5))
        kind = answer.plain.answer, answer.periodic_local.answer
        if wanted.get(kind, 0) > 0:
            wanted[kind] -= 1
            found.append(f"regex:{pattern}")
    raise AssertionError("the stream of patterns does not end")


def random_patterns(rng: np.random.Generator) -> Iterator[str]:
    """Yield random expressions over a and b with three to eight letters, without end."""
    while True:
        yield _pattern(rng, int(rng.integers(3, 9)))


def _pattern(rng: np.random.Generator, size: int) -> str:
    """Draw a pattern with about ``size`` letters."""
    if size <= 1:
        return "ab"[rng.integers(2)]
    left = int(rng.integers(1, size))
    kind = rng.random()
    if kind < 0.35:
        return f"({_pattern(rng, size - 1)})*"
    one, two = _pattern(rng, left), _pattern(rng, size - left)
    return f"({one}|{two})" if kind < 0.6 else one + two


def trainable(dfa: DFA, longest: int) -> bool:
    """Whether the language has words of at least a quarter of the lengths in every third."""
    here = np.zeros(dfa.states, dtype=bool)
    here[dfa.initial] = True
    exists: list[bool] = []
    for _ in range(longest):
        after = np.zeros_like(here)
        after[dfa.transitions[here].ravel()] = True
        here = after
        exists.append(bool((here & dfa.accepting).any()))
    third = longest // 3
    return all(4 * sum(exists[k * third : (k + 1) * third]) >= third for k in range(3))


def from_list(path: Path) -> list[str]:
    """Read a user's list: one task or regular expression per line; '# ' starts a comment."""
    tasks: list[str] = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        text = line.strip()
        if text and not text.startswith("# "):
            try:
                kind, name = name_subject(text)
                task = {"regex": f"regex:{name}", "automaton": f"dfa:{name}"}.get(kind, name)
                load_task(task)
            except InputError as error:
                raise InputError(f"--suite {path}, line {number}: {error}") from None
            tasks.append(task)
    if not tasks:
        raise InputError(f"--suite {path} names no problem.")
    return tasks


def load_suite(name: str, *, longest: int, count: int = 30, seed: int = 0) -> list[str]:
    """Return the tasks of a suite by its name, or of a list in a file."""
    if name == "huang2024":
        return huang2024(longest)
    if name == "random":
        return random_regexes(count, seed, longest)
    if not Path(name).is_file():
        known = ", ".join(SUITES)
        raise InputError(f"--suite {name!r}: not a file, and not one of {known}.")
    return from_list(Path(name))
