"""What can be read off a program without running it: depth, size, fragment, ranges of values."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import (
    Add,
    Compare,
    Count,
    Counting,
    Expression,
    LocalCount,
    Maximum,
    Minimum,
    Number,
    PrefixCount,
    Residue,
    Scale,
    Subtract,
    UnknownNodeError,
    Where,
    postorder,
)

LARGEST_SIZE = 10**18
"""Sizes beyond this are not told apart."""


@dataclass(frozen=True)
class Summary:
    """Everything :func:`analyse` computes about one program; ``size`` is that of :func:`size`."""

    depth: int
    size: int
    layers: tuple[int, ...]
    symbols: tuple[str, ...]
    periods: tuple[int, ...]
    offsets: tuple[int, ...]
    fragment: str
    positive: bool
    generator: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return asdict(self)


def analyse(program: Program) -> Summary:
    """Return depth, size, layers, symbols, periods, offsets and fragment of a program.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> negative = count(Q["a"]) < count(Q["b"])
        >>> summary = analyse(Program({"V": negative, "D": count(negative) == 0}))
        >>> summary.depth, summary.layers, summary.fragment
        (2, (2, 1), 'plain')
    """
    nodes = list(postorder(program.roots))
    depths = depth_of(nodes)
    return Summary(
        depth=max(depths.values()),
        size=size(program.outputs),
        layers=layers(nodes),
        symbols=program.symbols(),
        periods=periods(nodes),
        offsets=offsets(nodes),
        fragment=fragment(nodes),
        positive=is_positive(nodes),
        generator=program.is_generator,
    )


def size(roots: Iterable[Expression]) -> int:
    """Return the size of some expressions: operations written out, with the bits of constants.

    This is the one measure of size: ``crasp show`` prints it, ``crasp learn`` and ``length`` order
    programs by it. An operation counts 1, and as often as it is used: names are abbreviations. A
    constant adds the bits of what is written in it, at least one, and one for a minus sign:

        "a"   true   !P   P && Q   x < y   #P   x + y      1 and the operands
        0   1   2   12   -3                                1   1   2   4   3
        pos % 2 == 0    #[i-1] P    3 * x                  1 + 2 + 1, 1 + 1 and P, 1 + 2 and x

    So there are finitely many programs of a size over an alphabet. Sizes beyond ``LARGEST_SIZE``
    are all the same: a part that is used twice at every level is exponentially large written out.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> size([count(Q["a"]) > count(Q["b"])]), size([count(Q["a"]) > 12])
        (5, 7)
    """
    sizes: dict[Expression, int] = {}
    listed = list(roots)
    for node in postorder(listed):
        written = own_size(type(node), node.constants) + sum(sizes[arg] for arg in node.args)
        sizes[node] = min(LARGEST_SIZE, written)
    return min(LARGEST_SIZE, sum(sizes[root] for root in listed))


def own_size(kind: type[Expression], constants: tuple[Any, ...]) -> int:
    """Return what an operation adds to the size of its operands.

    Example:
        >>> own_size(Number, (12,)), own_size(LocalCount, ((1, 2),))
        (4, 4)
    """
    if issubclass(kind, Number):
        return bits(constants[0])
    if issubclass(kind, Scale | Residue):
        return 1 + sum(map(bits, constants))
    if issubclass(kind, LocalCount):
        return 1 + sum(map(bits, constants[0]))
    return 1


def bits(number: int) -> int:
    """Return the bits of a number, at least one, and one more for a minus sign."""
    return max(1, number.bit_length()) + (number < 0)


def depth_of(nodes: Iterable[Expression]) -> dict[Expression, int]:
    """Return the counting depth of each node of a post-order: the nesting of ``#``.

    Local counts do not add to it: they commute with counting and can be pushed onto letters (Yang
    et al. 2025). They do need a layer each, see :func:`layers`.
    """
    return _nesting(nodes, PrefixCount)


def _nesting(nodes: Iterable[Expression], counted: type) -> dict[Expression, int]:
    levels: dict[Expression, int] = {}
    for node in nodes:
        below = max((levels[arg] for arg in node.args), default=0)
        levels[node] = below + isinstance(node, counted)
    return levels


def layers(nodes: Iterable[Expression]) -> tuple[int, ...]:
    """Return how many counts, local ones included, each attention layer must hold."""
    nodes = list(nodes)
    levels = _nesting(nodes, Counting)
    used = [levels[node] for node in nodes if isinstance(node, Counting)]
    return tuple(used.count(level) for level in range(1, max(used, default=0) + 1))


def periods(nodes: Iterable[Expression]) -> tuple[int, ...]:
    """Return the moduli of the periodic predicates used, sorted."""
    return tuple(sorted({node.modulus for node in nodes if isinstance(node, Residue)}))


def offsets(nodes: Iterable[Expression]) -> tuple[int, ...]:
    """Return the distances i - j used by local counts, sorted."""
    windows = (node.distances for node in nodes if isinstance(node, LocalCount))
    return tuple(sorted({distance for window in windows for distance in window}))


def fragment(nodes: Iterable[Expression]) -> str:
    """Return ``plain``, ``periodic``, ``local`` or ``periodic, local``: the predicates used."""
    kinds: set[str] = set()
    for node in nodes:
        if isinstance(node, Residue) and node.modulus > 1:
            kinds.add("periodic")
        elif isinstance(node, LocalCount) and node.distances != (0,):
            kinds.add("local")
    return ", ".join(sorted(kinds, reverse=True)) or "plain"


def is_positive(nodes: Iterable[Expression]) -> bool:
    """Whether the program is, as written, in the positive fragment C-RASP+.

    There every comparison is between a sum of counts with coefficients of one sign and a constant;
    conditionals, ``min`` and ``max`` are taken as outside, and cancellations are not looked for.
    """
    signs: dict[Expression, frozenset[int]] = {}
    for node in nodes:
        operands = [signs[arg] for arg in node.args if isinstance(arg, Count)]
        if isinstance(node, Compare):
            if len(operands[0] | _flipped(operands[1])) > 1:
                return False
        elif isinstance(node, Count):
            signs[node] = _signs(node, operands)
    return True


def _signs(node: Count, operands: list[frozenset[int]]) -> frozenset[int]:
    """Return the signs with which counts enter a count, from those of its operands."""
    match node:
        case Number():
            return frozenset()
        case PrefixCount() | LocalCount():
            return frozenset((1,))
        case Add():
            return operands[0] | operands[1]
        case Subtract():
            return operands[0] | _flipped(operands[1])
        case Scale(factor):
            return operands[0] if factor > 0 else _flipped(operands[0]) if factor else frozenset()
        case Where() | Minimum() | Maximum():
            return frozenset((1, -1))
        case _:
            raise UnknownNodeError(node)


def _flipped(signs: frozenset[int]) -> frozenset[int]:
    return frozenset(-sign for sign in signs)


Interval = tuple[float, float]
"""A lowest and a highest value, both included."""


def ranges(nodes: Iterable[Expression], length: int) -> dict[Expression, Interval]:
    """Return bounds on every count of a post-order on words up to ``length``, by interval rules.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> root = 3 * count(Q["a"]) - 1
        >>> ranges(postorder([root]), 10)[root]
        (-1, 29)
    """
    bounds: dict[Expression, Interval] = {}
    for node in nodes:
        if isinstance(node, Count):
            operands = [bounds[arg] for arg in node.args if isinstance(arg, Count)]
            bounds[node] = interval(node, operands, length)
    return bounds


def interval(node: Count, operands: list[Interval], length: float) -> Interval:
    """Return bounds on one count from those of its operands, on words up to ``length`` (or inf)."""
    match node, operands:
        case Number(value), _:
            return value, value
        case PrefixCount(), _:
            return 0, length
        case LocalCount(distances), _:
            return 0, min(length, len(distances))
        case Scale(factor), [ends]:
            scaled = [factor * end if factor else 0 for end in ends]  # 0 * inf is not a number
            return min(scaled), max(scaled)
        case Add(), [(a, b), (c, d)]:
            return a + c, b + d
        case Subtract(), [(a, b), (c, d)]:
            return a - d, b - c
        case Minimum(), [(a, b), (c, d)]:
            return min(a, c), min(b, d)
        case Maximum(), [(a, b), (c, d)]:
            return max(a, c), max(b, d)
        case Where(), [(a, b), (c, d)]:
            return min(a, c), max(b, d)
        case _:
            raise UnknownNodeError(node)
