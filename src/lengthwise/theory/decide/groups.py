"""Separation with one unknown per group of edges: linear in the graph when groups are few.

All edges of a *group* (label, block of the source) displace a potential by one unknown h(group).
Along a spanning forest the potential of a vertex is a known combination c(v) of the unknowns; every
other edge u -> v of group g gives the *relation* (c(u) + unit(g) - c(v)) · h = 0:

      root --a--> u --b--> v        c(u) = a, c(v) = a + b
      u --a--> v, not in the tree:  c(u) + a - c(v) = a - b, so h(a) = h(b)

Two vertices of a tree stay together iff c(u) - c(v) is a combination of relations. A group with a
single edge constrains nothing, so its edge is left out; trees then shift freely against each
other. Relations are collected modulo a prime: draw a solution of those known so far, sum it along
the trees, and edges that it contradicts give new ones. What is written down is solved exactly.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.core.later import Later
from lengthwise.core.limits import Limits

if TYPE_CHECKING:
    import flint
else:
    flint = Later("flint")  # a system without relations needs none

Ints = NDArray[np.int64]
PRIME = (1 << 61) - 1
MOST_ROWS = 256
"""Relations that are added at once."""
DOUBLINGS = 40
"""How often the range is doubled from which weights are drawn."""
BASIS = 60
"""Groups up to which a basis of all solutions is computed."""
SOLVED_A_SECOND = 3e8
"""Cubed number of unknowns that one elimination takes a second for, about (measured)."""


@dataclass(frozen=True)
class SpanningForest:
    """Spanning trees, edges taken in either direction; ``up`` is -1 at roots.

    ``edge`` is the edge to the vertex above, ``sign`` 1 if it leads down, -1 if it leads up.
    """

    up: Ints
    edge: Ints
    sign: Ints
    depth: Ints
    tree: Ints
    order: Ints

    @cached_property
    def jumps(self) -> list[Ints]:
        """Vertices 1, 2, 4, 8, ... steps above; roots stay at themselves."""
        step = np.where(self.up < 0, np.arange(len(self.up)), self.up)
        found = [step]
        for _ in range(int(self.depth.max(initial=0)).bit_length()):
            step = step[step]
            found.append(step)
        return found

    def sums(self, values: NDArray[Any], modulus: int | None) -> NDArray[Any]:
        """Add up one value per vertex (0 at roots) along the way from its root."""
        total = values
        for jump in self.jumps:
            total = total + total[jump]
            if modulus is not None:
                total = total % modulus
        return total

    def way(self, one: int, two: int) -> Iterable[tuple[int, int]]:
        """Yield (edge, sign) so that the signed sum is c(one) - c(two), in one tree."""
        while one != two:
            if self.depth[one] >= self.depth[two]:
                yield int(self.edge[one]), int(self.sign[one])
                one = int(self.up[one])
            else:
                yield int(self.edge[two]), -int(self.sign[two])
                two = int(self.up[two])


def spanning_forest(vertices: int, sources: Ints, targets: Ints, used: Ints) -> SpanningForest:
    """Walk breadth first over the used edges, in both directions."""
    ends = np.concatenate([sources[used], targets[used]])
    others = np.concatenate([targets[used], sources[used]])
    numbers = np.concatenate([used, used])
    signs = np.repeat([1, -1], len(used))
    order = np.argsort(ends, kind="stable")
    starts = np.searchsorted(ends[order], np.arange(vertices + 1)).tolist()
    other, number, way = others[order].tolist(), numbers[order].tolist(), signs[order].tolist()
    up, edge, sign = [-1] * vertices, [-1] * vertices, [0] * vertices
    depth, tree = [0] * vertices, [-1] * vertices
    queue: list[int] = []
    for root in range(vertices):
        if tree[root] >= 0:
            continue
        tree[root] = root
        done = len(queue)
        queue.append(root)
        while done < len(queue):
            here = queue[done]
            done += 1
            for k in range(starts[here], starts[here + 1]):
                there = other[k]
                if tree[there] < 0:
                    tree[there], up[there], edge[there] = root, here, number[k]
                    sign[there], depth[there] = way[k], depth[here] + 1
                    queue.append(there)
    return SpanningForest(
        *(np.array(x, dtype=np.int64) for x in (up, edge, sign, depth, tree, queue))
    )


class Grouped:
    """The relations between the groups of one round.

    ``group`` gives each edge the number of its group, -1 where it is alone in it. ``relations``
    are edges whose relations are independent and generate all others (modulo ``PRIME``).
    """

    def __init__(
        self, sources: Ints, labels: Ints, targets: Ints, blocks: Ints, budget: Limits
    ) -> None:
        self.sources, self.targets, self.vertices = sources, targets, len(blocks)
        keys = labels * (int(blocks.max(initial=0)) + 1) + blocks[sources]
        _, first, number, sizes = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        several = sizes > 1
        renumbered = np.where(several, np.cumsum(several) - 1, -1)
        self.group: Ints = renumbered[number.reshape(-1)]
        self.size = int(several.sum())
        self.firsts: Ints = first[several]
        self.used: Ints = np.flatnonzero(self.group >= 0)
        self.forest = spanning_forest(self.vertices, sources, targets, self.used)
        self.rng = np.random.default_rng(self.size)
        self.relations: list[int] = []
        self.pivots: list[int] = []
        self.free = list(range(self.size))
        self.reduced: flint.nmod_mat | None = None
        self._collect(budget)

    def row(self, edge: int) -> list[int]:
        """Return the relation of one edge: c(source) + unit(group) - c(target)."""
        found = [0] * self.size
        found[int(self.group[edge])] += 1
        ways = self.forest.way(int(self.sources[edge]), int(self.targets[edge]))
        for step, sign in ways:
            found[int(self.group[step])] += sign
        return found

    def potential(self, weights: NDArray[Any], modulus: int | None) -> NDArray[Any]:
        """Sum the weights of groups along the trees."""
        if not self.size:
            return np.zeros(self.vertices, dtype=np.int64)
        steps = weights[self.group[self.forest.edge]] * self.forest.sign
        steps = np.where(self.forest.up < 0, 0, steps)
        return self.forest.sums(steps if modulus is None else steps % modulus, modulus)

    def _solution(self) -> Ints:
        """Draw a random solution of the relations known so far, modulo the prime."""
        found = np.zeros(self.size, dtype=np.int64)
        drawn = self.rng.integers(0, PRIME, size=len(self.free))
        found[self.free] = drawn
        if self.reduced is not None and self.free:
            column = flint.nmod_mat(len(self.free), 1, drawn.tolist(), PRIME)
            found[self.pivots] = [-int(x) % PRIME for x in (self.reduced * column).entries()]
        return found

    def _broken(self, weights: Ints) -> Ints:
        """Return edges that a solution contradicts, each in another way, short ones first."""
        potential = self.potential(weights, PRIME)
        u, v = self.sources[self.used], self.targets[self.used]
        off = (potential[u] + weights[self.group[self.used]] - potential[v]) % PRIME
        wrong = np.flatnonzero(off)
        length = (self.forest.depth[u] + self.forest.depth[v])[wrong]
        wrong = wrong[np.argsort(length, kind="stable")]
        _, first = np.unique(off[wrong], return_index=True)
        return self.used[wrong[np.sort(first)]]

    def _collect(self, budget: Limits) -> None:
        if not self.size:
            return
        while True:
            budget.check("the separation of states by counters")
            broken = self._broken(self._solution())
            if not len(broken):
                return
            most = min(self.size - len(self.relations), MOST_ROWS) + 8
            if len(broken) > most:  # the shortest, and some of the others
                later = self.rng.choice(broken[most // 2 :], most - most // 2, replace=False)
                broken = np.concatenate([broken[: most // 2], later])
            self._extend([*self.relations, *broken.tolist()], budget)

    def _extend(self, edges: list[int], budget: Limits) -> None:
        """Keep the first independent relations of these and solve them modulo the prime."""
        budget.expect(self.size**2 * len(edges) / SOLVED_A_SECOND, "a linear system")
        rows = [self.row(edge) for edge in edges]
        across = flint.nmod_mat(
            self.size, len(rows), [row[g] for g in range(self.size) for row in rows], PRIME
        )
        chosen = _pivots(across)
        self.relations = [edges[column] for column in chosen]
        table = [x for column in chosen for x in rows[column]]
        reduced, _ = flint.nmod_mat(len(chosen), self.size, table, PRIME).rref()
        self.pivots = _pivots(reduced)
        held = set(self.pivots)
        self.free = [column for column in range(self.size) if column not in held]
        lines = [int(row[column]) for row in reduced.tolist() for column in self.free]
        self.reduced = flint.nmod_mat(len(chosen), len(self.free), lines, PRIME)

    def classes(self) -> tuple[Ints, Ints, Ints]:
        """Return three keys per vertex; equal keys mean that no solution tells vertices apart."""
        one, two = (self.potential(self._solution(), PRIME) for _ in range(2))
        return self.forest.tree, one, two

    def exact_rows(self) -> list[list[int]]:
        """Return the independent relations as rows of integers."""
        return [self.row(edge) for edge in self.relations]

    def solutions(self, budget: Limits) -> Iterator[NDArray[Any]]:
        """Yield integer solutions of the independent relations, small numbers first.

        With few groups these are the vectors of a basis, then random combinations of them; with
        many, weights are drawn for the free groups and the others follow.
        """
        if not self.relations:
            kernel = np.eye(self.size, dtype=np.int64).astype(object)
        elif self.size <= BASIS:
            table, dimension = flint.fmpz_mat(self.exact_rows()).nullspace()
            kernel = np.array(
                [[int(table[g, j]) for g in range(self.size)] for j in range(int(dimension))],
                dtype=object,
            ).reshape(int(dimension), self.size)
        else:
            yield from self._drawn(budget)
            return
        yield from map(_shrunk, kernel)
        for power in range(DOUBLINGS):
            mix = self.rng.integers(-(1 << power), (1 << power) + 1, size=len(kernel))
            yield _shrunk(mix.astype(object) @ kernel)

    def _drawn(self, budget: Limits) -> Iterator[NDArray[Any]]:
        rows = self.exact_rows()
        budget.expect(len(rows) ** 3 / SOLVED_A_SECOND * 4, "an exact linear system")
        square = flint.fmpz_mat([[row[g] for g in self.pivots] for row in rows])
        right = np.array([[row[g] for g in self.free] for row in rows], dtype=object)
        for power in range(DOUBLINGS):
            weights = np.zeros(self.size, dtype=object)
            drawn = self.rng.integers(-(1 << power), (1 << power) + 1, size=len(self.free))
            side = right.reshape(len(rows), -1) @ drawn.astype(object)
            solved: Any = square.solve(flint.fmpz_mat([[-int(x)] for x in np.atleast_1d(side)]))
            numerators, multiple = solved.numer_denom()
            weights[self.free] = drawn.astype(object) * int(multiple)
            weights[self.pivots] = [int(x) for x in numerators.entries()]
            yield _shrunk(weights)


def _shrunk(weights: NDArray[Any]) -> NDArray[Any]:
    """Divide by the common divisor; use machine integers where sums along trees stay small."""
    common = gcd(*(int(x) for x in weights)) or 1
    values = [int(x) // common for x in weights]
    small = max(map(abs, values), default=0) < 1 << 32  # sums along trees then fit into 62 bits
    return np.array(values, dtype=np.int64 if small else object)


def _pivots(matrix: "flint.nmod_mat") -> list[int]:
    """Return the first maximal independent set of columns."""
    reduced, rank = matrix.rref()
    found: list[int] = []
    column = 0
    for line in range(int(rank)):
        while int(reduced[line, column]) == 0:
            column += 1
        found.append(column)
    return found
