"""Programs without conditionals, ``min`` and ``max``, which are abbreviations.

A count becomes cases, of which one holds at each position, and a comparison the disjunction over
pairs of cases. A strict count, the usual abbreviation, becomes:

    #"a" - (1 if "a" else 0) >= 1   ->   "a" && #"a" - 1 >= 1  ||  !"a" && #"a" >= 1
"""

from functools import reduce
from itertools import product
from typing import Any

from lengthwise.crasp.constraints import TooManyCasesError
from lengthwise.crasp.simplify import simplify_expressions
from lengthwise.crasp.syntax import (
    Add,
    And,
    Bool,
    Compare,
    Constant,
    Count,
    Expression,
    Maximum,
    Minimum,
    Not,
    Or,
    Scale,
    Subtract,
    Where,
    postorder,
    rebuild,
)

MOST_CASES = 64
TRUE = Constant(True)

Cases = list[tuple[Bool, Count]]


def unsugared(root: Bool) -> Bool:
    """Return an equivalent Boolean without conditionals, ``min`` and ``max``.

    ``TooManyCasesError`` is raised where one count has more than ``MOST_CASES`` cases.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> unsugared(Where(Q["a"], count(Q["a"]), 0) > 1)
        "a" && #"a" > 1
    """
    new: dict[Expression, Any] = {}
    cases: dict[Expression, Cases] = {}
    for node in postorder([root]):
        if isinstance(node, Compare):
            new[node] = _compare(node.sign, cases[node.left], cases[node.right])
        elif isinstance(node, Bool):
            new[node] = rebuild(node, [new[arg] for arg in node.args])
        else:
            cases[node] = _cases(node, new, cases)
    return simplify_expressions([new[root]])[new[root]]


def _cases(node: Any, new: dict[Expression, Any], cases: dict[Expression, Cases]) -> Cases:
    match node:
        case Where(condition, then, otherwise):
            return _choose(new[condition], cases[then], cases[otherwise])
        case Minimum(left, right) | Maximum(left, right):
            sign = "<=" if isinstance(node, Minimum) else ">="
            smaller = _compare(sign, cases[left], cases[right])
            return _choose(smaller, cases[left], cases[right])
        case Add() | Subtract() | Scale():
            ways = product(*(cases[arg] for arg in node.args))
            return _limited(
                [
                    (reduce(_both, (p for p, _ in way)), rebuild(node, [x for _, x in way]))
                    for way in ways
                ]
            )
        case _:
            return [(TRUE, rebuild(node, [new[arg] for arg in node.args]))]


def _choose(condition: Bool, then: Cases, otherwise: Cases) -> Cases:
    yes = [(_both(condition, p), x) for p, x in then]
    no = [(_both(Not(condition), p), x) for p, x in otherwise]
    return _limited(yes + no)


def _compare(sign: str, left: Cases, right: Cases) -> Bool:
    if len(left) * len(right) > MOST_CASES:
        raise TooManyCasesError
    ways = [_both(_both(p, q), Compare(sign, x, y)) for p, x in left for q, y in right]
    return reduce(Or, ways)


def _both(p: Bool, q: Bool) -> Bool:
    return q if p is TRUE else p if q is TRUE else And(p, q)


def _limited(cases: Cases) -> Cases:
    if len(cases) > MOST_CASES:
        raise TooManyCasesError
    return cases
