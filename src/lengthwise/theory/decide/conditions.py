"""Building formulas without trivial parts, and naming the useful ones."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce

from lengthwise.crasp.embedding import count_before
from lengthwise.crasp.syntax import And, Bool, Constant, Expression, Not, Or, Symbol, count
from lengthwise.languages.machine import Machine

MAX_TERMS = 4_000
TRUE, FALSE = Constant(True), Constant(False)


class ProgramTooLargeError(Exception):
    """The program would be too long to be useful; the certificate still stands."""


def both(*operands: Bool) -> Bool:
    """Conjunction without trivial parts."""
    if any(operand is FALSE for operand in operands):
        return FALSE
    kept = list(dict.fromkeys(operand for operand in operands if operand is not TRUE))
    return reduce(And, kept) if kept else TRUE


def either(operands: Iterable[Bool]) -> Bool:
    """Disjunction without trivial parts."""
    kept = list(dict.fromkeys(operand for operand in operands if operand is not FALSE))
    if any(operand is TRUE for operand in kept):
        return TRUE
    return reduce(Or, kept) if kept else FALSE


def negation(operand: Bool) -> Bool:
    """Negation, folded for constants and double negations."""
    if operand is TRUE or operand is FALSE:
        return FALSE if operand is TRUE else TRUE
    return operand.operand if isinstance(operand, Not) else Not(operand)


def letter_conditions(machine: Machine) -> list[Bool]:
    """Return, for every letter of a machine, that one of the symbols joined in it is read."""
    if machine.alike is None:
        return [Symbol(symbol) for symbol in machine.alphabet]
    return [either(Symbol(symbol) for symbol in symbols) for symbols in machine.alike]


def strictly_before(event: Bool) -> Bool:
    """Whether the event happened at an earlier position."""
    if event is FALSE:
        return FALSE
    return count_before(event) >= 1


def at_offset(operand: Bool, distance: int) -> Bool:
    """Whether the operand held ``distance`` positions ago."""
    return operand if distance == 0 else count(operand, (distance,)) >= 1


@dataclass
class Names:
    """Definitions in order, so that the program reads: counters t1, t2, ..., leave1, ...

    ``terms`` counts what was emitted so far; ``spend`` stops a program that grows too large.
    """

    definitions: dict[Expression, str] = field(default_factory=dict)
    used: Counter[str] = field(default_factory=Counter)
    terms: int = 0

    def spend(self, terms: int = 1) -> None:
        """Count emitted pieces and stop at the limit."""
        self.terms += terms
        if self.terms > MAX_TERMS:
            raise ProgramTooLargeError

    def give(self, stem: str, node: Expression) -> None:
        """Name a node unless it is trivial or has a name."""
        if node.args and node not in self.definitions:
            self.used[stem] += 1
            self.definitions[node] = f"{stem}{self.used[stem]}"
