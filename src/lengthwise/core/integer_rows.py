"""Whole-number solutions of linear rows, or a proof that there are none.

A row demands ``sum of a_j * x_j >= bound`` (or ``==``) of whole numbers x_j >= 0. The search is
branch and bound in exact arithmetic; where it ends without a solution, its tree is the proof, and
each leaf can be checked by adding up rows:

    Farkas    multipliers m >= 0 (any sign for ``==``) with  sum m_i a_ij <= 0  for every j and
              sum m_i b_i > 0:  the rows add up to  (something <= 0) >= (something > 0)
    Divide    multipliers of ``==`` rows whose sum has coefficients divisible by q, its bound not
    Cases     every solution satisfies one of two sets of further rows, each refuted in turn

Floating point decides nothing. :func:`refutes` checks a proof and shares no step of the search.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np


@dataclass(frozen=True)
class LinearRow:
    """``sum of coefficient * x[variable] >= bound``, or ``==`` where ``equal``.

    Example:
        >>> LinearRow.of({0: 3, 1: -3}, 1)  # 3x - 3y >= 1 is x - y >= 1 for whole numbers
        LinearRow(terms=((0, 1), (1, -1)), bound=1, equal=False)
    """

    terms: tuple[tuple[int, int], ...]
    bound: int
    equal: bool = False

    @classmethod
    def of(cls, terms: dict[int, int], bound: int, *, equal: bool = False) -> "LinearRow":
        """Divide by the common factor of the coefficients and round the bound up."""
        kept = tuple(sorted((j, a) for j, a in terms.items() if a))
        factor = gcd(*(a for _, a in kept)) if kept else 1
        if equal and bound % factor:
            return cls(kept, bound, equal)
        return cls(tuple((j, a // factor) for j, a in kept), -(-bound // factor), equal)

    def holds(self, point: Sequence[int]) -> bool:
        """Whether a point satisfies the row."""
        value = sum(a * point[j] for j, a in self.terms)
        return value == self.bound if self.equal else value >= self.bound


@dataclass(frozen=True)
class Farkas:
    """The rows so far, times these multipliers, add up to a contradiction."""

    multipliers: tuple[int, ...]


@dataclass(frozen=True)
class Divide:
    """The ``==`` rows so far, times these multipliers, contradict each other modulo ``modulus``."""

    multipliers: tuple[int, ...]
    modulus: int


@dataclass(frozen=True)
class Cases:
    """Every solution satisfies the rows of one branch; ``reason`` says why."""

    reason: Any
    branches: "tuple[tuple[tuple[LinearRow, ...], Proof], ...]"


Proof = Farkas | Divide | Cases
Branches = tuple[Any, tuple[tuple[LinearRow, ...], ...]]
"""A reason, and sets of rows of which every solution that is wanted satisfies one."""


DEEPEST = 30
"""Most splits above a leaf: each adds a row, and numbers grow with them."""


class GaveUpError(Exception):
    """More nodes than allowed, or a deeper tree, were needed."""


def solve(
    rows: Sequence[LinearRow],
    variables: int,
    *,
    nodes: int = 2_000,
    unwanted: Callable[[Sequence[int]], Branches | None] = lambda point: None,
    check: Callable[[], None] = lambda: None,
) -> tuple[int, ...] | Proof:
    """Return whole numbers >= 0 that satisfy all rows, or a proof that there are none.

    ``unwanted`` may turn a solution down by naming branches of which it satisfies none. ``check``
    is called at every node and may raise. Beyond ``nodes`` nodes ``GaveUpError`` is raised.

    Example:
        >>> solve([LinearRow.of({0: 2, 1: -2}, 1), LinearRow.of({0: -2, 1: 2}, -1)], 2)
        Farkas(multipliers=(1, 1))
    """
    left = [nodes]

    def at(rows: tuple[LinearRow, ...], depth: int) -> tuple[int, ...] | Proof:
        left[0] -= 1
        if left[0] < 0 or depth > DEEPEST:
            raise GaveUpError
        check()
        point = _relaxed(rows, variables)
        if isinstance(point, Farkas):
            return _undivided(rows) or point
        if (proof := _undivided(rows)) is not None:
            return proof
        branches = _rounded(point)
        if branches is None:
            whole = tuple(int(value) for value in point)
            branches = unwanted(whole)
            if branches is None:
                return whole
        reason, sets = branches
        proofs: list[tuple[tuple[LinearRow, ...], Proof]] = []
        for added in sets:
            result = at((*rows, *added), depth + 1)
            if isinstance(result, tuple):
                return result
            proofs.append((added, result))
        return Cases(reason, tuple(proofs))

    return at(tuple(rows), 0)


def refutes(proof: Proof, rows: Sequence[LinearRow], valid: Callable[[Cases], bool]) -> bool:
    """Check a proof that the rows have no solution in whole numbers >= 0.

    ``valid`` checks the reason of a split that does not divide the whole numbers.
    """
    stack: list[tuple[Proof, tuple[LinearRow, ...]]] = [(proof, tuple(rows))]
    while stack:
        node, known = stack.pop()
        if isinstance(node, Farkas):
            if not _adds_up(node, known):
                return False
        elif isinstance(node, Divide):
            if not _indivisible(node, known):
                return False
        else:
            if not (_divides(node) or valid(node)):
                return False
            stack += [(below, (*known, *added)) for added, below in node.branches]
    return True


def _adds_up(leaf: Farkas, rows: tuple[LinearRow, ...]) -> bool:
    if len(leaf.multipliers) != len(rows):
        return False
    total, bound = _combined(leaf.multipliers, rows)
    signs = all(m >= 0 or row.equal for m, row in zip(leaf.multipliers, rows, strict=True))
    return signs and bound > 0 and all(a <= 0 for a in total.values())


def _indivisible(leaf: Divide, rows: tuple[LinearRow, ...]) -> bool:
    if len(leaf.multipliers) != len(rows) or leaf.modulus < 2:
        return False
    total, bound = _combined(leaf.multipliers, rows)
    equal = all(not m or row.equal for m, row in zip(leaf.multipliers, rows, strict=True))
    divisible = all(a % leaf.modulus == 0 for a in total.values())
    return equal and divisible and bound % leaf.modulus != 0


def _combined(multipliers: Sequence[int], rows: Sequence[LinearRow]) -> tuple[dict[int, int], int]:
    total: dict[int, int] = {}
    for factor, row in zip(multipliers, rows, strict=True):
        for j, a in row.terms:
            total[j] = total.get(j, 0) + factor * a
    return total, sum(m * row.bound for m, row in zip(multipliers, rows, strict=True))


def _divides(node: Cases) -> bool:
    """Whether the branches are ``form <= k`` and ``form >= k + 1``."""
    if len(node.branches) != 2 or any(len(added) != 1 for added, _ in node.branches):
        return False
    low, high = (added[0] for added, _ in node.branches)
    negated = tuple((j, -a) for j, a in high.terms)
    return not (low.equal or high.equal) and low.terms == negated and low.bound + high.bound == 1


def _rounded(point: Sequence[Fraction]) -> Branches | None:
    """Divide at the first variable that is no whole number."""
    for j, value in enumerate(point):
        if value.denominator > 1:
            below = value.numerator // value.denominator
            return "whole", ((LinearRow(((j, -1),), -below),), (LinearRow(((j, 1),), below + 1),))
    return None


# --- over the rationals ---------------------------------------------------------------------------


def _relaxed(rows: tuple[LinearRow, ...], variables: int) -> list[Fraction] | Farkas:
    """Return a vertex of the rows over the rationals, or multipliers that refute them.

    The first phase of the simplex method on an integer tableau with one common denominator
    (entries are ``table / scale``; Edmonds' pivoting keeps them whole). Columns:

        x_0 .. x_n-1 | one slack per >= row | one artificial per row that needs one | bound
    """
    tableau = _Tableau(rows, variables)
    tableau.run()
    if tableau.table[-1, -1] == 0:
        return tableau.point()
    return tableau.farkas()


class _Tableau:
    """The rows with a basis; the last row holds reduced costs and minus the sum of artificials."""

    def __init__(self, rows: tuple[LinearRow, ...], variables: int) -> None:
        self.rows, self.variables = rows, variables
        self.signs = [1 if row.bound > 0 else -1 for row in rows]
        slacks = [i for i, row in enumerate(rows) if not row.equal]
        helped = [i for i, row in enumerate(rows) if row.equal or row.bound > 0]
        self.slack = {i: variables + k for k, i in enumerate(slacks)}
        self.artificial = {i: variables + len(slacks) + k for k, i in enumerate(helped)}
        width = variables + len(slacks) + len(helped) + 1
        table = np.zeros((len(rows) + 1, width), dtype=object)
        for i, row in enumerate(rows):
            sign = self.signs[i]
            for j, a in row.terms:
                table[i, j] = sign * a
            if i in self.slack:
                table[i, self.slack[i]] = -sign
            if i in self.artificial:
                table[i, self.artificial[i]] = 1
            table[i, -1] = sign * row.bound
        self.basis = [self.artificial.get(i, self.slack.get(i, -1)) for i in range(len(rows))]
        for i in helped:
            table[-1] -= table[i]
            table[-1, self.artificial[i]] += 1
        self.table, self.scale = table, 1

    def run(self) -> None:
        """Pivot until no reduced cost is negative; the least index enters (Bland), so it ends."""
        while True:
            costs = self.table[-1, :-1]
            entering = next((j for j, cost in enumerate(costs) if cost < 0), None)
            if entering is None:
                return
            self._pivot(self._leaving(entering), entering)

    def _leaving(self, entering: int) -> int:
        best: tuple[Fraction, int, int] | None = None
        for i in range(len(self.rows)):
            a = self.table[i, entering]
            if a > 0:
                ratio = (Fraction(self.table[i, -1], a), self.basis[i], i)
                best = ratio if best is None or ratio < best else best
        assert best is not None, "the sum of artificials is bounded below"
        return best[2]

    def _pivot(self, r: int, s: int) -> None:
        pivot, row = self.table[r, s], self.table[r].copy()
        column = self.table[:, s].copy()
        self.table = (self.table * pivot - np.outer(column, row)) // self.scale
        self.table[r] = row
        self.basis[r], self.scale = s, pivot

    def point(self) -> list[Fraction]:
        """Return the values of the variables at this basis."""
        values = [Fraction(0)] * self.variables
        for i, j in enumerate(self.basis):
            if j < self.variables:
                values[j] = Fraction(self.table[i, -1], self.scale)
        return values

    def farkas(self) -> Farkas:
        """Read the multipliers off the reduced costs of slacks and artificials."""
        costs = self.table[-1]
        multipliers = [
            costs[self.slack[i]]
            if i in self.slack
            else self.signs[i] * (self.scale - costs[self.artificial[i]])
            for i in range(len(self.rows))
        ]
        factor = gcd(*multipliers) or 1
        return Farkas(tuple(int(m) // factor for m in multipliers))


# --- divisibility ---------------------------------------------------------------------------------


def _undivided(rows: tuple[LinearRow, ...]) -> Divide | None:
    """Return a reason why the ``==`` rows have no solution in whole numbers of any sign.

    Column operations bring the equations E x = b to  E U = [H 0]  with H in echelon form; the
    solution z of H z = b is unique, and where z_k is no whole number, the rational combination u of
    rows with u H = e_k has whole coefficients and the bound z_k.
    """
    indices = [i for i, row in enumerate(rows) if row.equal]
    used = sorted({j for i in indices for j, _ in rows[i].terms})
    place = {j: k for k, j in enumerate(used)}
    columns = [[0] * len(indices) for _ in used]
    for r, i in enumerate(indices):
        for j, a in rows[i].terms:
            columns[place[j]][r] = a
    pivots = _echelon(columns, len(indices))
    values: list[Fraction] = []
    for k, r in enumerate(pivots):
        rest = rows[indices[r]].bound - sum(columns[c][r] * values[c] for c in range(k))
        values.append(Fraction(rest) / columns[k][r])
        if values[-1].denominator > 1:
            return _divide(columns, pivots[: k + 1], indices, len(rows))
    return None


def _echelon(columns: list[list[int]], height: int) -> list[int]:
    """Reduce columns by whole-number operations; return the row of each leading entry."""
    pivots: list[int] = []
    for r in range(height):
        k = len(pivots)
        while True:
            left = [c for c in range(k, len(columns)) if columns[c][r]]
            if len(left) <= 1:
                break
            least = min(left, key=lambda c: abs(columns[c][r]))
            for c in left:
                if c != least:
                    times = columns[c][r] // columns[least][r]
                    columns[c] = [
                        a - times * b for a, b in zip(columns[c], columns[least], strict=True)
                    ]
        if left:
            columns[k], columns[left[0]] = columns[left[0]], columns[k]
            pivots.append(r)
    return pivots


def _divide(columns: list[list[int]], pivots: list[int], indices: list[int], count: int) -> Divide:
    """Solve u H = e_k for the last pivot k, from the last row back."""
    weights: dict[int, Fraction] = {}
    for k in reversed(range(len(pivots))):
        wanted = Fraction(1 if k == len(pivots) - 1 else 0)
        rest = sum((weights[r] * columns[k][r] for r in weights), Fraction(0))
        weights[pivots[k]] = (wanted - rest) / columns[k][pivots[k]]
    modulus = lcm(*(w.denominator for w in weights.values()))
    multipliers = [0] * count
    for r, weight in weights.items():
        multipliers[indices[r]] = int(weight * modulus)
    return Divide(tuple(multipliers), modulus)
