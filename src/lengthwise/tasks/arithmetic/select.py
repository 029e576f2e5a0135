"""Select the first, middle or last of some digits."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from lengthwise.languages.dfa import DFA
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.relations.select_circuits import SelectCircuit
from lengthwise.tasks.arithmetic.base import CircuitTask

DIGITS = "0123456789"


@dataclass(frozen=True, kw_only=True)
class _Select(CircuitTask):
    """One output behind ``=``; ``begin`` puts ``<`` in front."""

    begin: bool = False

    which: ClassVar[Literal["first", "middle", "last"]]

    @property
    def circuit(self) -> SelectCircuit:
        """The circuit family: one gate for each scale."""
        return SelectCircuit(self.which, self.begin)


def _selected(which: Literal["first", "last"], begin: bool) -> RegularAnswers:
    """Remember a digit while digits are read, and ask for it behind ``=``.

    State 0 has seen nothing, 1 + d holds the digit d, 11 + d is asked for it, 21 fails.
    """
    fail, held = 21, range(1, 11)
    rows = [[*held, fail, 0]]
    for digit in range(10):
        rows.append([*(held if which == "last" else [1 + digit] * 10), 11 + digit, fail])
    rows += [[fail] * 12] * 11
    asked = [11 <= state < fail for state in range(22)]
    symbols = 12 if begin else 11
    dfa = DFA([*DIGITS, "=", "<"][:symbols], [row[:symbols] for row in rows], 0, asked)
    names = [DIGITS[state - 11] if asked[state] else None for state in range(22)]
    return RegularAnswers.behind(dfa, names)


@dataclass(frozen=True, kw_only=True)
class SelectFirst(_Select):
    """``3 1 4 1 5 = 3``."""

    name: ClassVar[str] = "select-first"
    summary: ClassVar[str] = "the first of some digits"
    which: ClassVar[Literal["first", "middle", "last"]] = "first"

    @property
    def answers(self) -> RegularAnswers:
        """The first digit, remembered."""
        return _selected("first", self.begin)


@dataclass(frozen=True, kw_only=True)
class SelectMiddle(_Select):
    """``3 1 4 1 5 = 4``; the left one of two middle digits."""

    name: ClassVar[str] = "select-middle"
    summary: ClassVar[str] = "the middle one of some digits"
    which: ClassVar[Literal["first", "middle", "last"]] = "middle"


@dataclass(frozen=True, kw_only=True)
class SelectLast(_Select):
    """``3 1 4 1 5 = 5``."""

    name: ClassVar[str] = "select-last"
    summary: ClassVar[str] = "the last of some digits"
    which: ClassVar[Literal["first", "middle", "last"]] = "last"

    @property
    def answers(self) -> RegularAnswers:
        """The last digit, remembered."""
        return _selected("last", self.begin)
