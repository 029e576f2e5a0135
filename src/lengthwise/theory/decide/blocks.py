"""Languages of blocks: words that act as letters between words that change nothing.

Our derivation, unpublished. Let w_e be words with idempotent actions e, all of one length t, and
call a word x with e·x·f = x an *arrow* from e to f, its length a multiple of t. Padding by copies
of w_e and w_f gives every arrow realisations of one common length (a multiple of any wanted m) in
which a window of any size c sees, near either end, only the padding. So a program with positions
mod m and windows of size c, read once per block, is a plain program over the arrows; if plain
C-RASP cannot tell two states (q1, e), (q2, e) apart over the arrows, no (m, c) can.
A single e gives the local monoid e·S·e; several give the category of idempotents.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lengthwise.core.limits import Limits
from lengthwise.languages.graphs import strong_components
from lengthwise.theory.decide.chains import Allowed, ClosedPartition, closed_partition
from lengthwise.theory.decide.potentials import Ints, System, separate


@dataclass(frozen=True)
class Anchor:
    """An idempotent element of the monoid and the states of one component that it fixes."""

    element: int
    fixed: Ints


@dataclass(frozen=True)
class Arrow:
    """An action from the states of one anchor to those of another; -1 leaves the component."""

    source: int
    target: int
    element: int
    action: Ints


@dataclass(frozen=True)
class BlockFailure:
    """A closed partition of the vertices (state, anchor) under the arrows."""

    anchors: tuple[Anchor, ...]
    arrows: tuple[Arrow, ...]
    system: System
    partition: ClosedPartition

    @property
    def vertices(self) -> list[tuple[int, int]]:
        """Vertices as (state, anchor number), in the order of the system."""
        return [(q, i) for i, anchor in enumerate(self.anchors) for q in anchor.fixed.tolist()]


def actions_between(
    elements: NDArray[np.int32], members: Ints, source: Ints, after: NDArray[np.int32]
) -> tuple[Ints, Ints]:
    """List the distinct actions q -> after[x[q]] of members x on some states; and one x for each.

    Earlier members win, so listing them by length of word gives short representatives.
    """
    images = after[elements[members][:, source]]
    _, first = np.unique(images, axis=0, return_index=True)
    first.sort()
    return images[first].astype(np.int64), members[first]


def block_failure(
    elements: NDArray[np.int32],
    members: Ints,
    anchors: list[int],
    budget: Limits,
    allowed: Allowed = None,
) -> BlockFailure | None:
    """Test plain separability over arrows between idempotents; None when everything separates.

    An arrow from e to f is any e·x·f with x among ``members``. ``allowed`` says which pairs of
    states count as a failure (default: all).
    """
    placed = [Anchor(e, _fixed_points(elements[e])) for e in anchors]
    for group in _components(elements, members, placed):
        part = [
            Anchor(anchor.element, np.array(sorted(q for q, i in group if i == number)))
            for number, anchor in enumerate(placed)
        ]
        part = [anchor for anchor in part if len(anchor.fixed)]
        if all(len(anchor.fixed) < 2 for anchor in part):
            continue
        arrows = _arrows(elements, members, part, budget)
        system = arrow_system(part, arrows)
        separation = separate(system, budget)
        if not separation.complete:
            partition = closed_partition(
                system, separation.blocks, budget, _by_state(part, allowed)
            )
            if partition is not None:
                return BlockFailure(tuple(part), tuple(arrows), system, partition)
    return None


def _by_state(anchors: list[Anchor], allowed: Allowed) -> Allowed:
    if allowed is None:
        return None
    states = np.concatenate([anchor.fixed for anchor in anchors])
    return lambda u, v: allowed(int(states[u]), int(states[v]))


def _components(
    elements: NDArray[np.int32], members: Ints, anchors: list[Anchor]
) -> list[list[tuple[int, int]]]:
    """Return sets of at least two vertices (state, anchor) that arrows carry into each other."""
    vertices = [(q, i) for i, anchor in enumerate(anchors) for q in anchor.fixed.tolist()]
    number = {vertex: place for place, vertex in enumerate(vertices)}
    moves: list[list[int]] = []
    for q, _ in vertices:
        reached = np.unique(elements[members, q])
        targets = {
            number[int(r), j]
            for j, anchor in enumerate(anchors)
            for r in np.unique(elements[anchor.element][reached])
        }
        moves.append(sorted(targets))
    groups = strong_components(moves)
    return [[vertices[v] for v in group] for group in groups if len(group) > 1]


def _fixed_points(action: NDArray[np.int32]) -> Ints:
    return np.flatnonzero(action == np.arange(len(action)))


def _arrows(
    elements: NDArray[np.int32],
    members: Ints,
    anchors: list[Anchor],
    budget: Limits,
) -> list[Arrow]:
    arrows: list[Arrow] = []
    for i, first in enumerate(anchors):
        for j, second in enumerate(anchors):
            budget.check("the arrows between idempotents")
            after = elements[second.element]
            after = np.where(np.isin(after, second.fixed), after, -1).astype(np.int32)
            images, chosen = actions_between(elements, members, first.fixed, after)
            keep = (images >= 0).any(axis=1)
            arrows += [
                Arrow(i, j, int(x), image)
                for x, image in zip(chosen[keep], images[keep], strict=True)
            ]
    return arrows


def arrow_system(anchors: list[Anchor], arrows: list[Arrow]) -> System:
    """Write the vertices (state, anchor) and the arrows between them as a system."""
    starts = np.cumsum([0, *(len(anchor.fixed) for anchor in anchors)])
    visible = np.repeat(np.arange(len(anchors)), [len(anchor.fixed) for anchor in anchors])
    sources, labels, targets = [], [], []
    for label, arrow in enumerate(arrows):
        stays = np.flatnonzero(arrow.action >= 0)
        sources.append(starts[arrow.source] + stays)
        labels.append(np.full(len(stays), label))
        place = np.searchsorted(anchors[arrow.target].fixed, arrow.action[stays])
        targets.append(starts[arrow.target] + place)
    return System(visible, *(np.concatenate(part) for part in (sources, labels, targets)))
