"""Potentials: which states can bounded linear combinations of counts tell apart?

A *system* is a graph with labelled edges whose vertices carry a visible class. One round asks for
all integer potentials π such that, for every label and every block of vertices known so far, the
displacement π(target) - π(source) is the same on all edges with that label out of that block. Such
a π is the value of a linear combination of counts "label read in block" that stays bounded;
vertices of one block with different π are told apart by it and the next round may use the finer
blocks. The idea is equation 23 of Yang, Veseli et al. 2026; this formulation needs no list of
cycles. A small system has one unknown per vertex and is solved exactly; a larger one has an unknown
per (label, block) and is solved modulo a prime first (``groups``). Either way the potential that is
returned is exact: it was compared with every edge.
"""

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.core.later import Later
from lengthwise.core.limits import Limits
from lengthwise.languages.graphs import distinct
from lengthwise.theory.decide.groups import Grouped

if TYPE_CHECKING:
    import flint
else:
    flint = Later("flint")  # a system without equations needs none

Ints = NDArray[np.int64]

SMALL = 48
"""Vertices up to which there is an unknown per vertex."""
SOLVED_A_SECOND = 1e9
"""Equations times squared unknowns that one exact solution takes a second for, about (measured)."""


@dataclass(frozen=True)
class System:
    """Vertices with a visible class, and labelled edges as three equally long arrays."""

    visible: Ints
    sources: Ints
    labels: Ints
    targets: Ints

    @property
    def vertices(self) -> int:
        """Number of vertices."""
        return len(self.visible)


@dataclass(frozen=True)
class Separation:
    """The outcome: one potential per round, and the blocks that no further round splits."""

    potentials: tuple[Ints, ...]
    blocks: Ints

    @property
    def rounds(self) -> int:
        """Number of rounds that split something."""
        return len(self.potentials)

    @property
    def complete(self) -> bool:
        """Whether every vertex is alone in its block."""
        return int(self.blocks.max(initial=-1)) + 1 == len(self.blocks)


def separate(system: System, budget: Limits) -> Separation:
    """Refine the visible classes until no bounded combination of counts splits a block.

    Example:
        >>> ab = System(*map(np.array, ([0, 0], [0, 1], [0, 1], [1, 0])))  # (ab)*
        >>> separate(ab, Limits()).complete
        True
    """
    budget.require(system.vertices, "vertices", "a linear system")
    blocks = _relabel(system.visible)
    rounds: list[Ints] = []
    while blocks.max(initial=-1) + 1 < system.vertices:
        budget.check("the separation of states by counters")
        round_of = _by_vertices if system.vertices <= SMALL else _by_groups
        split = round_of(system, blocks, budget)
        if split is None:
            break
        potential, blocks = split
        rounds.append(potential)
    return Separation(tuple(rounds), blocks)


def _by_vertices(system: System, blocks: Ints, budget: Limits) -> tuple[Ints, Ints] | None:
    """One round with an unknown per vertex; None when nothing splits."""
    solutions = _solutions(system, blocks, budget)
    refined = _refine(blocks, solutions)
    if refined.max() == blocks.max():
        return None
    return _one_counter(blocks, solutions, refined), refined


def _by_groups(system: System, blocks: Ints, budget: Limits) -> tuple[Ints, Ints] | None:
    """One round with an unknown per group of edges; None when nothing splits."""
    grouped = Grouped(system.sources, system.labels, system.targets, blocks, budget)
    refined = joint(blocks, *grouped.classes())
    wanted = int(refined.max()) + 1
    if wanted == int(blocks.max()) + 1:
        return None
    offsets = _offsets(grouped.forest.tree)
    best: tuple[Ints, Ints] | None = None
    for weights in grouped.solutions(budget):
        budget.check("the choice of a counter")
        potential = _normalised(_shifted(grouped.potential(weights, None), offsets))
        split = joint(blocks, potential)
        if best is None or split.max() > best[1].max():
            best = potential, split
        if split.max() + 1 >= wanted:
            break
    assert best is not None
    # whatever the prime said, what is returned was compared with every edge
    assert _displaces_evenly(system, blocks, best[0])
    return None if best[1].max() == blocks.max() else best


def _offsets(tree: Ints) -> Ints:
    """Number the trees, so that shifted potentials tell them apart."""
    return np.unique(tree, return_inverse=True)[1].reshape(-1)


def _shifted(potential: NDArray[Any], offsets: Ints) -> NDArray[Any]:
    """Shift the trees against each other so that none of their values meet."""
    span = int(potential.max()) - int(potential.min()) + 1
    if span * (int(offsets.max()) + 1) >= 1 << 62:
        return potential.astype(object) + offsets.astype(object) * span
    return potential + offsets * span


def _displaces_evenly(system: System, blocks: Ints, potential: NDArray[Any]) -> bool:
    """Whether edges of one label and block all displace a potential by the same amount."""
    firsts, others = equations(system, blocks)
    change = potential[system.targets] - potential[system.sources]
    return bool((change[firsts] == change[others]).all())


