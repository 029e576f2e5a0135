"""Why a block cannot be split: chains of edges that cancel (the dual of the potentials).

A *chain* for vertices u, v of one block gives an integer to edges such that the boundary (targets
minus sources) is a multiple of v - u while the total on every (label, block) is zero. Whatever
the counts "label read in block" weigh, π(v) - π(u) is then zero: u and v stay together. A partition
in which every block has such chains for all its vertices is *closed*, and closed partitions refute.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flint import fmpz_mat

from lengthwise.core.budget import Budget
from lengthwise.theory.decide.potentials import Ints, System, equation_rows, equations


@dataclass(frozen=True)
class Chain:
    """Integers on edges with boundary ``multiple`` times (vertex ``end`` - vertex ``start``)."""

    start: int
    end: int
    multiple: int
    edges: dict[int, int]


@dataclass(frozen=True)
class ClosedPartition:
    """Blocks no combination of counts can split, the chains that show it, and one joined pair."""

    blocks: Ints
    chains: tuple[Chain, ...]
    pair: tuple[int, int]


def closed_partition(
    system: System,
    blocks: Ints,
    budget: Budget,
    allowed: Callable[[int, int], bool] | None = None,
) -> ClosedPartition | None:
    """Turn the stable blocks of a failed separation into a checked refutation.

    A partition that joins a single pair is tried first: it is the shortest thing to read.
    ``allowed`` says which pairs refute anything; None is returned when no joined pair does.
    """
    joined = [pair for block in _groups(blocks) for pair in _pairs(block)]
    joined = [pair for pair in joined if allowed is None or allowed(*pair)]
    if not joined:
        return None
    attempts = max(1, min(40, 20_000 // len(system.sources)))
    for pair in joined[:attempts]:
        budget.check("the search for a short refutation")
        single = np.arange(system.vertices)
        single[pair[1]] = pair[0]
        chains = _chains(system, single, [pair])
        if chains is not None:
            return ClosedPartition(single, chains, pair)
    wanted = [(group[0], other) for group in _groups(blocks) for other in group[1:]]
    chains = _chains(system, blocks, wanted)
    assert chains is not None, "stable blocks have chains by duality"
    return ClosedPartition(blocks, chains, joined[0])


def _groups(blocks: Ints) -> list[list[int]]:
    members: dict[int, list[int]] = {}
    for vertex, block in enumerate(blocks.tolist()):
        members.setdefault(block, []).append(vertex)
    return [group for group in members.values() if len(group) > 1]


def _pairs(group: list[int]) -> list[tuple[int, int]]:
    return [(u, v) for i, u in enumerate(group[:20]) for v in group[i + 1 : 20]]


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
    reduced, _, rank = fmpz_mat(rows.T.tolist()).rref()
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
    square = fmpz_mat(rows[:, columns].T.tolist())
    right = fmpz_mat(wanted[:, columns].T.tolist())
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
