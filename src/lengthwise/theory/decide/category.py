"""The idempotent-category test: a full decision for C-RASP[periodic, local].

Our derivation, unpublished (the delay theorem's picture, Straubing 1985 and Tilson 1987, with
separability in place of division). Let S be the stable semigroup. Vertices are (q, e) with e an
idempotent of S and q·e = q, edges the arrows e·x·f. The language is in the class iff plain
separation, starting from e visible, tells apart all (q1, e), (q2, e).

Isomorphic idempotents (one D-class of S) give isomorphic vertices, so one per class is enough.
"""

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.languages.graphs import distinct
from lengthwise.languages.monoid import Ints, Monoid, Stable
from lengthwise.theory.decide.blocks import BlockFailure, block_failure
from lengthwise.theory.decide.chains import Allowed


def category_failure(
    monoid: Monoid, stable: Stable, anchors: list[int], budget: Limits, allowed: Allowed = None
) -> BlockFailure | None:
    """Return why no modulus and window suffice, or None: some modulus and window do."""
    return block_failure(monoid.elements, stable.members, anchors, budget, allowed)


def idempotent_representatives(
    monoid: Monoid, members: Ints, budget: Limits, least_rank: int = 2
) -> list[int]:
    """Return one idempotent per D-class of a subsemigroup, the one with the shortest word.

    Idempotents with fewer than ``least_rank`` states in their image are left out: a constant action
    leaves nothing to tell apart.
    """
    idempotents = monoid.idempotents[np.isin(monoid.idempotents, members)]
    chosen: list[tuple[int, int]] = []
    for e in idempotents.tolist():
        budget.check("the classes of idempotents")
        rank = len(distinct(monoid.elements[e]))
        if rank < least_rank:
            continue
        if not any(r == rank and _isomorphic(monoid, members, e, f) for f, r in chosen):
            chosen.append((e, rank))
    return [e for e, _ in chosen]


def _isomorphic(monoid: Monoid, members: Ints, e: int, f: int) -> bool:
    """Tell whether S holds invertible arrows between two idempotents of equal rank."""
    return _injects(monoid, members, e, f) and _injects(monoid, members, f, e)


def _injects(monoid: Monoid, members: Ints, e: int, f: int) -> bool:
    image = distinct(monoid.elements[e])
    moved = monoid.elements[f][monoid.elements[members][:, image]]
    moved.sort(axis=1)
    return bool((moved[:, 1:] != moved[:, :-1]).all(axis=1).any())
