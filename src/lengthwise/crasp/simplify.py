"""Making programs smaller without changing any value.

Common subexpressions are shared by construction. :func:`simplify` folds constants, removes what
cancels or repeats, decides comparisons that no word can change, and drops definitions that the
outputs do not need. Every rule keeps the value at every position of every word, and at an end
marker, so both acceptance conventions are preserved.
"""

from collections.abc import Iterable
from math import inf
from typing import Any

from lengthwise.crasp.facts import Interval, interval
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import (
    OPPOSITE,
    SWAPPED,
    Add,
    And,
    Bool,
    Compare,
    Constant,
    Count,
    Expression,
    LocalCount,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    PrefixCount,
    Residue,
    Scale,
    Subtract,
    Symbol,
    UnknownNodeError,
    Where,
    postorder,
    rebuild,
)

TRUE, FALSE = Constant(True), Constant(False)


def simplify(program: Program) -> Program:
    """Return a program with the same outputs and no superfluous operations.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> a, b = count(Q["a"]), count(Q["b"])
        >>> noisy = Program({"unused": b, "C": a + 0, "D": ~~(a - 1 > 0) & (b >= 0)})
        >>> print(simplify(noisy), end="")
        C = #"a"
        D = C > 1
    """
    new = simplify_expressions(program.roots)
    outputs = {letter: new[node] for letter, node in program.next.items()}
    targets = [new[node] for node in program.outputs]
    definitions = _kept(program, new, targets)
    if not program.is_generator:
        definitions.append((program.definitions[-1][0], targets[0]))
    return program.replace(definitions=definitions, next=outputs)


def _kept(
    program: Program, new: dict[Expression, Any], targets: list[Expression]
) -> list[tuple[str, Expression]]:
    """Return the definitions still needed, in order, without the last one of a recogniser."""
    needed = set(postorder(targets))
    if not program.is_generator:
        needed -= set(targets)
    last = program.definitions if program.is_generator else program.definitions[:-1]
    kept: dict[Expression, str] = {}
    for name, node in last:
        value = new[node]
        if value in needed and not isinstance(value, Constant | Number | Symbol):
            kept.setdefault(value, name)
    return [(name, node) for node, name in kept.items()]


def simplify_expressions(roots: Iterable[Expression]) -> dict[Expression, Any]:
    """Return the simplified form of every node below ``roots``."""
    rules = Rules()
    new: dict[Expression, Any] = {}
    for node in postorder(roots):
        new[node] = rules.rewrite(rebuild(node, [new[arg] for arg in node.args]))
    return new


# --- the rules: each keeps the value at every position and end marker ---


class Rules:
    """Rewrites one node whose operands are already simple; remembers bounds and twins."""

    def __init__(self) -> None:
        self._bounds: dict[Expression, Interval] = {}
        self._twins: dict[tuple[type, frozenset[Expression]], Expression] = {}

    def rewrite(self, node: Expression) -> Expression:
        """Apply rules until none fits."""
        while True:
            better = self._twin(self._step(node))
            if better is node:
                return node
            node = better

    def _step(self, node: Expression) -> Expression:
        match node:
            case Symbol() | Constant() | Number():
                return node
            case Residue(modulus):
                return TRUE if modulus == 1 else node
            case Not():
                return _not(node)
            case And():
                return _lattice(node, neutral=TRUE, absorbing=FALSE)
            case Or():
                return _lattice(node, neutral=FALSE, absorbing=TRUE)
            case Compare():
                return self._comparison(node)
            case PrefixCount(operand) | LocalCount(_, operand):
                return Number(0) if operand is FALSE else node
            case Add():
                return _add(node)
            case Subtract():
                return _subtract(node)
            case Minimum() | Maximum():
                return self._extreme(node)
            case Scale():
                return _scale(node)
            case Where():
                return _where(node)
            case _:
                raise UnknownNodeError(node)

    def _twin(self, node: Expression) -> Expression:
        """Return the node met earlier that differs only in the order of its two operands."""
        if not isinstance(node, And | Or | Add | Minimum | Maximum):
            return node
        return self._twins.setdefault((type(node), frozenset(node.args)), node)

    def _comparison(self, node: Compare) -> Expression:
        left, right = node.left, node.right
        (a, b), (c, d) = self.bounds(left), self.bounds(right)
        decided = _decide(node.sign, (a - d, b - c)) if left is not right else _same(node.sign)
        if decided is not None:
            return TRUE if decided else FALSE
        return _move_constants(node)

    def _extreme(self, node: Minimum | Maximum) -> Expression:
        left, right = node.left, node.right
        (a, b), (c, d) = self.bounds(left), self.bounds(right)
        small, large = (left, right) if isinstance(node, Minimum) else (right, left)
        if left is right or b <= c:
            return small
        return large if d <= a else node

    def bounds(self, root: Count) -> Interval:
        """Return bounds of a count that hold for words of every length."""
        pending = [root]
        while pending:
            node = pending[-1]
            missing = [a for a in node.args if isinstance(a, Count) and a not in self._bounds]
            if missing:
                pending.extend(missing)
                continue
            pending.pop()
            if node not in self._bounds:
                args = [self._bounds[arg] for arg in node.args if isinstance(arg, Count)]
                self._bounds[node] = interval(node, args, inf)
        return self._bounds[root]


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


