"""The syntax tree of C-RASP[periodic, local]: small immutable nodes, shared whenever equal.

Each operation is a class below :class:`Bool` or :class:`Count`; calling the class checks the
operands and returns the node. Nodes are hash-consed: building the same operation twice returns the
same object, so equality is identity and a program is a graph in which common parts appear once. All
walks over the graph are iterative (:func:`postorder`), so programs thousands of levels deep are
fine. Who walks it dispatches on the class, and refuses what it has no rule for
(:class:`UnknownNodeError`).

The operations (Huang et al. 2025, Definition 8), at position i, counted from 1:

===============================  =====  ===========================================================
node                             type   meaning
===============================  =====  ===========================================================
Symbol(name)                     Bool   the letter at i is ``name``
Constant(value)                  Bool   true or false
Residue(modulus, residue)        Bool   i mod modulus == residue
Not(P), And(P, Q), Or(P, Q)      Bool   pointwise
Compare(sign, x, y)              Bool   ``x sign y``, the sign one of ``COMPARISONS``
Number(value)                    Count  an integer
PrefixCount(P)                   Count  how many j <= i have P(j)
LocalCount(distances, P)         Count  how many j <= i have P(j) and i - j among the distances
Add(x, y), Subtract(x, y)        Count  pointwise
Scale(factor, x)                 Count  an integer times x
Minimum(x, y), Maximum(x, y)     Count  pointwise
Where(P, x, y)                   Count  x where P holds, else y
===============================  =====  ===========================================================

Example:
    >>> Symbol("a") is Symbol("a")
    True
    >>> count(Symbol("a")) > count(Symbol("b"))
    #"a" > #"b"
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Self
from weakref import WeakValueDictionary

from lengthwise.core.errors import InputError

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
"""What each sign says of two numbers, or of two arrays of whatever library."""
OPPOSITE = {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<="}
"""The sign that holds where another does not."""
SWAPPED = {"<": ">", "<=": ">=", "==": "==", "!=": "!=", ">=": "<=", ">": "<"}
"""The sign that says the same with both sides exchanged."""

_table: "WeakValueDictionary[tuple[Any, ...], Expression]" = WeakValueDictionary()


class UnknownNodeError(TypeError):
    """A walk has no rule for this class of nodes."""

    def __init__(self, node: object) -> None:
        super().__init__(f"no rule for the node {type(node).__name__}")


class Expression:
    """A node: its operands in ``args``, its constants in the slots of its class.

    How it is shown, :func:`lengthwise.crasp.printer.show`, stands with the printer.
    """

    __slots__ = ("__weakref__", "args")

    args: tuple[Any, ...]
    type_name: ClassVar[str] = ""

    @classmethod
    def _shared(cls, constants: tuple[Any, ...] = (), args: "tuple[Expression, ...]" = ()) -> Self:
        """Return the one node with these constants and operands."""
        key = (cls, constants, args)
        node: Any = _table.get(key)
        if node is None:
            node = object.__new__(cls)
            for name, value in zip(cls.__slots__, constants, strict=True):
                object.__setattr__(node, name, value)
            object.__setattr__(node, "args", args)
            _table[key] = node
        return node

    @property
    def constants(self) -> tuple[Any, ...]:
        """The node's constants; its class called with them and the operands is the node again."""
        return tuple(getattr(self, name) for name in type(self).__slots__)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("expressions are immutable")

    def __bool__(self) -> bool:
        raise TypeError(
            "a C-RASP expression has no truth value in Python; "
            "use & | ~ instead of and, or, not, and `is` to compare expressions"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_one, (flatten([self])[0],)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _operand(index: int) -> Any:
    """Name one of a node's operands."""
    return property(lambda node: node.args[index])


class Bool(Expression):
    """An operation with a Boolean at every position; combine with ``&``, ``|`` and ``~``."""

    __slots__ = ()
    type_name = "Boolean"

    def __and__(self, other: "Bool | bool") -> "Bool":
        return And(self, other)

    def __or__(self, other: "Bool | bool") -> "Bool":
        return Or(self, other)

    def __rand__(self, other: "Bool | bool") -> "Bool":
        return And(other, self)

    def __ror__(self, other: "Bool | bool") -> "Bool":
        return Or(other, self)

    def __invert__(self) -> "Bool":
        return Not(self)


class Count(Expression):
    """An operation with an integer at every position.

    Combine with ``+``, ``-``, ``k *`` and compare with ``< <= == != >= >`` (which build Booleans;
    use ``is`` to ask whether two counts are the same expression).
    """

    __slots__ = ()
    type_name = "count"

    __hash__ = object.__hash__

    def __add__(self, other: "Count | int") -> "Count":
        return Add(self, other)

    def __radd__(self, other: "Count | int") -> "Count":
        return Add(other, self)

    def __sub__(self, other: "Count | int") -> "Count":
        return Subtract(self, other)

    def __rsub__(self, other: "Count | int") -> "Count":
        return Subtract(other, self)

    def __mul__(self, factor: int) -> "Count":
        return Scale(factor, self)

    def __rmul__(self, factor: int) -> "Count":
        return Scale(factor, self)

    def __neg__(self) -> "Count":
        return Scale(-1, self)

    def __lt__(self, other: "Count | int") -> Bool:
        return Compare("<", self, other)

    def __le__(self, other: "Count | int") -> Bool:
        return Compare("<=", self, other)

    def __gt__(self, other: "Count | int") -> Bool:
        return Compare(">", self, other)

    def __ge__(self, other: "Count | int") -> Bool:
        return Compare(">=", self, other)

    def __eq__(self, other: "Count | int") -> Bool:  # type: ignore[override]
        return Compare("==", self, other)

    def __ne__(self, other: "Count | int") -> Bool:  # type: ignore[override]
        return Compare("!=", self, other)


def as_bool(value: object) -> Bool:
    """Return ``value`` as a Boolean expression; ``True`` and ``False`` become constants."""
    if isinstance(value, Bool):
        return value
    if isinstance(value, bool):
        return Constant(value)
    raise InputError(f"expected a Boolean, found {_describe(value)}.")


def as_count(value: object) -> Count:
    """Return ``value`` as a count; integers become constants."""
    if isinstance(value, Count):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Number(value)
    raise InputError(f"expected a count, found {_describe(value)}.")


def _describe(value: object) -> str:
    if isinstance(value, Expression):
        text = repr(value)
        return f"the {value.type_name} {text if len(text) < 60 else text[:57] + '...'}"
    return f"{value!r}, a Python {type(value).__name__}"


# --- Booleans -------------------------------------------------------------------------------------


class Symbol(Bool):
    """``Q_s``: the letter at this position is ``name`` (any non-empty string without ``"``)."""

    __slots__ = ("name",)
    __match_args__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Self:
        if not isinstance(name, str) or not name or '"' in name or "\n" in name:
            raise InputError(
                f"a symbol is a non-empty string without quotes or newlines, not {name!r}."
            )
        return cls._shared((name,))


class Constant(Bool):
    """The Boolean constant ``true`` or ``false``."""

    __slots__ = ("value",)
    __match_args__ = ("value",)
    value: bool

    def __new__(cls, value: bool) -> Self:
        return cls._shared((bool(value),))


class Residue(Bool):
    """``i mod modulus == residue`` with positions counted from 1 (a periodic predicate)."""

    __slots__ = ("modulus", "residue")
    __match_args__ = ("modulus", "residue")
    modulus: int
    residue: int

    def __new__(cls, modulus: int, residue: int) -> Self:
        if modulus < 1:
            raise InputError(f"a period must be at least 1, not {modulus}.")
        return cls._shared((modulus, residue % modulus))


class Not(Bool):
    """Negation."""

    __slots__ = ()
    __match_args__ = ("operand",)
    operand: Bool = _operand(0)

    def __new__(cls, operand: Bool | bool) -> Self:
        return cls._shared((), (as_bool(operand),))


class Connective(Bool):
    """Conjunction or disjunction of two Booleans."""

    __slots__ = ()
    __match_args__ = ("left", "right")
    left: Bool = _operand(0)
    right: Bool = _operand(1)

    def __new__(cls, left: Bool | bool, right: Bool | bool) -> Self:
        return cls._shared((), (as_bool(left), as_bool(right)))


class And(Connective):
    """Conjunction."""

    __slots__ = ()


class Or(Connective):
    """Disjunction."""

    __slots__ = ()


class Compare(Bool):
    """Two counts compared by one of ``< <= == != >= >``."""

    __slots__ = ("sign",)
    __match_args__ = ("sign", "left", "right")
    sign: str
    left: Count = _operand(0)
    right: Count = _operand(1)

    def __new__(cls, sign: str, left: Count | int, right: Count | int) -> Self:
        if sign not in COMPARISONS:
            raise InputError(f"unknown comparison {sign!r}; use one of {' '.join(COMPARISONS)}.")
        return cls._shared((sign,), (as_count(left), as_count(right)))


# --- counts ---------------------------------------------------------------------------------------


class Number(Count):
    """A constant count."""

    __slots__ = ("value",)
    __match_args__ = ("value",)
    value: int

    def __new__(cls, value: int) -> Self:
        return cls._shared((int(value),))


class Counting(Count):
    """How many of some positions j <= i satisfy a Boolean: what attention computes."""

    __slots__ = ()
    operand: Bool = _operand(0)


class PrefixCount(Counting):
    """``#P``: how many j <= i satisfy P."""

    __slots__ = ()
    __match_args__ = ("operand",)

    def __new__(cls, operand: Bool | bool) -> Self:
        return cls._shared((), (as_bool(operand),))


class LocalCount(Counting):
    """``#[i-2..i-1] P``: how many j <= i with i - j among ``distances`` (sorted) satisfy P."""

    __slots__ = ("distances",)
    __match_args__ = ("distances", "operand")
    distances: tuple[int, ...]

    def __new__(cls, distances: Iterable[int], operand: Bool | bool) -> Self:
        window = tuple(sorted(set(distances)))
        if not window:
            raise InputError("a local count needs at least one offset.")
        if window[0] < 0:
            raise InputError(f"offset i+{-window[0]} looks ahead; counts see only j <= i.")
        return cls._shared((window,), (as_bool(operand),))


class Arithmetic(Count):
    """Two counts made one, position by position."""

    __slots__ = ()
    __match_args__ = ("left", "right")
    left: Count = _operand(0)
    right: Count = _operand(1)

    def __new__(cls, left: Count | int, right: Count | int) -> Self:
        return cls._shared((), (as_count(left), as_count(right)))


class Add(Arithmetic):
    """Sum of two counts."""

    __slots__ = ()


class Subtract(Arithmetic):
    """Difference of two counts (may be negative)."""

    __slots__ = ()


class Minimum(Arithmetic):
    """The smaller of two counts."""

    __slots__ = ()


class Maximum(Arithmetic):
    """The larger of two counts."""

    __slots__ = ()


class Scale(Count):
    """``k * C`` for an integer constant ``k``; there is no product of two counts in C-RASP."""

    __slots__ = ("factor",)
    __match_args__ = ("factor", "operand")
    factor: int
    operand: Count = _operand(0)

    def __new__(cls, factor: int, operand: Count | int) -> Self:
        if isinstance(factor, Expression):
            raise InputError("a count can only be multiplied by an integer constant.")
        return cls._shared((int(factor),), (as_count(operand),))


class Where(Count):
    """``then if condition else otherwise`` at every position."""

    __slots__ = ()
    __match_args__ = ("condition", "then", "otherwise")
    condition: Bool = _operand(0)
    then: Count = _operand(1)
    otherwise: Count = _operand(2)

    def __new__(cls, condition: Bool | bool, then: Count | int, otherwise: Count | int) -> Self:
        return cls._shared((), (as_bool(condition), as_count(then), as_count(otherwise)))


def count(operand: Bool | bool, offsets: Iterable[int] | None = None) -> Counting:
    """``#P``: how many j <= i satisfy P; with ``offsets`` only those with i - j among them.

    Example:
        >>> count(Symbol("a"), offsets=(1, 2))
        #[i-2..i-1] "a"
    """
    return PrefixCount(operand) if offsets is None else LocalCount(offsets, operand)


# --- walking --------------------------------------------------------------------------------------


def operands(node: Expression) -> Sequence[Expression]:
    """Return the operands of an operation."""
    return node.args


def postorder(
    roots: Iterable[Expression], below: Callable[[Any], Sequence[Expression]] = operands
) -> Iterator[Expression]:
    """Yield every expression below ``roots`` once, operands before the operations using them."""
    seen: set[Expression] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                yield node
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((arg, False) for arg in reversed(below(node)) if arg not in seen)


def rebuild(node: Expression, args: Sequence[Expression]) -> Any:
    """Return the operation of ``node`` applied to other operands (types are checked again)."""
    kind: Any = type(node)
    return kind(*node.constants, *args)


FlatNode = tuple[type, tuple[Any, ...], tuple[int, ...]]


def flatten(roots: Sequence[Expression]) -> tuple[list[FlatNode], list[int]]:
    """Return the graph as a table of (class, constants, operand rows) and the rows of the roots."""
    rows: dict[Expression, int] = {}
    table: list[FlatNode] = []
    for node in postorder(roots):
        rows[node] = len(table)
        table.append((type(node), node.constants, tuple(rows[arg] for arg in node.args)))
    return table, [rows[root] for root in roots]


def unflatten(table: Sequence[FlatNode]) -> list[Any]:
    """Return the expressions of a table made by :func:`flatten`, row by row."""
    nodes: list[Any] = []
    for kind, constants, args in table:
        nodes.append(kind(*constants, *(nodes[index] for index in args)))
    return nodes


def _rebuild_one(table: Sequence[FlatNode]) -> Expression:
    return unflatten(table)[-1]
