"""Why vertices cannot be told apart: sums of edges that cancel (the dual of the potentials).

A *chain* for vertices u, v of one block gives an integer to edges such that the boundary (targets
minus sources) is a multiple of v - u while the total on every (label, block) is zero. Whatever
the counts "label read in block" weigh, π(v) - π(u) is then zero: u and v stay together. A partition
in which every block has such chains for all its vertices is *closed*, and closed partitions refute.

One chain per vertex is quadratic where ways are long. *Joins* share them: trees of edges, and a few
cycles whose totals, brought into echelon form, cancel the totals of the ways in the trees.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.core.later import Later
from lengthwise.core.limits import Limits
from lengthwise.theory.decide.groups import Grouped
from lengthwise.theory.decide.potentials import SMALL, Ints, System, equation_rows, equations

Allowed = Callable[[int, int], bool] | None
"""Which pairs refute anything; None: all."""

if TYPE_CHECKING:
    import flint
else:
    flint = Later("flint")  # only refutations need it


@dataclass(frozen=True)
class Chain:
    """Integers on edges with boundary ``multiple`` times (vertex ``end`` - vertex ``start``)."""

    start: int
    end: int
    multiple: int
    edges: dict[int, int]


@dataclass(frozen=True)
class Joins:
    """Edges of trees, roots first, and cycles in reduced echelon form.

    A cycle is a pivot edge and amounts of edges outside the trees, each closed by its way in the
    tree; in its totals the pivot's group has ``multiple`` and the other pivots' groups have zero.
    """

    tree: list[int]
    multiple: int
    cycles: list[tuple[int, dict[int, int]]]


@dataclass(frozen=True)
class ClosedPartition:
    """Blocks no combination of counts can split, why they cannot, and one joined pair."""

    blocks: Ints
    pair: tuple[int, int]
    chains: tuple[Chain, ...] = ()
    joins: Joins | None = field(default=None)


def closed_partition(
    system: System, blocks: Ints, budget: Limits, allowed: Allowed = None
) -> ClosedPartition | None:
    """Turn the stable blocks of a failed separation into a refutation that can be checked.

    A partition that joins a single pair is tried first: it is the shortest thing to read.
    ``allowed`` says which pairs refute anything; None is returned when no joined pair does.
    """
    first: tuple[int, int] | None = None
    leaving = _Leaving(system)
    for pair in islice(_joined(system, blocks), _attempts(system)):
        budget.check("the search for a short refutation")
        if allowed is None or allowed(*pair):
            first = first or pair
            chain = leaving.chain(*pair)
            if chain is not None:
                single = np.arange(system.vertices)
                single[pair[1]] = pair[0]
                return ClosedPartition(single, pair, (chain,))
    first = first or next(
        (pair for pair in _joined(system, blocks) if allowed is None or allowed(*pair)), None
    )
    if first is None:
        return None
    if system.vertices > SMALL:
        return ClosedPartition(blocks, first, joins=_joins(system, blocks, budget))
    wanted = [(group[0], other) for group in _groups(blocks) for other in group[1:]]
    chains = _chains(system, blocks, wanted)
    assert chains is not None, "stable blocks have chains by duality"
    return ClosedPartition(blocks, first, chains)


def _attempts(system: System) -> int:
    return 40 if system.vertices <= SMALL else 400


def _groups(blocks: Ints) -> list[list[int]]:
    order = np.argsort(blocks, kind="stable")
    cuts = np.flatnonzero(np.diff(blocks[order])) + 1
    members = [part.tolist() for part in np.split(order, cuts) if len(part) > 1]
    return sorted(members)


def _joined(system: System, blocks: Ints) -> Iterator[tuple[int, int]]:
    """Yield joined pairs; in large systems first those that one label leads to one vertex."""
    if system.vertices > SMALL:
        yield from _merged(system, blocks)
    for group in _groups(blocks):
        near = group[:20]
        yield from ((u, v) for i, u in enumerate(near) for v in near[i + 1 :])


def _merged(system: System, blocks: Ints) -> Iterator[tuple[int, int]]:
    keys = np.stack([system.labels, system.targets, blocks[system.sources]])
    order = np.lexsort(keys)
    same = (keys[:, order[1:]] == keys[:, order[:-1]]).all(axis=0)
    for place in np.flatnonzero(same):
        one, two = system.sources[order[[place, place + 1]]].tolist()
        yield min(one, two), max(one, two)


class _Leaving:
    """The edges out of each vertex by label, for partitions that join a single pair."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.order = np.argsort(system.sources, kind="stable")
        self.starts = np.searchsorted(system.sources[self.order], np.arange(system.vertices + 1))

    def edges(self, vertex: int) -> dict[int, int]:
        here = self.order[self.starts[vertex] : self.starts[vertex + 1]]
        return dict(zip(self.system.labels[here].tolist(), here.tolist(), strict=True))

    def chain(self, one: int, two: int) -> Chain | None:
        """Solve for a chain when only these two vertices share a block: only their edges count."""
        ours, theirs = self.edges(one), self.edges(two)
        common = [label for label in sorted(ours) if label in theirs]
        targets = self.system.targets
        ends = [(int(targets[ours[a]]), int(targets[theirs[a]])) for a in common]
        for label, (mine, other) in zip(common, ends, strict=True):
            if mine == other:  # one label leads both to one vertex
                return Chain(one, two, 1, {ours[label]: 1, theirs[label]: -1})
        touched = sorted({one, two, *(v for pair in ends for v in pair)})
        place = {vertex: column for column, vertex in enumerate(touched)}
        rows = np.zeros((len(common), len(touched)), dtype=np.int64)
        for line, (mine, other) in enumerate(ends):
            for vertex, sign in ((other, 1), (two, -1), (mine, -1), (one, 1)):
                rows[line, place[vertex]] += sign
        wanted = np.zeros((1, len(touched)), dtype=np.int64)
        wanted[0, place[two]], wanted[0, place[one]] = 1, -1
        kept = _independent(rows) if len(rows) else []
        solution = _solve(rows[kept], wanted)
        if solution is None:
            return None
        firsts = np.array([ours[common[k]] for k in kept])
        others = np.array([theirs[common[k]] for k in kept])
        return _chain((one, two), solution[0], firsts, others)


