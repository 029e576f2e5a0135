"""The syntax tree of C-RASP[periodic, local]: small immutable nodes, shared whenever equal.

Every operation is one :class:`Expression`, either a :class:`Bool` or a :class:`Count`. Nodes are
hash-consed: building the same operation twice returns the same object, so equality is identity and
a program is a graph in which common parts appear once. All walks over the graph are iterative
(:func:`postorder`), so programs thousands of levels deep are fine.

Operations (Huang et al. 2025, Definition 8), by the ``op`` field:

===========  ======  ===================  =====================================================
op           type    value                meaning at position i (positions count from 1)
===========  ======  ===================  =====================================================
symbol       Bool    the symbol           the letter at i is this symbol
constant     Bool    True or False        constant
position     Bool    (modulus, residue)   i mod modulus == residue
not/and/or   Bool    None                 pointwise
compare      Bool    one of COMPARISONS   comparison of two counts
number       Count   the integer          constant
count        Count   None or distances    number of j <= i with P(j); with distances (d1, d2, ...):
                                          only those j with i - j among them
add          Count   None                 sum of two counts
subtract     Count   None                 difference of two counts
scale        Count   the integer k        k times the count
min/max      Count   None                 pointwise
where        Count   None                 args (P, x, y): x where P holds, else y
===========  ======  ===================  =====================================================

Example:
    >>> symbol("a") is symbol("a")
    True
    >>> count(symbol("a")) > count(symbol("b"))
    #"a" > #"b"
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from lengthwise.core.errors import InputError

COMPARISONS = ("<", "<=", "==", "!=", ">=", ">")

Offsets = tuple[int, ...] | None

_table: "WeakValueDictionary[tuple[Any, ...], Expression]" = WeakValueDictionary()


class Expression:
    """One operation: ``op`` says which, ``value`` its constant, ``args`` its operands.

    Build expressions with the functions of this module or with Python operators, never directly.
    """

    __slots__ = ("__weakref__", "args", "op", "value")

    op: str
    value: Any
    args: "tuple[Expression, ...]"
    type_name: ClassVar[str] = ""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("expressions are immutable")

    def __bool__(self) -> bool:
        raise TypeError(
            "a C-RASP expression has no truth value in Python; "
            "use & | ~ instead of and, or, not, and `is` to compare expressions"
        )

    def __repr__(self) -> str:
        from lengthwise.crasp.printer import show

        return show(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_one, (flatten([self])[0],)

    def __copy__(self) -> "Expression":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Expression":
        return self


class Bool(Expression):
    """An operation with a Boolean at every position; combine with ``&``, ``|`` and ``~``."""

    __slots__ = ()
    type_name = "Boolean"

    def __and__(self, other: "Bool | bool") -> "Bool":
        return and_(self, other)

    def __or__(self, other: "Bool | bool") -> "Bool":
        return or_(self, other)

    def __rand__(self, other: "Bool | bool") -> "Bool":
        return and_(other, self)

    def __ror__(self, other: "Bool | bool") -> "Bool":
        return or_(other, self)

    def __invert__(self) -> "Bool":
        return not_(self)


class Count(Expression):
    """An operation with an integer at every position.

    Combine with ``+``, ``-``, ``k *`` and compare with ``< <= == != >= >`` (which build Booleans;
    use ``is`` to ask whether two counts are the same expression).
    """

    __slots__ = ()
    type_name = "count"

    __hash__ = object.__hash__

    def __add__(self, other: "Count | int") -> "Count":
        return add(self, other)

    def __radd__(self, other: "Count | int") -> "Count":
        return add(other, self)

    def __sub__(self, other: "Count | int") -> "Count":
        return subtract(self, other)

    def __rsub__(self, other: "Count | int") -> "Count":
        return subtract(other, self)

    def __mul__(self, factor: int) -> "Count":
        return scale(factor, self)

    def __rmul__(self, factor: int) -> "Count":
        return scale(factor, self)

    def __neg__(self) -> "Count":
        return scale(-1, self)

    def __lt__(self, other: "Count | int") -> Bool:
        return compare("<", self, other)

    def __le__(self, other: "Count | int") -> Bool:
        return compare("<=", self, other)

    def __gt__(self, other: "Count | int") -> Bool:
        return compare(">", self, other)

    def __ge__(self, other: "Count | int") -> Bool:
        return compare(">=", self, other)

    def __eq__(self, other: "Count | int") -> Bool:  # type: ignore[override]
        return compare("==", self, other)

    def __ne__(self, other: "Count | int") -> Bool:  # type: ignore[override]
        return compare("!=", self, other)


def _node(kind: type, op: str, value: Any = None, args: tuple[Expression, ...] = ()) -> Any:
    key = (op, type(value), value, args)
    found = _table.get(key)
    if found is None:
        found = object.__new__(kind)
        object.__setattr__(found, "op", op)
        object.__setattr__(found, "value", value)
        object.__setattr__(found, "args", args)
        _table[key] = found
    return found


def as_bool(value: object) -> Bool:
    """Return ``value`` as a Boolean expression; ``True`` and ``False`` become constants."""
    if isinstance(value, Bool):
        return value
    if isinstance(value, bool):
        return constant(value)
    raise InputError(f"expected a Boolean, found {_describe(value)}.")


def as_count(value: object) -> Count:
    """Return ``value`` as a count; integers become constants."""
    if isinstance(value, Count):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return number(value)
    raise InputError(f"expected a count, found {_describe(value)}.")


def _describe(value: object) -> str:
    if isinstance(value, Expression):
        text = repr(value)
        return f"the {value.type_name} {text if len(text) < 60 else text[:57] + '...'}"
    return f"{value!r}, a Python {type(value).__name__}"


def symbol(name: str) -> Bool:
    """``Q_s``: the letter at this position is ``name`` (any non-empty string without ``"``)."""
    if not isinstance(name, str) or not name or '"' in name or "\n" in name:
        raise InputError(
            f"a symbol is a non-empty string without quotes or newlines, not {name!r}."
        )
    return _node(Bool, "symbol", name)


def constant(value: bool) -> Bool:
    """The Boolean constant ``true`` or ``false``."""
    return _node(Bool, "constant", bool(value))


def position(modulus: int, residue: int) -> Bool:
    """``i mod modulus == residue`` with positions counted from 1 (a periodic predicate)."""
    if modulus < 1:
        raise InputError(f"a period must be at least 1, not {modulus}.")
    return _node(Bool, "position", (modulus, residue % modulus))


def not_(operand: Bool | bool) -> Bool:
    """Negation."""
    return _node(Bool, "not", None, (as_bool(operand),))


def and_(left: Bool | bool, right: Bool | bool) -> Bool:
    """Conjunction."""
    return _node(Bool, "and", None, (as_bool(left), as_bool(right)))


def or_(left: Bool | bool, right: Bool | bool) -> Bool:
    """Disjunction."""
    return _node(Bool, "or", None, (as_bool(left), as_bool(right)))


def compare(operator: str, left: Count | int, right: Count | int) -> Bool:
    """Compare two counts with one of ``< <= == != >= >``."""
    if operator not in COMPARISONS:
        raise InputError(f"unknown comparison {operator!r}; use one of {' '.join(COMPARISONS)}.")
    return _node(Bool, "compare", operator, (as_count(left), as_count(right)))


def number(value: int) -> Count:
    """The constant count ``value``."""
    return _node(Count, "number", int(value))


def count(operand: Bool | bool, offsets: Iterable[int] | None = None) -> Count:
    """``#P``: how many j <= i satisfy P; with ``offsets`` only those with i - j among them.

    Example:
        >>> count(symbol("a"), offsets=(1, 2))
        #[i-2..i-1] "a"
    """
    if offsets is None:
        return _node(Count, "count", None, (as_bool(operand),))
    distances = tuple(sorted(set(offsets)))
    if not distances:
        raise InputError("a local count needs at least one offset.")
    if distances[0] < 0:
        raise InputError(f"offset i+{-distances[0]} looks ahead; counts see only j <= i.")
    return _node(Count, "count", distances, (as_bool(operand),))


def add(left: Count | int, right: Count | int) -> Count:
    """Sum of two counts."""
    return _node(Count, "add", None, (as_count(left), as_count(right)))


def subtract(left: Count | int, right: Count | int) -> Count:
    """Difference of two counts (may be negative)."""
    return _node(Count, "subtract", None, (as_count(left), as_count(right)))


def scale(factor: int, operand: Count | int) -> Count:
    """``k * C`` for an integer constant ``k``; there is no product of two counts in C-RASP."""
    if isinstance(factor, Expression):
        raise InputError("a count can only be multiplied by an integer constant.")
    return _node(Count, "scale", int(factor), (as_count(operand),))


def minimum(left: Count | int, right: Count | int) -> Count:
    """The smaller of two counts."""
    return _node(Count, "min", None, (as_count(left), as_count(right)))


def maximum(left: Count | int, right: Count | int) -> Count:
    """The larger of two counts."""
    return _node(Count, "max", None, (as_count(left), as_count(right)))


def where(condition: Bool | bool, then: Count | int, otherwise: Count | int) -> Count:
    """``then if condition else otherwise`` at every position."""
    return _node(Count, "where", None, (as_bool(condition), as_count(then), as_count(otherwise)))


# --- walking -------------------------------------------------------------------------------------


def postorder(roots: Iterable[Expression]) -> Iterator[Expression]:
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
                stack.extend((arg, False) for arg in reversed(node.args) if arg not in seen)


def rebuild(node: Expression, args: Sequence[Expression]) -> Any:
    """Return the operation of ``node`` applied to other operands (types are checked again)."""
    return BUILDERS[node.op](node.value, *args)


BUILDERS: dict[str, Callable[..., Expression]] = {
    "symbol": lambda value: symbol(value),
    "constant": lambda value: constant(value),
    "position": lambda value: position(*value),
    "not": lambda value, p: not_(p),
    "and": lambda value, p, q: and_(p, q),
    "or": lambda value, p, q: or_(p, q),
    "compare": lambda value, x, y: compare(value, x, y),
    "number": lambda value: number(value),
    "count": lambda value, p: count(p, value),
    "add": lambda value, x, y: add(x, y),
    "subtract": lambda value, x, y: subtract(x, y),
    "scale": lambda value, x: scale(value, x),
    "min": lambda value, x, y: minimum(x, y),
    "max": lambda value, x, y: maximum(x, y),
    "where": lambda value, p, x, y: where(p, x, y),
}
"""How to build each operation from its value and operands; its keys are all operations."""

FlatNode = tuple[str, Any, tuple[int, ...]]


def flatten(roots: Sequence[Expression]) -> tuple[list[FlatNode], list[int]]:
    """Return the graph as a table of (op, value, operand rows) and the rows of the roots."""
    rows: dict[Expression, int] = {}
    table: list[FlatNode] = []
    for node in postorder(roots):
        rows[node] = len(table)
        table.append((node.op, node.value, tuple(rows[arg] for arg in node.args)))
    return table, [rows[root] for root in roots]


def unflatten(table: Sequence[FlatNode]) -> list[Any]:
    """Return the expressions of a table made by :func:`flatten`, row by row."""
    nodes: list[Any] = []
    for op, value, args in table:
        nodes.append(BUILDERS[op](value, *(nodes[index] for index in args)))
    return nodes


def _rebuild_one(table: Sequence[FlatNode]) -> Expression:
    return unflatten(table)[-1]
