"""Comparisons as linear constraints: ``sum of coefficients * counts  op  bound``.

Conditionals, ``min`` and ``max`` are pushed out of comparisons into Boolean combinations, as in the
normal form of the literature (Yang et al. 2026). ``#P - (1 if P else 0)``, the usual way to count
strictly, is recognised as one strict count.

A count becomes cases, of which exactly one holds at each position, and a comparison of two counts
the disjunction over pairs of cases:

    max(#"a", #"b") > 2
      -> (#"b" if #"a" <= #"b" else #"a") > 2                      max is a conditional
      -> cases:  #"a" <= #"b"    : #"b"                            condition : linear form
                 !(#"a" <= #"b") : #"a"
      -> #"a" <= #"b" && #"b" > 2  ||  !(#"a" <= #"b") && #"a" > 2
"""

from dataclasses import dataclass
from typing import Any

from lengthwise.crasp.syntax import (
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
    Scale,
    Subtract,
    UnknownNodeError,
    Where,
    postorder,
    rebuild,
)

TRUE = Constant(True)

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


Atoms = dict[Count, int]
"""Coefficients of counts that are not split further: ``#P``, local counts, ``1 if P else 0``."""

Cases = list[tuple[Bool, Atoms, int]]
"""A count as cases: where the condition holds it is the sum of coefficients times atoms, plus a
constant. Exactly one condition holds at each position."""


class TooManyCasesError(Exception):
    """A count splits into more than ``LARGEST_SPLIT`` cases."""


def linearise(root: Bool) -> tuple[Bool, dict[Compare, Form]]:
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
    forms: dict[Compare, Form] = {}
    root = _without_extremes(root)
    for node in postorder([root]):
        if isinstance(node, Compare):
            new[node] = _compare(node.sign, cases[node.left], cases[node.right], forms)
        elif isinstance(node, Bool):
            new[node] = rebuild(node, [new[arg] for arg in node.args])
        else:
            cases[node] = _cases(node, new, cases)
    return new[root], forms


def _cases(node: Expression, new: dict[Expression, Any], cases: dict[Expression, Cases]) -> Cases:
    match node:
        case Number(value):
            return [(TRUE, {}, value)]
        case PrefixCount(operand) | LocalCount(_, operand):
            return [(TRUE, {rebuild(node, [new[operand]]): 1}, 0)]
        case Scale(factor, operand):
            return _combine(cases[operand], [(TRUE, {}, 0)], factor, 0)
        case Add(left, right):
            return _combine(cases[left], cases[right], 1, 1)
        case Subtract(left, right):
            return _combine(cases[left], cases[right], 1, -1)
        case Where(condition, then, otherwise):
            return _choose(new[condition], cases[then], cases[otherwise])
        case _:
            raise UnknownNodeError(node)


def _limited(cases: Cases) -> Cases:
    if len(cases) > LARGEST_SPLIT:
        raise TooManyCasesError
    return cases


def _both(p: Bool, q: Bool) -> Bool:
    if isinstance(p, Constant):
        return q if p.value else p
    return p if q is TRUE else And(p, q)


def _combine(left: Cases, right: Cases, x: int, y: int) -> Cases:
    cases: Cases = []
    for p, atoms, constant in left:
        for q, others, other in right:
            total = {atom: x * k for atom, k in atoms.items()}
            for atom, k in others.items():
                total[atom] = total.get(atom, 0) + y * k
            kept = {atom: k for atom, k in total.items() if k}
            cases.append((_both(p, q), kept, x * constant + y * other))
    return _limited(cases)


def _choose(condition: Bool, then: Cases, otherwise: Cases) -> Cases:
    """Split on the condition; a choice between two constants is an indicator instead."""
    if len(then) == len(otherwise) == 1 and not then[0][1] and not otherwise[0][1]:
        high, low = then[0][2], otherwise[0][2]
        indicator = Where(condition, 1, 0)
        return [(TRUE, {indicator: high - low} if high != low else {}, low)]
    yes = [(_both(condition, p), atoms, constant) for p, atoms, constant in then]
    no = [(_both(Not(condition), p), atoms, constant) for p, atoms, constant in otherwise]
    return _limited(yes + no)


def _compare(sign: str, left: Cases, right: Cases, forms: dict[Compare, Form]) -> Bool:
    result: Bool | None = None
    for condition, atoms, constant in _combine(left, right, 1, -1):
        leaf = Compare(sign, _sum(atoms), -constant)
        forms[leaf] = _form(atoms, constant)
        branch = _both(condition, leaf)
        result = branch if result is None else Or(result, branch)
    assert result is not None
    return result


def _sum(atoms: Atoms) -> Count:
    """Return one expression for a sum of atoms; equal sums give the same one."""
    total: Count = Number(0)
    for atom, factor in atoms.items():
        total = Add(total, Scale(factor, atom))
    return total


def _form(atoms: Atoms, constant: int) -> Form:
    after: dict[Bool, int] = {}
    here: dict[Bool, int] = {}
    near: list[tuple[Bool, tuple[int, ...], int]] = []
    for atom, factor in atoms.items():
        match atom:
            case Where(condition):
                here[condition] = factor
            case LocalCount(distances, operand):
                near.append((operand, distances, factor))
            case PrefixCount(operand):
                after[operand] = factor
            case _:
                raise UnknownNodeError(atom)
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
        match node:
            case Minimum():
                new[node] = Where(Compare("<=", *args), args[0], args[1])
            case Maximum():
                new[node] = Where(Compare("<=", *args), args[1], args[0])
            case _:
                new[node] = rebuild(node, args)
    return new[root]