def _joins(system: System, blocks: Ints, budget: Limits) -> Joins:
    """Write the relations between groups in reduced echelon form, exactly."""
    grouped = Grouped(system.sources, system.labels, system.targets, blocks, budget)
    forest = grouped.forest
    shared = np.isin(forest.tree, forest.tree[np.concatenate([*_groups(blocks), []]).astype(int)])
    tree = [int(forest.edge[v]) for v in forest.order if forest.up[v] >= 0 and shared[v]]
    rows = grouped.exact_rows()
    if not rows:
        return Joins(tree, 1, [])
    pivots = _independent(np.array(rows, dtype=object).T)
    budget.expect(len(pivots) ** 3 / 1e7, "the inverse of a linear system")
    inverted: Any = flint.fmpz_mat([[row[g] for g in pivots] for row in rows]).inv()
    inverse, multiple = inverted.numer_denom()
    cycles: list[tuple[int, dict[int, int]]] = []
    for line, pivot in enumerate(pivots):
        amounts = {
            edge: int(inverse[line, column])
            for column, edge in enumerate(grouped.relations)
            if inverse[line, column] != 0
        }
        cycles.append((int(grouped.firsts[pivot]), amounts))
    return Joins(tree, int(multiple), cycles)


def _chains(system: System, blocks: Ints, pairs: list[tuple[int, int]]) -> tuple[Chain, ...] | None:
    """Solve for one chain per pair, preferring early edges; None when some pair has none."""
    firsts, others = equations(system, blocks)
    if not len(firsts):
        return None
    order = np.argsort(np.maximum(firsts, others), kind="stable")
    firsts, others = firsts[order], others[order]
    rows = equation_rows(system, firsts, others)
    wanted = np.zeros((len(pairs), system.vertices), dtype=np.int64)
    for number, (start, end) in enumerate(pairs):
        wanted[number, end] += 1
        wanted[number, start] -= 1
    kept = _independent(rows)
    solution = _solve(rows[kept], wanted)
    if solution is None:
        return None
    return tuple(
        _chain(pair, coefficients, firsts[kept], others[kept])
        for pair, coefficients in zip(pairs, solution, strict=True)
    )


def _independent(rows: Ints) -> list[int]:
    """Return the first maximal independent set of rows."""
    reduced, _, rank = flint.fmpz_mat(rows.T.tolist()).rref()
    kept: list[int] = []
    column = 0
    for line in range(int(rank)):
        while reduced[line, column] == 0:
            column += 1
        kept.append(column)
    return kept


def _solve(rows: Ints, wanted: Ints) -> list[list[tuple[int, int]]] | None:
    """Write the wanted vectors as combinations of independent rows: (numerator, denominator)."""
    if not len(rows):
        return None
    columns = _independent(rows.T)
    square = flint.fmpz_mat(rows[:, columns].T.tolist())
    right = flint.fmpz_mat(wanted[:, columns].T.tolist())
    answer = square.solve(right)
    found = [
        [(int(answer[i, j].p), int(answer[i, j].q)) for i in range(len(rows))]
        for j in range(len(wanted))
    ]
    return found if _exact(rows, wanted, found) else None


def _exact(rows: Ints, wanted: Ints, found: list[list[tuple[int, int]]]) -> bool:
    table = rows.astype(object)
    for target, coefficients in zip(wanted, found, strict=True):
        multiple = int(np.lcm.reduce(np.array([q for _, q in coefficients], dtype=object)))
        total = np.array([p * (multiple // q) for p, q in coefficients], dtype=object) @ table
        if (total != multiple * target.astype(object)).any():
            return False
    return True


def _chain(
    pair: tuple[int, int], coefficients: list[tuple[int, int]], firsts: Ints, others: Ints
) -> Chain:
    multiple = int(np.lcm.reduce(np.array([q for _, q in coefficients], dtype=object)))
    edges: dict[int, int] = {}
    for (p, q), first, other in zip(coefficients, firsts.tolist(), others.tolist(), strict=True):
        amount = p * (multiple // q)
        if amount:
            edges[other] = edges.get(other, 0) + amount
            edges[first] = edges.get(first, 0) - amount
    return Chain(*pair, multiple, {edge: x for edge, x in sorted(edges.items()) if x})
