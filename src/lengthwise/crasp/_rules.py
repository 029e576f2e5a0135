"""The rewriting rules of ``simplify``: each keeps the value at every position and end marker."""

from collections.abc import Callable
from math import inf
from typing import Any

from lengthwise.crasp import syntax
from lengthwise.crasp.syntax import Bool, Count, Expression

Interval = tuple[float, float]

TRUE, FALSE = syntax.constant(True), syntax.constant(False)
OPPOSITE = {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<="}
SWAPPED = {"<": ">", "<=": ">=", "==": "==", "!=": "!=", ">=": "<=", ">": "<"}


class Rules:
    """Rewrites one node whose operands are already simple; remembers bounds and twins."""

    def __init__(self) -> None:
        self._bounds: dict[Expression, Interval] = {}
        self._twins: dict[tuple[str, frozenset[Expression]], Expression] = {}

    def rewrite(self, node: Expression) -> Expression:
        """Apply rules until none fits."""
        rules: dict[str, Callable[[Any], Expression]] = _RULES
        while True:
            if node.op == "compare":
                better = self._comparison(node)
            elif node.op in ("min", "max"):
                better = self._extreme(node)
            else:
                better = rules[node.op](node) if node.op in rules else node
            better = self._twin(better)
            if better is node:
                return node
            node = better

    def _twin(self, node: Expression) -> Expression:
        """Return the node met earlier that differs only in the order of its two operands."""
        if node.op not in ("and", "or", "add", "min", "max"):
            return node
        return self._twins.setdefault((node.op, frozenset(node.args)), node)

    def _comparison(self, node: Expression) -> Expression:
        left, right = node.args
        (a, b), (c, d) = self.bounds(left), self.bounds(right)
        decided = _decide(node.value, (a - d, b - c)) if left is not right else _same(node.value)
        if decided is not None:
            return TRUE if decided else FALSE
        return _move_constants(node)

    def _extreme(self, node: Expression) -> Expression:
        left, right = node.args
        (a, b), (c, d) = self.bounds(left), self.bounds(right)
        small, large = (left, right) if node.op == "min" else (right, left)
        if left is right or b <= c:
            return small
        return large if d <= a else node

    def bounds(self, root: Expression) -> Interval:
        """Return bounds of a count that hold for words of every length."""
        pending = [root]
        while pending:
            node = pending[-1]
            missing = [a for a in node.args if isinstance(a, Count) and a not in self._bounds]
            if missing and node.op != "count":
                pending.extend(missing)
                continue
            pending.pop()
            if node not in self._bounds:
                args = [self._bounds[arg] for arg in node.args if isinstance(arg, Count)]
                self._bounds[node] = _interval(node, args)
        return self._bounds[root]


def _interval(node: Expression, args: list[Interval]) -> Interval:
    match node.op:
        case "number":
            return node.value, node.value
        case "count":
            return 0, inf if node.value is None else len(node.value)
        case "add":
            return args[0][0] + args[1][0], args[0][1] + args[1][1]
        case "subtract":
            return args[0][0] - args[1][1], args[0][1] - args[1][0]
        case "scale":
            ends = [end * node.value if node.value else 0 for end in args[0]]
            return min(ends), max(ends)
        case "min":
            return min(args[0][0], args[1][0]), min(args[0][1], args[1][1])
        case "max":
            return max(args[0][0], args[1][0]), max(args[0][1], args[1][1])
        case _:
            return min(args[0][0], args[1][0]), max(args[0][1], args[1][1])


def _same(sign: str) -> bool:
    return sign in ("<=", "==", ">=")


def _decide(sign: str, difference: Interval) -> bool | None:
    """Decide ``left - right sign 0`` from bounds of the difference, if they suffice."""
    low, high = difference
    if sign in (">", ">=", "!="):
        decided = _decide(OPPOSITE[sign], difference)
        return None if decided is None else not decided
    if sign == "==":
        return False if low > 0 or high < 0 else (True if low == high == 0 else None)
    limit = 0 if sign == "<=" else -1
    return True if high <= limit else (False if low > limit else None)


def _move_constants(node: Any) -> Expression:
    """Write ``k < x`` as ``x > k``, ``x + c < k`` as ``x < k - c``, ``x - y < 0`` as ``x < y``."""
    x, y = node.args
    if x.op == "number":
        return syntax.compare(SWAPPED[node.value], y, x)
    if y.op != "number":
        return node
    if x.op in ("add", "subtract") and x.args[1].op == "number":
        shift = x.args[1].value if x.op == "add" else -x.args[1].value
        return syntax.compare(node.value, x.args[0], y.value - shift)
    if x.op == "subtract" and y.value == 0:
        return syntax.compare(node.value, x.args[0], x.args[1])
    return node


def _not(node: Any) -> Expression:
    (operand,) = node.args
    if operand.op == "constant":
        return syntax.constant(not operand.value)
    if operand.op == "not":
        return operand.args[0]
    if operand.op == "compare":
        return syntax.compare(OPPOSITE[operand.value], *operand.args)
    return node


def _and(node: Any) -> Expression:
    return _lattice(node, neutral=TRUE, absorbing=FALSE)


def _or(node: Any) -> Expression:
    return _lattice(node, neutral=FALSE, absorbing=TRUE)


def _lattice(node: Any, neutral: Bool, absorbing: Bool) -> Expression:
    left, right = node.args
    if left is absorbing or right is absorbing or _opposed(left, right):
        return absorbing
    if left is neutral or left is right:
        return right
    return left if right is neutral else node


def _opposed(left: Expression, right: Expression) -> bool:
    if left.op == "compare" and right.op == "compare":
        operands = zip(left.args, right.args, strict=True)
        return OPPOSITE[left.value] == right.value and all(x is y for x, y in operands)
    return (left.op == "not" and left.args[0] is right) or (
        right.op == "not" and right.args[0] is left
    )


def _position(node: Any) -> Expression:
    return TRUE if node.value[0] == 1 else node


def _count(node: Any) -> Expression:
    return syntax.number(0) if node.args[0] is FALSE else node


def _add(node: Any) -> Expression:
    x, y = node.args
    if x.op == "number" and y.op == "number":
        return syntax.number(x.value + y.value)
    if x.op == "number":
        return syntax.add(y, x)
    if y.op == "scale" and y.value == -1:
        return syntax.subtract(x, y.args[0])
    return _shift(node, x, y.value) if y.op == "number" else node


def _subtract(node: Any) -> Expression:
    x, y = node.args
    if x is y:
        return syntax.number(0)
    if x.op == "number" and y.op == "number":
        return syntax.number(x.value - y.value)
    if y.op == "scale" and y.value == -1:
        return syntax.add(x, y.args[0])
    return _shift(node, x, -y.value) if y.op == "number" else node


def _shift(node: Any, x: Any, constant: int) -> Expression:
    """Write ``x + constant`` with one constant and the sign that needs none in front."""
    while x.op in ("add", "subtract") and x.args[1].op == "number":
        constant += x.args[1].value if x.op == "add" else -x.args[1].value
        x = x.args[0]
    if constant == 0:
        return x
    return syntax.add(x, constant) if constant > 0 else syntax.subtract(x, -constant)


def _scale(node: Any) -> Expression:
    (x,) = node.args
    if node.value == 1:
        return x
    if node.value == 0 or x.op == "number":
        return syntax.number(node.value * (x.value if node.value else 0))
    return syntax.scale(node.value * x.value, x.args[0]) if x.op == "scale" else node


def _where(node: Any) -> Expression:
    condition, then, otherwise = node.args
    if condition.op == "constant":
        return then if condition.value else otherwise
    if then is otherwise:
        return then
    if condition.op == "not":
        return syntax.where(condition.args[0], otherwise, then)
    return node


_RULES: dict[str, Callable[[Any], Expression]] = {
    "not": _not,
    "and": _and,
    "or": _or,
    "position": _position,
    "count": _count,
    "add": _add,
    "subtract": _subtract,
    "scale": _scale,
    "where": _where,
}
