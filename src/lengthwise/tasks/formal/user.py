"""Languages of your own: a regular expression or an automaton in a file."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from lengthwise.errors import InputError
from lengthwise.tasks.formal.regular import RegularTask
from lengthwise.theory.automata.dfa import DFA
from lengthwise.theory.automata.regex import compile_regex


@dataclass(frozen=True, kw_only=True)
class Regex(RegularTask):
    """The language of a regular expression, ``regex:(ab)*;supervision=state``.

    ``alphabet`` names the symbols if they are more than those in the expression.
    """

    pattern: str = ""
    alphabet: str = ""

    name: ClassVar[str] = "regex"
    summary: ClassVar[str] = "the language of a regular expression: regex:(ab)*"
    argument: ClassVar[str] = "pattern"

    def __post_init__(self) -> None:
        if not self.pattern:
            raise InputError("task 'regex' needs an expression: regex:(ab)*.")
        super().__post_init__()

    @cached_property
    def automaton(self) -> DFA:
        """The minimal automaton of the expression."""
        return compile_regex(self.pattern, self.alphabet or None)


@dataclass(frozen=True, kw_only=True)
class Automaton(RegularTask):
    """The language of an automaton in a JSON file, ``dfa:even.json``.

    The file holds ``alphabet`` (symbols), ``transitions`` (for each state the next state by
    symbol, in the order of the alphabet), ``initial`` and ``accepting`` (states).
    """

    path: str = ""

    name: ClassVar[str] = "dfa"
    summary: ClassVar[str] = "the language of an automaton in a file: dfa:even.json"
    argument: ClassVar[str] = "path"

    def __post_init__(self) -> None:
        if not self.path:
            raise InputError("task 'dfa' needs a file: dfa:even.json.")
        super().__post_init__()

    @cached_property
    def automaton(self) -> DFA:
        """The minimal automaton of the file."""
        return load_dfa(self.path).minimise()


def load_dfa(path: str) -> DFA:
    """Read an automaton from a JSON file, or say what is wrong with it."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"automaton file {path!r}: {error.strerror or error}.") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"automaton file {path!r} is not JSON: {error}.") from error
    wanted = ("alphabet", "transitions", "initial", "accepting")
    if not isinstance(data, dict) or set(data) != set(wanted):
        raise InputError(f"automaton file {path!r} needs exactly the keys {', '.join(wanted)}.")
    return _build(path, data)


def _build(path: str, data: dict[str, Any]) -> DFA:
    """Check the types that JSON leaves open; the automaton checks the rest."""
    alphabet, table, accepting = data["alphabet"], data["transitions"], data["accepting"]
    symbols = isinstance(alphabet, list | str) and all(isinstance(s, str) for s in alphabet)
    rows = isinstance(table, list) and all(
        isinstance(row, list) and len(row) == len(alphabet) and all(type(t) is int for t in row)
        for row in table
    )
    final = isinstance(accepting, list) and all(type(state) is int for state in accepting)
    if not (symbols and rows and final and type(data["initial"]) is int):
        raise InputError(
            f"automaton file {path!r}: alphabet is a list of strings, transitions one row of "
            "state numbers per state (one entry per symbol), accepting a list of state numbers."
        )
    if not all(0 <= state < len(table) for state in accepting):
        raise InputError(f"automaton file {path!r}: accepting names a state that does not exist.")
    return DFA(alphabet, table, data["initial"], [q in accepting for q in range(len(table))])
