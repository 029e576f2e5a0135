"""Programs beside a program: one constant, sign, letter or connective changed, or a part left out.

Most late differences are of this kind: D_12 and D_13 agree on all words shorter than 26.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from lengthwise.crasp.facts import bits
from lengthwise.crasp.syntax import (
    COMPARISONS,
    Add,
    And,
    Bool,
    Compare,
    Constant,
    Expression,
    LocalCount,
    Not,
    Number,
    Or,
    PrefixCount,
    Residue,
    Subtract,
    Symbol,
    postorder,
    rebuild,
)


def neighbours(root: Bool, letters: Sequence[str]) -> Iterator[Bool]:
    """Yield every program that differs from one in a single place, each once.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> [str(found) for found in neighbours(count(Q["a"]) > 2, "a")][:3]
        ['#"a" < 2', '#"a" <= 2', '#"a" == 2']
    """
    seen: set[Expression] = {root}
    nodes = list(postorder([root]))
    for node in reversed(nodes):
        for other in _others(node, letters):
            changed = _replaced(nodes, node, other)
            if changed not in seen:
                seen.add(changed)
                yield changed


def _replaced(nodes: list[Expression], node: Expression, other: Expression) -> Any:
    """Rebuild the last of some nodes with one of them replaced wherever it is used."""
    new: dict[Expression, Any] = {}
    for each in nodes:
        same = all(new[arg] is arg for arg in each.args)
        new[each] = (
            other
            if each is node
            else each
            if same
            else rebuild(each, [new[arg] for arg in each.args])
        )
    return new[nodes[-1]]


def _others(node: Expression, letters: Sequence[str]) -> Iterator[Expression]:
    """Yield what may stand in the place of a node; nothing that is larger."""
    match node:
        case Compare(sign):
            yield from (Compare(other, *node.args) for other in COMPARISONS if other != sign)
        case Number(value):
            yield from (Number(k) for k in _near(value) if k != value)
        case Symbol(name):
            yield from (Symbol(other) for other in letters if other != name)
        case Residue(modulus, residue):
            near = [(m, r) for m in _near(modulus) if m > 1 for r in _near(residue) if 0 <= r < m]
            yield from (Residue(m, r) for m, r in near if (m, r) != (modulus, residue))
        case LocalCount(distances, operand):
            yield PrefixCount(operand)
            for shift in (-1, 1):
                moved = [distance + shift for distance in distances]
                if moved[0] >= 0 and sum(map(bits, moved)) <= sum(map(bits, distances)):
                    yield LocalCount(moved, operand)
        case And(left, right) | Or(left, right):
            yield (Or if isinstance(node, And) else And)(left, right)
            yield from (left, right)
        case Add(left, right) | Subtract(left, right):
            yield (Subtract if isinstance(node, Add) else Add)(left, right)
            yield from (left, right)
        case Not(operand):
            yield operand
        case _:
            pass
    if isinstance(node, Bool) and not isinstance(node, Constant):
        yield from (Constant(True), Constant(False))


def _near(value: int) -> list[int]:
    """Return numbers that take no more bits: the next ones, the least and the greatest."""
    width = max(1, abs(value).bit_length())
    found = {value - 1, value + 1, 0, 1, 1 << (width - 1), (1 << width) - 1}
    return sorted(k for k in found if bits(k) <= bits(value))
