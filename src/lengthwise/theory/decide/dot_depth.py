"""Dot-depth one, by Knast's equation.

A language has dot-depth at most one iff for all idempotents e, f of its syntactic semigroup and all
arrows a, c from e to f and b, d from f to e: (ab)^w a d (cd)^w = (ab)^w (cd)^w
(Knast 1983, "A semigroup characterization of dot-depth one languages"; our transcription of it is
checked in the tests on languages of known dot-depth). Isomorphic idempotents give isomorphic
arrows, so one per D-class is enough.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from lengthwise.core.limits import Limits
from lengthwise.languages.graphs import distinct
from lengthwise.languages.monoid import Monoid
from lengthwise.theory.decide.category import idempotent_representatives

Actions = NDArray[np.int32]


def dot_depth_one(monoid: Monoid, budget: Limits) -> bool:
    """Tell whether Knast's equation holds.

    Example:
        >>> from lengthwise.languages.dfa import DFA
        >>> from lengthwise.languages.monoid import transition_monoid
        >>> ab = DFA("ab", [[1, 2], [2, 0], [2, 2]], 0, [True, False, False])  # (ab)*
        >>> dot_depth_one(transition_monoid(ab, Limits()), Limits())
        True
    """
    semigroup = distinct(monoid.cayley).astype(np.int64)
    elements = monoid.elements[semigroup]
    idempotents = idempotent_representatives(monoid, semigroup, budget, least_rank=1)
    images = {e: len(distinct(monoid.elements[e])) for e in idempotents}
    pairs = sorted(product(idempotents, repeat=2), key=lambda p: images[p[0]] + images[p[1]])
    for e, f in pairs:  # small images first: fewer arrows to try
        budget.check("Knast's equation")
        if not _holds(elements, monoid.elements[e], monoid.elements[f], budget):
            return False
    return True


def _holds(elements: Actions, e: Actions, f: Actions, budget: Limits) -> bool:
    """Check the equation for one pair of idempotents."""
    forth = distinct(f[elements[:, e]], axis=0)  # e x f, applied left to right
    back = distinct(e[elements[:, f]], axis=0)
    budget.require(len(forth) * len(back), "cells", "Knast's equation")
    rounds = np.stack([_then(a, back) for a in forth])  # (forth, back, state): a b
    powers = _omega(rounds.reshape(-1, rounds.shape[-1]))
    turned = np.repeat(forth, len(back), axis=0)
    left = distinct(np.stack([powers, _compose(powers, turned)], axis=1), axis=0)
    ends = np.tile(back, (len(forth), 1))
    right = distinct(np.stack([powers, _compose(ends, powers)], axis=1), axis=0)
    budget.require(len(left) * len(right), "cells", "Knast's equation")
    return all((right[:, 1][:, pair[1]] == right[:, 0][:, pair[0]]).all() for pair in left)


def _then(first: Actions, others: Actions) -> Actions:
    """Apply ``first``, then each of ``others``."""
    return others[:, first]


def _compose(first: Actions, second: Actions) -> Actions:
    """Apply the rows of ``first``, then the rows of ``second``."""
    return np.take_along_axis(second, first, axis=1)


def _omega(actions: Actions) -> Actions:
    """Return the idempotent powers; the monoid is aperiodic, so a high power is enough."""
    power = actions
    for _ in range(int(actions.shape[1]).bit_length()):
        power = _compose(power, power)
    return power
