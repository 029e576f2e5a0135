"""Classical classes of regular languages, read off the minimal automaton and its monoid."""

from dataclasses import asdict, dataclass

import numpy as np

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.dfa import DFA
from lengthwise.languages.graphs import distinct
from lengthwise.languages.monoid import Monoid, transition_monoid
from lengthwise.theory.decide.connected import components
from lengthwise.theory.decide.dot_depth import dot_depth_one


@dataclass(frozen=True)
class Classes:
    """Memberships; None where the monoid was too large to tell, or there is no automaton.

    Known inclusions, plain C-RASP read at the end (Yang, Veseli et al. 2026, Theorems 13 and 14):
    R-trivial < C-RASP < R-infinity = (R o G and star-free).
    """

    star_free: bool | None
    r_trivial: bool | None
    r_infinity: bool | None
    r_g: bool | None
    group: bool | None
    commutative: bool | None
    dot_depth_one: bool | None

    def to_json(self) -> dict[str, bool | None]:
        """Return the memberships by name."""
        return asdict(self)


def classify(dfa: DFA, budget: Limits) -> tuple[Classes, Monoid | None]:
    """Classify the language of a minimal automaton; the monoid is returned for further use.

    Example:
        >>> parity = DFA("ab", [[1, 0], [0, 1]], 0, [True, False])
        >>> found, _ = classify(parity, Limits())
        >>> found.group, found.star_free, found.r_g
        (True, False, True)
    """
    try:
        with budget.alarm("the construction of the monoid"):
            monoid = transition_monoid(dfa, budget)
    except LimitReachedError:
        monoid = None
    r_trivial = all(len(part.states) == 1 for part in components(dfa.transitions))
    group = bool((np.sort(dfa.transitions, axis=0) == np.arange(dfa.states)[:, None]).all())
    star_free, r_g = _from_monoid(monoid, r_trivial, group and dfa.states > 1)
    r_infinity = False if star_free is False or r_g is False else (star_free and r_g)
    try:
        with budget.alarm("dot-depth one"):
            one = None if monoid is None else bool(star_free) and dot_depth_one(monoid, budget)
    except LimitReachedError:
        one = None
    found = Classes(star_free, r_trivial, r_infinity, r_g, group, _commutative(dfa), one)
    return found, monoid


def _from_monoid(
    monoid: Monoid | None, r_trivial: bool, true_group: bool
) -> tuple[bool | None, bool | None]:
    """Return (star-free, R o G), with what is known without the monoid."""
    if monoid is not None:
        return monoid.aperiodic, monoid.one_idempotent_per_r_class
    if r_trivial:
        return True, True
    return (False, True) if true_group else (None, None)


def _commutative(dfa: DFA) -> bool:
    columns = distinct(dfa.transitions.T, axis=0)
    return all(
        np.array_equal(columns[b][columns[a]], columns[a][columns[b]])
        for a in range(len(columns))
        for b in range(a)
    )
