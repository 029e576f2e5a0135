"""Counts that include the letter at hand instead of stopping before it.

A program written from an automaton asks for the state *before* a letter, so it counts strictly
earlier positions: ``#P - (1 if P else 0)``. With one case for each letter the second part is known,
and the plain count ``#P`` says as much:

    #"a" - (1 if "a" else 0) == 1 && "a"        becomes        #"a" == 2 && "a"

The value at every letter of every word over the alphabet stays; at an end marker, where no letter
is read, a count of letters needs no correction at all.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from lengthwise.crasp.embedding import count_before
from lengthwise.crasp.interpreter import outside_counts
from lengthwise.crasp.simplify import simplify_expressions
from lengthwise.crasp.syntax import (
    Bool,
    Constant,
    Count,
    Counting,
    Expression,
    LocalCount,
    PrefixCount,
    Subtract,
    Symbol,
    Where,
    rebuild,
)
from lengthwise.languages.convention import Accept
from lengthwise.theory.decide.conditions import both, either


def inclusive(root: Bool, letters: Sequence[str], accept: Accept) -> Bool:
    """Return an output of the same language, read in the same way, that counts inclusively.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count_before
        >>> inclusive((count_before(Q["a"]) == 1) & Q["a"], "ab", "last")
        "a" && #"a" == 2
    """
    whole = _Inclusive(tuple(letters))
    return whole.split(root) if accept == "last" else whole.case(root, None)


class _Inclusive:
    def __init__(self, letters: tuple[str, ...]) -> None:
        self.letters = letters
        self.splits: dict[Bool, Bool] = {}

    def split(self, operand: Bool) -> Bool:
        """Return the operand as one case for each group of letters that leave it the same."""
        if operand not in self.splits:
            cases: dict[Bool, list[str]] = {}
            for letter in self.letters:
                cases.setdefault(self.case(operand, letter), []).append(letter)
            self.splits[operand] = _simple(
                either(both(_one_of(group, self.letters), case) for case, group in cases.items())
            )
        return self.splits[operand]

    def case(self, root: Bool, letter: str | None) -> Bool:
        """Return the operand as it is where this letter is read, or none."""
        new: dict[Expression, Any] = {}
        for node in outside_counts([root]):
            match node:
                case Symbol(name):
                    new[node] = Constant(name == letter)
                case LocalCount(distances, operand) if 0 not in distances:
                    new[node] = LocalCount(distances, self.split(operand))
                case Counting():
                    new[node] = rebuild(node, [self.split(node.operand)])
                case Subtract(PrefixCount(event), Where(again)) if again is event:
                    new[node] = self._before(event, new[event])
                case _:
                    new[node] = rebuild(node, [new[arg] for arg in node.args])
        return _simple(new[root])

    def _before(self, event: Bool, here: Bool) -> Count:
        """Return ``#P - (1 if P else 0)``: inclusive where P is known here, else as it was."""
        known = _simple(here)
        counted = self.split(event)
        if isinstance(known, Constant):
            return PrefixCount(counted) - int(known.value)
        return count_before(counted)


def _one_of(group: Iterable[str], letters: Sequence[str]) -> Bool:
    chosen = list(group)
    if len(chosen) == len(letters):
        return Constant(True)
    return either(Symbol(letter) for letter in chosen)


def _simple(root: Bool) -> Bool:
    return simplify_expressions([root])[root]
