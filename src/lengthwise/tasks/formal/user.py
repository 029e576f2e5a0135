"""Languages of your own: a regular expression or an automaton in a file."""

import json
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar

from lengthwise.core.errors import InputError, unknown
from lengthwise.languages.dfa import DFA
from lengthwise.languages.formats import from_json, read_automaton
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
class Benchmark(RegularTask):
    """A language of MLRegTest that the blind suite uses, ``mlregtest:04.04.SL.2.1.0``.

    Only the languages that were drawn come with the library; ``dfa:FILE.att`` reads any other.
    """

    language_name: str = ""

    name: ClassVar[str] = "mlregtest"
    summary: ClassVar[str] = "a language of MLRegTest: mlregtest:04.04.SL.2.1.0"
    argument: ClassVar[str] = "language_name"

    def __post_init__(self) -> None:
        known = benchmark_languages()
        if not self.language_name:
            raise InputError(f"task 'mlregtest' needs a language, as {min(known)}.")
        if self.language_name not in known:
            raise unknown(
                "language of MLRegTest that comes with the library", self.language_name, known
            )
        super().__post_init__()

    @cached_property
    def automaton(self) -> DFA:
        """The minimal automaton of the language."""
        return from_json(json.dumps(benchmark_languages()[self.language_name])).minimise()


@cache
def benchmark_languages() -> dict[str, Any]:
    """Return the automata of MLRegTest that come with the library, by their names."""
    path = resources.files("lengthwise.tasks.formal").joinpath("mlregtest.json")
    return json.loads(path.read_text(encoding="utf-8"))["automata"]


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
