"""Languages of your own: a regular expression or an automaton in a file."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.formats import read_automaton
from lengthwise.languages.regex import compile_regex
from lengthwise.tasks.formal.regular import RegularTask


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
    """The language of an automaton in a file, ``dfa:even.json`` or OpenFst's ``dfa:even.att``.

    The JSON form is that of ``lengthwise.languages.formats``: ``alphabet``, ``initial``,
    ``accepting`` and ``transitions`` from state to symbol to state.
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
        return read_automaton(Path(self.path)).minimise()
