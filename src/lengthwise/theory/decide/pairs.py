"""Refutations from pairs of states: no monoid, only the graph of pairs of one component.

Our derivation, unpublished. Let a non-empty word w leave two states p, q of a component where they
are. However long a window is, copies of w hide which of the two it is, and so do positions, if only
words are used whose lengths are multiples of t = |w|. Two reasons then keep counts from telling
them apart (see ``blocks`` for the general case):

* a word leads both to p (a *merge*): the same block displaces p by 0 and q by p - q, so both are
  equal to every bounded sum of counts;
* a word swaps p and q: it displaces by q - p and by p - q, so twice the difference is 0.

A merge inside the component is enough: from where the two meet, some word of fitting length leads
back to p, for the lengths of closed walks are all large multiples of the component's period.
"""

from collections import deque
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.core.limits import Limits
from lengthwise.languages.graphs import strong_components
from lengthwise.languages.machine import Machine
from lengthwise.theory.decide.chains import Allowed
from lengthwise.theory.decide.connected import Component

Ints = NDArray[np.int64]
Word = tuple[int, ...]
MOST_PAIRS = 4_000_000
"""Pairs times letters up to which the graph of pairs is built."""
MOST_SWAPS = 300_000
"""Pairs that can come back, up to which swaps are looked for."""
SHORT_WORDS = 1_000
"""Words tried, shortest first, before closed walks are taken from the graph."""