def _move_constants(node: Compare) -> Expression:
    """Write ``k < x`` as ``x > k``, ``x + c < k`` as ``x < k - c``, ``x - y < 0`` as ``x < y``."""
    match node:
        case Compare(sign, Number() as k, x):
            return Compare(SWAPPED[sign], x, k)
        case Compare(sign, Add(x, Number(c)), Number(k)):
            return Compare(sign, x, k - c)
        case Compare(sign, Subtract(x, Number(c)), Number(k)):
            return Compare(sign, x, k + c)
        case Compare(sign, Subtract(x, y), Number(0)):
            return Compare(sign, x, y)
        case Compare(sign, Add(x, Number() as c), y) if not isinstance(y, Number):
            return Compare(sign, Subtract(x, y), -c.value)
        case Compare(sign, Subtract(x, Number() as c), y) if not isinstance(y, Number):
            return Compare(sign, Subtract(x, y), c.value)
        case Compare(sign, x, Add(y, Number() as c)):
            return Compare(sign, Subtract(x, y), c.value)
        case Compare(sign, x, Subtract(y, Number() as c)):
            return Compare(sign, Subtract(x, y), -c.value)
        case _:
            return node


def _not(node: Not) -> Expression:
    match node.operand:
        case Constant(value):
            return Constant(not value)
        case Not(operand):
            return operand
        case Compare(sign, x, y):
            return Compare(OPPOSITE[sign], x, y)
        case _:
            return node


def _lattice(node: And | Or, neutral: Bool, absorbing: Bool) -> Expression:
    left, right = node.left, node.right
    if left is absorbing or right is absorbing or _opposed(left, right):
        return absorbing
    if left is neutral or left is right:
        return right
    return left if right is neutral else node


def _opposed(left: Bool, right: Bool) -> bool:
    if isinstance(left, Compare) and isinstance(right, Compare):
        operands = zip(left.args, right.args, strict=True)
        return OPPOSITE[left.sign] == right.sign and all(x is y for x, y in operands)
    return (isinstance(left, Not) and left.operand is right) or (
        isinstance(right, Not) and right.operand is left
    )


def _add(node: Add) -> Expression:
    match node:
        case Add(Number(a), Number(b)):
            return Number(a + b)
        case Add(Number() as k, x):
            return Add(x, k)
        case Add(x, Scale(-1, y)):
            return Subtract(x, y)
        case Add(x, Number(constant)):
            return _shift(x, constant)
        case _:
            return node


def _subtract(node: Subtract) -> Expression:
    if node.left is node.right:
        return Number(0)
    match node:
        case Subtract(Number(a), Number(b)):
            return Number(a - b)
        case Subtract(x, Scale(-1, y)):
            return Add(x, y)
        case Subtract(x, Number(constant)):
            return _shift(x, -constant)
        case Subtract(Add(x, Number(constant)), y):
            return _shift(Subtract(x, y), constant)
        case Subtract(Subtract(x, Number(constant)), y):
            return _shift(Subtract(x, y), -constant)
        case Subtract(x, Add(y, Number(constant))):
            return _shift(Subtract(x, y), -constant)
        case Subtract(x, Subtract(y, Number(constant))):
            return _shift(Subtract(x, y), constant)
        case _:
            return node


def _shift(x: Count, constant: int) -> Expression:
    """Write ``x + constant`` with one constant and the sign that needs none in front."""
    while isinstance(x, Add | Subtract) and isinstance(x.right, Number):
        constant += x.right.value if isinstance(x, Add) else -x.right.value
        x = x.left
    if constant == 0:
        return x
    return Add(x, constant) if constant > 0 else Subtract(x, -constant)


def _scale(node: Scale) -> Expression:
    match node:
        case Scale(1, x):
            return x
        case Scale(0, _):
            return Number(0)
        case Scale(factor, Number(value)):
            return Number(factor * value)
        case Scale(factor, Scale(inner, x)):
            return Scale(factor * inner, x)
        case _:
            return node


def _where(node: Where) -> Expression:
    match node:
        case Where(Constant(value), then, otherwise):
            return then if value else otherwise
        case Where(_, then, otherwise) if then is otherwise:
            return then
        case Where(Not(condition), then, otherwise):
            return Where(condition, otherwise, then)
        case _:
            return node
