"""The strongly connected parts of an automaton, with their periods, as systems to separate."""

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.languages.graphs import strong_components
from lengthwise.theory.decide.potentials import Ints, System


@dataclass(frozen=True)
class Component:
    """States that reach each other; ``table`` is the transition table inside, -1 for leaving."""

    states: tuple[int, ...]
    table: Ints

    @cached_property
    def _layers(self) -> tuple[int, Ints]:
        level = np.full(len(self.states), -1, dtype=np.int64)
        level[0] = 0
        period = 0
        queue = deque([0])
        while queue:
            here = queue.popleft()
            for there in self.table[here].tolist():
                if there < 0:
                    continue
                if level[there] < 0:
                    level[there] = level[here] + 1
                    queue.append(there)
                period = gcd(period, int(level[here] + 1 - level[there]))
        return period, level

    @property
    def period(self) -> int:
        """Greatest common divisor of the lengths of all cycles (0 for a single state, no loop)."""
        return self._layers[0]

    @property
    def levels(self) -> Ints:
        """Distance of each state from the first, meaningful modulo the period."""
        return self._layers[1]

    def system(self) -> System:
        """Return the system of plain C-RASP: letters are labels and nothing else is visible."""
        sources, labels = np.nonzero(self.table >= 0)
        targets = self.table[sources, labels]
        return System(np.zeros(len(self.states), dtype=np.int64), sources, labels, targets)


def components(transitions: NDArray[Any]) -> list[Component]:
    """Return the components of an automaton, sinks first.

    Example:
        >>> [part.states for part in components(np.array([[1, 2], [2, 0], [2, 2]]))]
        [(2,), (0, 1)]
    """
    successors = [sorted(set(row)) for row in transitions.tolist()]
    return [_component(transitions, states) for states in strong_components(successors)]


def _component(transitions: NDArray[Any], states: list[int]) -> Component:
    rows = transitions[states]
    order = np.asarray(states)
    place = np.minimum(np.searchsorted(order, rows), len(order) - 1)
    return Component(tuple(states), np.where(order[place] == rows, place, -1).astype(np.int64))
