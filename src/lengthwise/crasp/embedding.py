"""C-RASP written in Python: the same trees as the text format, built by operators.

Example:
    >>> balanced = count(Q["("]) == count(Q[")"])
    >>> never_negative = count(count(Q["("]) < count(Q[")"])) == 0
    >>> balanced & never_negative
    #"(" == #")" && #(#"(" < #")") == 0
    >>> Q["b"] & prev(Q["a"])
    "b" && #[i-1] "a" >= 1
    >>> count(Q["a"] & (pos % 2 == 0))
    #("a" && pos % 2 == 0)
"""

from collections.abc import Iterable
from functools import reduce

from lengthwise.crasp.syntax import (
    And,
    Bool,
    Constant,
    Count,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    Residue,
    Symbol,
    Where,
    as_count,
    count,
)

__all__ = [
    "Q",
    "all_of",
    "any_of",
    "count",
    "count_before",
    "exists",
    "false",
    "maximum",
    "minimum",
    "never",
    "number",
    "pos",
    "prev",
    "total",
    "true",
    "where",
]

true: Bool = Constant(True)
false: Bool = Constant(False)


class _Letters:
    """``Q["a"]`` is the Boolean "the letter here is a"."""

    def __getitem__(self, name: str) -> Bool:
        return Symbol(name)

    def __repr__(self) -> str:
        return "Q"


class _Residue:
    """``pos % m``, waiting to be compared with a residue by ``==`` or ``!=``."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, modulus: int) -> None:
        self._modulus = modulus

    def __eq__(self, residue: int) -> Bool:  # type: ignore[override]
        return Residue(self._modulus, residue)

    def __ne__(self, residue: int) -> Bool:  # type: ignore[override]
        return Not(Residue(self._modulus, residue))

    def __repr__(self) -> str:
        return f"pos % {self._modulus}"


class _Position:
    """The position, counted from 1; only its residues can be asked for."""

    def __mod__(self, modulus: int) -> _Residue:
        return _Residue(modulus)

    def __repr__(self) -> str:
        return "pos"


Q = _Letters()
pos = _Position()


def number(value: int) -> Count:
    """The constant count ``value``."""
    return Number(value)


def minimum(left: Count | int, right: Count | int) -> Count:
    """The smaller of two counts."""
    return Minimum(left, right)


def maximum(left: Count | int, right: Count | int) -> Count:
    """The larger of two counts."""
    return Maximum(left, right)


def where(condition: Bool | bool, then: Count | int, otherwise: Count | int) -> Count:
    """``then if condition else otherwise`` at every position."""
    return Where(condition, then, otherwise)


def prev(operand: Bool, distance: int = 1) -> Bool:
    """Whether ``operand`` held ``distance`` positions earlier (false where there is none).

    Example:
        >>> prev(Q["a"], 2)
        #[i-2] "a" >= 1
    """
    return count(operand, offsets=(distance,)) >= 1


def count_before(operand: Bool) -> Count:
    """Strict counting, j < i: ``#P`` minus one where P holds here (Yang & Chiang 2024).

    Example:
        >>> count_before(Q["a"])
        #"a" - (1 if "a" else 0)
    """
    return count(operand) - where(operand, 1, 0)


def exists(operand: Bool) -> Bool:
    """``#P >= 1``: P holds here or at some earlier position."""
    return count(operand) >= 1


def never(operand: Bool) -> Bool:
    """``#P == 0``: P holds neither here nor at any earlier position."""
    return count(operand) == 0


def any_of(operands: Iterable[Bool]) -> Bool:
    """Disjunction of any number of Booleans; ``false`` for none."""
    items = list(operands)
    return reduce(Or, items) if items else false


def all_of(operands: Iterable[Bool]) -> Bool:
    """Conjunction of any number of Booleans; ``true`` for none."""
    items = list(operands)
    return reduce(And, items) if items else true


def total(operands: Iterable[Count | int]) -> Count:
    """Sum of any number of counts; ``0`` for none."""
    items = [as_count(item) for item in operands]
    return reduce(lambda x, y: x + y, items) if items else Number(0)
