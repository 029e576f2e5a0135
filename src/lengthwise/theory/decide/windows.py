"""C-RASP with positions mod m and the last c letters: which states remain to be told apart?

Our derivation, unpublished. Inside a strongly connected component, after c letters, a program sees
the *context*: the last c letters u and the position mod m. A context that leaves one possible
state is *resolved*; there the state is simply visible, its outgoing counts may be weighed freely
and its potential can be taken as 0. So only unresolved contexts enter the linear system, and
windows grow only where they are needed. One extra vertex, number 0, stands for all resolved places.

With the component's period d and g = gcd(d, m) the residue of (level - position) mod g never
changes inside; the g cases are shifts of one another, so only residue 0 is examined.
"""

from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from lengthwise.core.limits import Limits
from lengthwise.languages.graphs import distinct
from lengthwise.theory.decide.connected import Component
from lengthwise.theory.decide.potentials import Separation, System, separate

Word = tuple[int, ...]
Vertex = tuple[int, Word, int]
"""A state of the component (its place in ``Component.states``), the last letters, the residue."""


@dataclass(frozen=True)
class WindowSeparation:
    """A component's unresolved vertices (system vertex = place + 1) and how they separate."""

    component: Component
    modulus: int
    window: int
    vertices: tuple[Vertex, ...]
    separation: Separation

    @property
    def complete(self) -> bool:
        """Whether the state is known at every moment."""
        return self.separation.complete


@dataclass
class Contexts:
    """Unresolved words of one length, with the partial action each has on the component."""

    component: Component
    modulus: int
    length: int
    actions: dict[Word, NDArray[np.int64]]

    @property
    def classes(self) -> int:
        """Number g of residues that are known from the entry on."""
        return gcd(self.component.period, self.modulus)

    def images(self, action: NDArray[np.int64]) -> list[list[int]]:
        """List, for each residue mod g, the states a run may be in after this word."""
        reached = distinct(action[action >= 0])
        levels = self.component.levels[reached] % self.classes
        return [reached[levels == residue].tolist() for residue in range(self.classes)]

    def grow(self) -> "Contexts":
        """Prepend every letter and keep what is still unresolved."""
        longer: dict[Word, NDArray[np.int64]] = {}
        for word, action in self.actions.items():
            extended = np.where(
                self.component.table >= 0, action[np.maximum(self.component.table, 0)], -1
            )
            for letter in range(self.component.table.shape[1]):
                if self.unresolved(extended[:, letter]):
                    longer[(letter, *word)] = extended[:, letter]
        return Contexts(self.component, self.modulus, self.length + 1, longer)

    def unresolved(self, action: NDArray[np.int64]) -> bool:
        """Tell whether some residue leaves two possible states."""
        return any(len(image) > 1 for image in self.images(action))

    def size(self) -> int:
        """Bound the number of vertices."""
        return len(self.actions) * self.modulus * len(self.component.states)


def start_contexts(component: Component, modulus: int) -> Contexts:
    """Return the contexts of length 0: the empty word, if it leaves anything open."""
    everywhere = np.arange(len(component.states))
    contexts = Contexts(component, modulus, 0, {})
    if component.period and contexts.unresolved(everywhere):
        contexts.actions[()] = everywhere
    return contexts


def resolved(component: Component, modulus: int, window: int) -> WindowSeparation:
    """Return the separation of a component in which nothing is left open."""
    nothing = Separation((), np.zeros(1, dtype=np.int64))
    return WindowSeparation(component, modulus, window, (), nothing)


def separate_contexts(contexts: Contexts, budget: Limits) -> WindowSeparation:
    """Run the potentials on the unresolved vertices of one component.

    Example:
        >>> from lengthwise.theory.decide.connected import components
        >>> even = components(np.array([[1], [0]]))[0]  # (aa)*
        >>> [separate_contexts(start_contexts(even, m), Limits()).complete for m in (1, 2)]
        [False, True]
    """
    if not contexts.actions:
        return resolved(contexts.component, contexts.modulus, contexts.length)
    vertices, visible = _vertices(contexts)
    system = _system(contexts, vertices, visible)
    separation = _grounded(system, separate(system, budget))
    return WindowSeparation(
        contexts.component, contexts.modulus, contexts.length, tuple(vertices), separation
    )


def _grounded(system: System, separation: Separation) -> Separation:
    """Give the resolved places potential 0; if no letter leads there, start the others at 0."""
    if not len(system.targets) or (system.targets == 0).any():
        return separation
    potentials: list[NDArray[np.int64]] = []
    for potential in separation.potentials:
        inside = potential[1:] - potential[1]
        common = gcd(*(int(x) for x in inside)) or 1
        potentials.append(np.concatenate([[0], inside // common]))
    return Separation(tuple(potentials), separation.blocks)


def _vertices(contexts: Contexts) -> tuple[list[Vertex], list[int]]:
    vertices: list[Vertex] = []
    visible: list[int] = [0]
    colour = 0
    for word, action in contexts.actions.items():
        images = contexts.images(action)
        for residue in range(contexts.modulus):
            possible = images[residue % contexts.classes]
            if len(possible) > 1:
                colour += 1
                vertices += [(state, word, residue) for state in possible]
                visible += [colour] * len(possible)
    return vertices, visible


def _system(contexts: Contexts, vertices: list[Vertex], visible: list[int]) -> System:
    number = {vertex: place + 1 for place, vertex in enumerate(vertices)}
    table = contexts.component.table
    edges: list[tuple[int, int, int]] = []
    for (state, word, residue), source in number.items():
        following = (residue + 1) % contexts.modulus
        for letter, target in enumerate(table[state].tolist()):
            if target >= 0:
                suffix = (*word, letter)[-contexts.length :] if contexts.length else ()
                edges.append((source, letter, number.get((target, suffix, following), 0)))
    sources, labels, targets = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    return System(np.array(visible, dtype=np.int64), sources, labels, targets)
