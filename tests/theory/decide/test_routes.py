"""Independent routes to C-RASP[periodic, local] must agree; yes is monotone in (m, c)."""

import numpy as np
import pytest

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.dfa import DFA
from lengthwise.languages.monoid import stable_semigroup, transition_monoid
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.category import category_failure, idempotent_representatives
from lengthwise.theory.decide.connected import components
from lengthwise.theory.decide.search import divisors, fixed, search
from lengthwise.theory.decide.witness import block_witness
from tests.languages.helpers import random_dfa


def routes(dfa):
    """Answers of the search, the category test and the block witnesses (None: none found).

    Where the category says yes the search may go far; where it says no, small windows must fail.
    """
    budget = Limits(seconds=None, monoid=4_000)
    monoid = transition_monoid(dfa, budget)
    stable = stable_semigroup(monoid, budget)
    anchors = idempotent_representatives(monoid, stable.members, budget)
    category = category_failure(monoid, stable, anchors, budget) is None
    witness = block_witness(monoid, anchors, budget) is not None
    window, vertices = (8, 3_000) if category else (4, 200)
    limits = Limits(seconds=None, window=window, vertices=vertices)
    found, _ = search(components(dfa.transitions), stable.index, limits)
    return found, category, witness


def compare(seed, count):
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(count):
        dfa = random_dfa(rng)
        try:
            found, category, witness = routes(dfa)
        except LimitReachedError:
            continue
        assert not (found and not category), dfa
        assert not (witness and category), dfa
        assert (found is not None) == category, dfa
        seen.add((category, witness))
    return seen


def test_routes_agree_on_random_automata():
    assert {(True, False), (False, True)} <= compare(1, 50)


@pytest.mark.slow
def test_routes_agree_on_two_thousand_random_automata():
    assert compare(2, 2000) == {(True, False), (False, True), (False, False)}


def test_local_monoids_are_not_enough():
    # every local monoid passes, the category does not
    table = [[2, 4], [5, 0], [5, 3], [1, 2], [5, 2], [5, 5]]
    dfa = DFA("ab", table, 0, [True, False, False, False, False, False]).minimise()
    found, category, witness = routes(dfa)
    assert (found, category, witness) == (None, False, False)


def test_components_that_need_different_windows():
    # the first component is resolved by one letter, the second needs two
    dfa = compile_regex("(ab)*c(1|01|001)*(0|00)?", "abc01")
    found, category, witness = routes(dfa)
    assert (found.modulus, found.window, category, witness) == (1, 2, True, False)


def test_yes_is_monotone_in_modulus_and_window():
    rng = np.random.default_rng(3)
    grown = 0
    for _ in range(25):
        parts = components(random_dfa(rng, most=5, letters=(2, 2)).transitions)
        yes = {
            (m, c): fixed(parts, m, c, Limits(seconds=None)) is not None
            for m in divisors(12)
            for c in range(4)
        }
        for (m, c), answer in yes.items():
            if answer:
                assert all(yes[n, d] for n in divisors(12) if n % m == 0 for d in range(c, 4))
        grown += yes[12, 3] and not yes[1, 0]
    assert grown


def test_more_than_the_stability_index_does_not_help():
    rng = np.random.default_rng(4)
    for _ in range(25):
        dfa = random_dfa(rng, most=5, letters=(2, 2))
        monoid = transition_monoid(dfa, Limits())
        index = stable_semigroup(monoid, Limits()).index
        parts = components(dfa.transitions)
        for window in range(3):
            small = fixed(parts, index, window, Limits(seconds=None))
            large = fixed(parts, 2 * index, window, Limits(seconds=None))
            assert (small is None) == (large is None)
