"""What can be read off a program without running it: depth, size, fragment, ranges of values."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Expression, postorder


@dataclass(frozen=True)
class Summary:
    """Everything :func:`analyse` computes about one program."""

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
        size=len(nodes),
        layers=layers(nodes),
        symbols=program.symbols(),
        periods=periods(nodes),
        offsets=offsets(nodes),
        fragment=fragment(nodes),
        positive=is_positive(nodes),
        generator=program.is_generator,
    )


def depth_of(nodes: Iterable[Expression]) -> dict[Expression, int]:
    """Return the counting depth of each node of a post-order: the nesting of ``#``.

    Local counts do not add to it: they commute with counting and can be pushed onto letters (Yang
    et al. 2025). They do need a layer each, see :func:`layers`.
    """
    return _nesting(nodes, lambda node: node.op == "count" and node.value is None)


def _nesting(
    nodes: Iterable[Expression], counted: Callable[[Expression], bool]
) -> dict[Expression, int]:
    levels: dict[Expression, int] = {}
    for node in nodes:
        levels[node] = max((levels[arg] for arg in node.args), default=0) + counted(node)
    return levels


def layers(nodes: Iterable[Expression]) -> tuple[int, ...]:
    """Return how many counts, local ones included, each attention layer must hold."""
    nodes = list(nodes)
    levels = _nesting(nodes, lambda node: node.op == "count")
    found = [levels[node] for node in nodes if node.op == "count"]
    return tuple(found.count(level) for level in range(1, max(found, default=0) + 1))


def periods(nodes: Iterable[Expression]) -> tuple[int, ...]:
    """Return the moduli of the periodic predicates used, sorted."""
    return tuple(sorted({node.value[0] for node in nodes if node.op == "position"}))


def offsets(nodes: Iterable[Expression]) -> tuple[int, ...]:
    """Return the distances i - j used by local counts, sorted."""
    windows = (node.value for node in nodes if node.op == "count" and node.value is not None)
    return tuple(sorted({distance for window in windows for distance in window}))


def fragment(nodes: Iterable[Expression]) -> str:
    """Return ``plain``, ``periodic``, ``local`` or ``periodic, local``: the predicates used."""
    kinds: set[str] = set()
    for node in nodes:
        if node.op == "position" and node.value[0] > 1:
            kinds.add("periodic")
        elif node.op == "count" and node.value is not None and node.value != (0,):
            kinds.add("local")
    return ", ".join(sorted(kinds, reverse=True)) or "plain"


def is_positive(nodes: Iterable[Expression]) -> bool:
    """Whether the program is, as written, in the positive fragment C-RASP+.

    There every comparison is between a sum of counts with coefficients of one sign and a constant;
    conditionals, ``min`` and ``max`` are taken as outside, and cancellations are not looked for.
    """
    signs: dict[Expression, frozenset[int]] = {}
    both = frozenset((1, -1))
    for node in nodes:
        args = [signs.get(arg, frozenset()) for arg in node.args]
        if node.op == "count":
            signs[node] = frozenset((1,))
        elif node.op in ("add", "subtract", "compare"):
            flip = 1 if node.op == "add" else -1
            signs[node] = args[0] | {flip * sign for sign in args[1]}
        elif node.op == "scale":
            sign = (node.value > 0) - (node.value < 0)
            signs[node] = frozenset(sign * s for s in args[0] if sign)
        elif node.op in ("where", "min", "max"):
            signs[node] = both
        if node.op == "compare" and len(signs.pop(node)) > 1:
            return False
    return True


Range = tuple[int, int]


def ranges(nodes: Iterable[Expression], length: int) -> dict[Expression, Range]:
    """Return bounds on every count of a post-order on words up to ``length``, by interval rules.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> root = 3 * count(Q["a"]) - 1
        >>> ranges(postorder([root]), 10)[root]
        (-1, 29)
    """
    found: dict[Expression, Range] = {}
    for node in nodes:
        values = [found[arg] for arg in node.args if arg in found]
        bound = _range(node, values, length)
        if bound is not None:
            found[node] = bound
    return found


def _range(node: Expression, values: list[Range], length: int) -> Range | None:
    match node.op:
        case "number":
            return node.value, node.value
        case "count":
            return 0, length if node.value is None else min(length, len(node.value))
        case "scale":
            ends = [node.value * end for end in values[0]]
            return min(ends), max(ends)
        case "add":
            return values[0][0] + values[1][0], values[0][1] + values[1][1]
        case "subtract":
            return values[0][0] - values[1][1], values[0][1] - values[1][0]
        case "min":
            return min(values[0][0], values[1][0]), min(values[0][1], values[1][1])
        case "max":
            return max(values[0][0], values[1][0]), max(values[0][1], values[1][1])
        case "where":
            return min(values[0][0], values[1][0]), max(values[0][1], values[1][1])
        case _:
            return None
