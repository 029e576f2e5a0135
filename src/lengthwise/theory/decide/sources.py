"""Where languages come from: expressions, files, functions and suites."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.formats import read_automaton
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.published import Entry, suite


@dataclass(frozen=True)
class Language:
    """A language with its name, where it came from and, in suites, its published verdicts.

    ``dfa`` is None where it could not be learned from a function; ``doubt`` says why.
    """

    name: str
    dfa: DFA | None
    about: dict[str, Any] = field(default_factory=dict)
    published: Entry | None = None
    letters: tuple[str, ...] = ()
    doubt: str = ""


def from_regexes(
    patterns: Iterable[str], alphabet: str | None = None, *, union_plus: bool = False
) -> list[Language]:
    """Read regular expressions; ``regex:`` may stand before one, as elsewhere.

    Example:
        >>> from_regexes(["(ab)*"])[0].dfa.states
        3
    """
    dialect = {"union_plus": True} if union_plus else {}
    return [
        Language(p, compile_regex(p, alphabet, union_plus=union_plus), {"regex": p, **dialect})
        for p in (pattern.removeprefix("regex:") for pattern in patterns)
    ]


def from_file(
    path: Path, alphabet: str | None = None, *, union_plus: bool = False
) -> list[Language]:
    """Read one regular expression per line; empty lines and lines that start with '# ' are not."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file in UTF-8.") from None
    found: list[Language] = []
    for number, line in enumerate(text.splitlines(), 1):
        pattern = line.strip()
        if pattern and not pattern.startswith("# "):
            try:
                found += from_regexes([pattern], alphabet, union_plus=union_plus)
            except InputError as error:
                raise InputError(f"{path}, line {number}: {error}") from None
    if not found:
        raise InputError(f"{path} holds no regular expression.")
    return found


def from_automata(paths: Sequence[Path]) -> list[Language]:
    """Read automata from JSON or OpenFst files."""
    return [
        Language(path.name, read_automaton(path), {"regex": None, "source": str(path)})
        for path in paths
    ]


def from_suite(name: str) -> list[Language]:
    """Return the languages of a suite that ships with the package."""
    return [
        Language(
            entry.name, compile_regex(entry.regex, entry.alphabet), {"regex": entry.regex}, entry
        )
        for entry in suite(name)
    ]
