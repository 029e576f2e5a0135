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


@dataclass(frozen=True)
class Summary:
    """Everything :func:`analyse` computes about one program; ``size`` counts shared operations."""

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
        size=shared_operations(nodes),
        layers=layers(nodes),
        symbols=program.symbols(),
        periods=periods(nodes),
        offsets=offsets(nodes),
        fragment=fragment(nodes),
        positive=is_positive(nodes),
        generator=program.is_generator,
    )


def shared_operations(nodes: Iterable[Expression]) -> int:
    """Return how many different operations there are: the nodes of the graph, each once."""
    return len(set(nodes))


def written_operations(root: Expression) -> int:
    """Return how many operations stand in ``root`` written out: the nodes of the tree.

    This is the size by which ``learn`` orders its candidates. A shared part counts as often as it
    is used, so the number may be exponential in that of :func:`shared_operations`.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> twice = count(Q["a"]) + count(Q["a"])
        >>> written_operations(twice), shared_operations(postorder([twice]))
        (5, 3)
    """
    sizes: dict[Expression, int] = {}
    for node in postorder([root]):
        sizes[node] = 1 + sum(sizes[arg] for arg in node.args)
    return sizes[root]


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
