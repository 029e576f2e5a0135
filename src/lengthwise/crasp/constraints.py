"""Comparisons as linear constraints: ``sum of coefficients * counts  op  bound``.

Conditionals, ``min`` and ``max`` are pushed out of comparisons into Boolean combinations, as in the
normal form of the literature (Yang et al. 2026). ``#P - (1 if P else 0)``, the usual way to count
strictly, is recognised as one strict count.
"""

from dataclasses import dataclass
from typing import Any

from lengthwise.crasp import syntax
from lengthwise.crasp.syntax import Bool, Expression, postorder

LARGEST_SPLIT = 64
"""Most cases into which the conditionals of one count are split."""


@dataclass(frozen=True)
class Form:
    """A linear form at position i, split by what each term needs to know.

    ``after`` maps P to the coefficient of the number of j <= i with P(j), ``before`` to that of the
    number of j < i, ``here`` to that of P(i) itself, ``near`` maps (P, distances) to that of a
    local count; ``constant`` is added.
    """

    after: tuple[tuple[Bool, int], ...]
    before: tuple[tuple[Bool, int], ...]
    here: tuple[tuple[Bool, int], ...]
    near: tuple[tuple[Bool, tuple[int, ...], int], ...]
    constant: int


Cases = list[tuple[Bool, dict[Expression, int], int]]
"""A count as cases: where the condition holds it is the sum of coefficients times atoms, plus a
constant. Exactly one condition holds at each position."""


class TooManyCasesError(Exception):
    """A count splits into more than ``LARGEST_SPLIT`` cases."""


def linearise(root: Bool) -> tuple[Bool, dict[Expression, Form]]:
    """Return an equivalent Boolean and the linear form of each comparison in it.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count, count_before
        >>> new, forms = linearise(count_before(Q["a"]) >= 1)
        >>> [form.before for form in forms.values()]
        [(("a", 1),)]

    In the result a comparison is a leaf: its form says which Booleans it depends on.
    """
    new: dict[Expression, Any] = {}
    cases: dict[Expression, Cases] = {}
    forms: dict[Expression, Form] = {}
    root = _without_extremes(root)
    for node in postorder([root]):
        if node.op == "compare":
            left, right = node.args
            new[node] = _compare(node.value, cases[left], cases[right], forms)
        elif isinstance(node, Bool):
            new[node] = syntax.rebuild(node, [new[arg] for arg in node.args])
        else:
            cases[node] = _cases(node, new, cases)
    return new[root], forms


def _cases(node: Expression, new: dict[Expression, Any], cases: dict[Expression, Cases]) -> Cases:
    true = syntax.constant(True)
    match node.op:
        case "number":
            return [(true, {}, node.value)]
        case "count":
            return [(true, {syntax.count(new[node.args[0]], node.value): 1}, 0)]
        case "scale":
            return _combine(cases[node.args[0]], [(true, {}, 0)], node.value, 0)
        case "add":
            return _combine(cases[node.args[0]], cases[node.args[1]], 1, 1)
        case "subtract":
            return _combine(cases[node.args[0]], cases[node.args[1]], 1, -1)
        case _:
            return _choose(new[node.args[0]], cases[node.args[1]], cases[node.args[2]])


def _limited(cases: Cases) -> Cases:
    if len(cases) > LARGEST_SPLIT:
        raise TooManyCasesError
    return cases


def _both(p: Bool, q: Bool) -> Bool:
    if p.op == "constant":
        return q if p.value else p
    return p if q.op == "constant" and q.value else syntax.and_(p, q)


def _combine(left: Cases, right: Cases, x: int, y: int) -> Cases:
    found: Cases = []
    for p, atoms, constant in left:
        for q, others, other in right:
            total = {atom: x * k for atom, k in atoms.items()}
            for atom, k in others.items():
                total[atom] = total.get(atom, 0) + y * k
            kept = {atom: k for atom, k in total.items() if k}
            found.append((_both(p, q), kept, x * constant + y * other))
    return _limited(found)


def _choose(condition: Bool, then: Cases, otherwise: Cases) -> Cases:
    """Split on the condition; a choice between two constants is an indicator instead."""
    if len(then) == len(otherwise) == 1 and not then[0][1] and not otherwise[0][1]:
        high, low = then[0][2], otherwise[0][2]
        indicator = syntax.where(condition, 1, 0)
        return [(syntax.constant(True), {indicator: high - low} if high != low else {}, low)]
    yes = [(_both(condition, p), atoms, constant) for p, atoms, constant in then]
    no = [(_both(syntax.not_(condition), p), atoms, constant) for p, atoms, constant in otherwise]
    return _limited(yes + no)


def _compare(sign: str, left: Cases, right: Cases, forms: dict[Expression, Form]) -> Bool:
    result: Bool | None = None
    for condition, atoms, constant in _combine(left, right, 1, -1):
        leaf: Any = syntax.compare(sign, _sum(atoms), -constant)
        forms[leaf] = _form(atoms, constant)
        branch = _both(condition, leaf)
        result = branch if result is None else syntax.or_(result, branch)
    assert result is not None
    return result


def _sum(atoms: dict[Expression, int]) -> Any:
    """Return one expression for a sum of atoms; equal sums give the same one."""
    total: Any = syntax.number(0)
    for atom, factor in atoms.items():
        total = syntax.add(total, syntax.scale(factor, atom))  # type: ignore[arg-type]
    return total


def _form(atoms: dict[Expression, int], constant: int) -> Form:
    after: dict[Any, int] = {}
    here: dict[Any, int] = {}
    near: list[tuple[Any, tuple[int, ...], int]] = []
    for atom, factor in atoms.items():
        if atom.op == "where":
            here[atom.args[0]] = factor
        elif atom.value is None:
            after[atom.args[0]] = factor
        else:
            near.append((atom.args[0], atom.value, factor))
    before = {p: k for p, k in after.items() if here.get(p) == -k}
    return Form(
        after=tuple((p, k) for p, k in after.items() if p not in before),
        before=tuple(before.items()),
        here=tuple((p, k) for p, k in here.items() if p not in before),
        near=tuple(near),
        constant=constant,
    )


def _without_extremes(root: Bool) -> Bool:
    """Write ``min`` and ``max`` as conditionals."""
    new: dict[Expression, Any] = {}
    for node in postorder([root]):
        args = [new[arg] for arg in node.args]
        if node.op in ("min", "max"):
            x, y = args if node.op == "min" else reversed(args)
            new[node] = syntax.where(syntax.compare("<=", *args), x, y)
        else:
            new[node] = syntax.rebuild(node, args)
    return new[root]