def joint(*keys: NDArray[Any]) -> Ints:
    """Number vertices so that equal numbers mean equal keys, in order of appearance.

    Example:
        >>> joint(np.array([5, 5, 3]), np.array([1, 1, 1])).tolist()
        [0, 0, 1]
    """
    number = np.zeros(len(keys[0]), dtype=np.int64)
    for key in keys:
        _, inverse = np.unique(key, return_inverse=True)
        number = number * (int(inverse.max(initial=0)) + 1) + inverse.reshape(-1)
        number = np.unique(number, return_inverse=True)[1].reshape(-1)
    _, first, inverse = np.unique(number, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return rank[inverse.reshape(-1)]


def equations(system: System, blocks: Ints) -> tuple[Ints, Ints]:
    """Return pairs of edges (first of its group, another of it) that must displace equally."""
    group = system.labels * (int(blocks.max(initial=0)) + 1) + blocks[system.sources]
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(order) else order
    sizes = np.diff(np.r_[starts, len(order)])
    firsts = np.repeat(order[starts], sizes)
    other = order != firsts
    return firsts[other], order[other]


def equation_rows(system: System, firsts: Ints, others: Ints) -> NDArray[np.int64]:
    """Write each pair of edges as a row of coefficients of the unknown potentials."""
    rows = np.zeros((len(firsts), system.vertices), dtype=np.int64)
    index = np.arange(len(firsts))
    for vertex, sign in (
        (system.targets[others], 1),
        (system.sources[others], -1),
        (system.targets[firsts], -1),
        (system.sources[firsts], 1),
    ):
        np.add.at(rows, (index, vertex), sign)
    return rows


def _solutions(system: System, blocks: Ints, budget: Limits) -> NDArray[np.object_] | None:
    """Return a basis of all potentials, shape (vertices, dimension); None: no equation at all."""
    firsts, others = equations(system, blocks)
    rows = equation_rows(system, firsts, others)
    rows = distinct(rows[rows.any(axis=1)], axis=0)
    if not len(rows):
        return None
    budget.expect(len(rows) * system.vertices**2 / SOLVED_A_SECOND, "a linear system")
    kernel, dimension = flint.fmpz_mat(rows.tolist()).nullspace()
    table = [[int(kernel[i, j]) for i in range(system.vertices)] for j in range(int(dimension))]
    return np.array(_shortened(table), dtype=object).reshape(-1, system.vertices).T


def _shortened(basis: list[list[int]]) -> list[list[int]]:
    """Make the numbers of a lattice basis small, without changing what it separates."""
    if not 1 < len(basis) <= 40:
        return basis
    reduced = flint.fmpz_mat(basis).lll()
    return [[int(x) for x in row] for row in reduced.tolist()]


def _refine(blocks: Ints, solutions: NDArray[np.object_] | None) -> Ints:
    if solutions is None:
        return np.arange(len(blocks))
    rows = zip(blocks.tolist(), map(tuple, solutions.tolist()), strict=True)
    return _relabel(list(rows))


def _one_counter(blocks: Ints, solutions: NDArray[np.object_] | None, refined: Ints) -> Ints:
    """Choose one solution that separates as much as all of them, with small numbers."""
    if solutions is None:
        return _ranks(blocks)
    classes = int(refined.max()) + 1
    dimension = solutions.shape[1]
    rng = np.random.default_rng(0)
    for attempt in range(10_000):
        if attempt < dimension:
            candidate = solutions[:, attempt]
        else:
            bound = 1 + attempt // 20
            mix = rng.integers(-bound, bound + 1, size=dimension).astype(object)
            candidate = solutions @ mix
        if len(set(zip(blocks.tolist(), candidate.tolist(), strict=True))) == classes:
            return _normalised(candidate)
    raise AssertionError("a random combination separates with probability one")


def _normalised(potential: NDArray[Any]) -> NDArray[Any]:
    shifted = potential - potential[0]
    if shifted.dtype != object:
        return shifted // (int(np.gcd.reduce(shifted)) or 1)
    common = gcd(*(int(x) for x in shifted)) or 1
    values = [int(x) // common for x in shifted]
    large = max(abs(value) for value in values) >= 1 << 62
    return np.array(values, dtype=object if large else np.int64)


def _ranks(blocks: Ints) -> Ints:
    """Number the vertices of each block 0, 1, 2, ..."""
    seen: dict[int, int] = {}
    ranks: list[int] = []
    for block in blocks.tolist():
        ranks.append(seen.get(block, 0))
        seen[block] = ranks[-1] + 1
    return np.array(ranks, dtype=np.int64)


def _relabel(keys: object) -> Ints:
    """Number equal keys alike, in order of appearance."""
    numbers: dict[object, int] = {}
    items = keys.tolist() if isinstance(keys, np.ndarray) else keys
    return np.array([numbers.setdefault(key, len(numbers)) for key in items], dtype=np.int64)  # type: ignore[union-attr]