class Pairs:
    """The graph of ordered pairs (p, q) of one component, numbered p * n + q.

    Letters with equal actions count once; ``letters`` has one of each. ``following[x, a]`` is the
    pair after letter a, -1 where one of the two leaves.
    """

    def __init__(self, component: Component) -> None:
        self.component, self.size = component, len(component.states)
        _, first = np.unique(component.table, axis=1, return_index=True)
        self.letters: Ints = np.sort(first)
        self.table: Ints = component.table[:, self.letters]
        n = self.size
        ours, theirs = np.repeat(self.table, n, axis=0), np.tile(self.table, (n, 1))
        inside = (ours >= 0) & (theirs >= 0)
        self.following: NDArray[np.int32] = np.where(inside, ours * n + theirs, -1).astype(np.int32)
        self.equal = np.zeros(n * n, dtype=bool)
        self.equal[np.arange(n) * (n + 1)] = True

    @staticmethod
    def fits(component: Component) -> bool:
        """Whether the graph is small enough to be built."""
        n = len(component.states)
        return n * n * min(component.table.shape[1], n) <= MOST_PAIRS

    @cached_property
    def _before(self) -> tuple[Ints, Ints]:
        """Sources of edges sorted by target, and where each target's begin."""
        sources, letters = np.nonzero(self.following >= 0)
        targets = self.following[sources, letters]
        order = np.argsort(targets, kind="stable")
        return sources[order], np.searchsorted(targets[order], np.arange(len(self.following) + 1))

    @cached_property
    def merging(self) -> NDArray[np.bool_]:
        """Which pairs of different states some word leads to one state."""
        sources, starts = self._before
        seen = self.equal.copy()
        frontier = np.flatnonzero(seen)
        while len(frontier):
            found = _ranges(sources, starts, frontier)
            frontier = np.unique(found[~seen[found]])
            seen[frontier] = True
        return seen & ~self.equal

    @cached_property
    def enduring(self) -> NDArray[np.bool_]:
        """Which pairs of different states come after words of every length: windows never tell."""
        apart = ~self.equal
        edges = np.where(apart[:, None] & (self.following >= 0), self.following, -1)
        incoming = np.bincount(edges[edges >= 0], minlength=len(apart))
        alive = apart.copy()
        frontier = np.flatnonzero(alive & (incoming == 0))
        while len(frontier):
            alive[frontier] = False
            targets = edges[frontier]
            targets = targets[targets >= 0]
            np.subtract.at(incoming, targets, 1)
            targets = np.unique(targets)
            frontier = targets[alive[targets] & (incoming[targets] == 0)]
        return alive

    def walk(
        self, start: int, goal: Callable[[int, int], bool], period: int, budget: Limits
    ) -> Word | None:
        """Return a shortest non-empty word from a pair to a goal (pair, length mod period)."""
        parents: dict[tuple[int, int], tuple[tuple[int, int], int]] = {}
        queue = deque([(start, 0)])
        count = 0
        while queue:
            node = queue.popleft()
            count += 1
            if count % 4096 == 0:
                budget.check("a walk of pairs")
            residue = (node[1] + 1) % period
            for letter, target in enumerate(self.following[node[0]].tolist()):
                after = (target, residue)
                if target >= 0 and after not in parents:
                    parents[after] = (node, letter)
                    if goal(target, residue):
                        return self._word(parents, after, (start, 0))
                    queue.append(after)
        return None

    def _word(self, parents: dict[Any, Any], node: Any, start: Any) -> Word:
        word: list[int] = []
        while True:
            node, letter = parents[node]
            word.append(int(self.letters[letter]))
            if node == start:
                return tuple(reversed(word))

    def run(self, state: int, word: Word) -> int:
        """Return where a word leads inside the component."""
        for letter in word:
            state = int(self.component.table[state, letter])
        return state

    # ---- merges --------------------------------------------------------------------------

    def merge(self, budget: Limits, allowed: Callable[[int, int], bool]) -> dict[str, Any] | None:
        """Look for a word that leaves two states alone which another word merges."""
        if not (self.merging & self.enduring).any():
            return None  # what a word leaves alone is enduring
        for anchor, p, q in self._anchored(budget):
            if allowed(p, q):
                return self._merge(anchor, p, q, budget)
        return None

    def _anchored(self, budget: Limits) -> Iterator[tuple[Word, int, int]]:
        """Yield words with two states that they leave alone and that can be merged."""
        for word, action in islice(self._short_words(), SHORT_WORDS):
            budget.check("short words that leave states alone")
            fixed = np.flatnonzero(action == np.arange(self.size))
            if len(fixed) > 1:
                table = self.merging[fixed[:, None] * self.size + fixed[None, :]]
                for i, j in np.argwhere(np.triu(table, 1))[:20].tolist():
                    yield word, int(fixed[i]), int(fixed[j])
        both = np.flatnonzero(self.enduring & self.merging)
        for pair in both[:: max(1, len(both) // 20)].tolist():
            start = self._on_a_cycle(pair)
            word = self.walk(start, lambda x, _, s=start: x == s, 1, budget)
            if word is not None:
                yield word, *divmod(start, self.size)

    def _short_words(self) -> Iterator[tuple[Word, Ints]]:
        layer: list[tuple[Word, Ints]] = [((), np.arange(self.size))]
        while layer:
            longer: list[tuple[Word, Ints]] = []
            for word, action in layer:
                for letter in self.letters.tolist():
                    moved = np.where(action >= 0, self.component.table[action, letter], -1)
                    yield (*word, letter), moved
                    if len(longer) < SHORT_WORDS:
                        longer.append(((*word, letter), moved))
            layer = longer

    def _on_a_cycle(self, pair: int) -> int:
        """Go back from an enduring pair, staying among such pairs, until one comes twice."""
        sources, starts = self._before
        seen: set[int] = set()
        while pair not in seen:
            seen.add(pair)
            earlier = sources[starts[pair] : starts[pair + 1]]
            pair = int(earlier[self.enduring[earlier]][0])
        return pair

    def _merge(self, anchor: Word, p: int, q: int, budget: Limits) -> dict[str, Any] | None:
        period, n = len(anchor), self.size
        together = self.walk(p * n + q, lambda x, _: bool(self.equal[x]), 1, budget)
        assert together is not None, "the pair can be merged"
        back = self._way(self.run(p, together), p, -len(together), period, budget)
        forth = self._way(p, q, 0, period, budget)
        if back is None or forth is None:
            return None
        chain = {"start": 0, "end": 1, "multiple": 1, "edges": [[0, 0, 1], [0, 1, -1]]}
        return self._refutation(anchor, [(*together, *back), forth], p, q, chain)

    def _way(self, start: int, end: int, length: int, period: int, budget: Limits) -> Word | None:
        """Return a shortest word between states, as long as wanted modulo the period.

        It is empty only between equal states; an arrow that is all of it has at least one letter.
        """
        wanted = length % period
        if start == end and wanted == 0:
            return ()
        n = self.size  # pairs of equal states follow one state
        goal = (end * n + end, wanted)
        return self.walk(start * (n + 1), lambda x, r: (x, r) == goal, period, budget)

    # ---- swaps ---------------------------------------------------------------------------

    @cached_property
    def returning(self) -> list[list[int]]:
        """The strongly connected parts of the pairs of different states that can come back."""
        alive = np.flatnonzero(self.enduring)
        if len(alive) > MOST_SWAPS:
            return []
        number = np.full(len(self.following), -1)
        number[alive] = np.arange(len(alive))
        targets = np.where(self.following[alive] >= 0, number[self.following[alive]], -1)
        successors = [[t for t in row if t >= 0] for row in targets.tolist()]
        parts = strong_components(successors)
        return [
            alive[part].tolist()
            for part in parts
            if len(part) > 1 or part[0] in successors[part[0]]
        ]

    def period_of(self, part: list[int]) -> tuple[int, dict[int, int]]:
        """Return the greatest common divisor of closed walks, and levels modulo it."""
        inside = set(part)
        level, period = {part[0]: 0}, 0
        queue = [part[0]]
        for pair in queue:
            for target in self.following[pair].tolist():
                if target in inside:
                    if target not in level:
                        level[target] = level[pair] + 1
                        queue.append(target)
                    period = gcd(period, level[pair] + 1 - level[target])
        return period, level

    def periods(self, most: int) -> int:
        """Return the least common multiple of the periods of pairs; 1 if that is above ``most``."""
        found = lcm(
            self.component.period or 1, *(self.period_of(part)[0] for part in self.returning)
        )
        return found if found <= most else self.component.period or 1

    def swap(self, budget: Limits, allowed: Callable[[int, int], bool]) -> dict[str, Any] | None:
        """Look for a pair that words of fitting lengths both leave alone and swap."""
        n = self.size
        for part in self.returning:
            budget.check("pairs that are swapped")
            inside = set(part)
            swapped = [x for x in part if x // n < x % n and x % n * n + x // n in inside]
            if not swapped:
                continue
            period, level = self.period_of(part)
            for x in swapped:
                p, q = divmod(x, n)
                if (level[x] - level[q * n + p]) % period == 0 and allowed(p, q):
                    found = self._swap(p, q, budget)
                    if found is not None:
                        return found
                    break
        return None

    def _swap(self, p: int, q: int, budget: Limits) -> dict[str, Any] | None:
        n = self.size
        here, there = p * n + q, q * n + p
        anchor = self.walk(here, lambda x, _: x == here, 1, budget)
        if anchor is None or len(anchor) * n * n > MOST_PAIRS:
            return None
        word = self.walk(here, lambda x, r: x == there and r == 0, len(anchor), budget)
        if word is None:
            return None
        chain = {"start": 0, "end": 1, "multiple": 2, "edges": [[0, 0, 1], [0, 1, -1]]}
        return self._refutation(anchor, [word], p, q, chain)

    def _refutation(
        self, anchor: Word, arrows: list[Word], p: int, q: int, chain: dict[str, Any]
    ) -> dict[str, Any]:
        states = self.component.states
        return {
            "anchors": [list(anchor)],
            "arrows": [[0, list(word), 0] for word in arrows],
            "vertices": [[states[p], 0], [states[q], 0]],
            "blocks": [0, 0],
            "chains": [chain],
            "pair": [0, 1],
        }


def _ranges(values: Ints, starts: Ints, wanted: Ints) -> Ints:
    """Return values[starts[x] : starts[x + 1]] for all wanted x, one after the other."""
    sizes = starts[wanted + 1] - starts[wanted]
    shift = np.repeat(starts[wanted] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    return values[np.arange(int(sizes.sum())) + shift]


def pair_refutation(
    machine: Machine, components: list[Component], budget: Limits, needed: Allowed
) -> dict[str, Any] | None:
    """Refute every modulus and window by two states that a merge or a swap joins, if there are any.

    ``needed`` says which states need different answers (None: all).

    Example:
        >>> from lengthwise.theory.decide.connected import components
        >>> parity = Machine(("a", "b"), np.array([[1, 0], [0, 1]]), 0, np.array([1, 0]))
        >>> found = pair_refutation(parity, components(parity.transitions), Limits(), None)
        >>> found["anchors"], found["arrows"]
        ([[1]], [[0, [0], 0]])
    """
    for component in components:
        if len(component.states) < 2 or not Pairs.fits(component):
            continue
        pairs, states = Pairs(component), component.states

        def allowed(p: int, q: int, states: tuple[int, ...] = states) -> bool:
            return needed is None or needed(states[p], states[q])

        found = pairs.merge(budget, allowed) or pairs.swap(budget, allowed)
        if found is not None:
            one, two = (found["vertices"][v][0] for v in found["pair"])
            suffix = machine.distinguishing_word(one, two)
            assert suffix is not None
            return {**found, "suffix": list(suffix)}
    return None
