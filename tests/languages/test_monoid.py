from itertools import product

import numpy as np
import pytest

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.monoid import stable_semigroup, transition_monoid
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.classical import classify
from tests.languages.helpers import random_dfa, words


def action(dfa, word):
    return tuple(dfa.step(q, word) for q in range(dfa.states))


def test_elements_words_and_stability_by_definition():
    rng = np.random.default_rng(0)
    for _ in range(25):
        dfa = random_dfa(rng, most=4, letters=(2, 2))
        monoid = transition_monoid(dfa, Limits())
        for x in range(monoid.size):
            assert action(dfa, monoid.word(x)) == tuple(monoid.elements[x])
        short = {action(dfa, w) for w in words(2, 5)}
        assert short <= {tuple(e) for e in monoid.elements}
        stable = stable_semigroup(monoid, Limits())
        if stable.index <= 5:
            of_length = {
                n: {action(dfa, w) for w in product((0, 1), repeat=n)} for n in range(1, 11)
            }
            least = next(n for n in range(1, 6) if of_length[n] == of_length[2 * n])
            assert stable.index == least
        for x in stable.members[:5].tolist():
            word = stable.word(monoid, x)
            assert len(word) == stable.index
            assert action(dfa, word) == tuple(monoid.elements[x])


def equations(dfa):
    """Star-free and R-trivial from their equations, over all elements."""
    monoid = transition_monoid(dfa, Limits())
    elements = [tuple(e) for e in monoid.elements]

    def times(x, y):
        return tuple(y[q] for q in x)

    def omega(x):
        power = x
        while times(power, power) != power:
            power = times(power, x)
        return power

    star_free = all(times(omega(x), x) == omega(x) for x in elements)
    r_trivial = all(
        times(omega(times(x, y)), x) == omega(times(x, y)) for x in elements for y in elements
    )
    r_infinity = star_free and all(
        times(omega(times(x, omega(y))), x) == omega(times(x, omega(y)))
        for x in elements
        for y in elements
    )
    return star_free, r_trivial, r_infinity


def test_classes_agree_with_their_equations():
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(80):
        dfa = random_dfa(rng, least=2, most=4, letters=(2, 2))
        found, _ = classify(dfa, Limits())
        expected = equations(dfa)
        assert (found.star_free, found.r_trivial, found.r_infinity) == expected
        assert found.r_infinity == (found.star_free and found.r_g)
        seen.add(expected)
    assert len(seen) >= 3


@pytest.mark.parametrize(
    ("pattern", "alphabet", "expected"),
    [
        ("(ab)*", "ab", True),  # D_1; D_n has dot-depth n (Brzozowski and Knast 1978)
        ("(a(ab)*b)*", "ab", False),
        ("(a(a(ab)*b)*b)*", "ab", False),
        (".*ab.*", "abc", True),
        ("(aa)*", "a", False),
        ("a*b*", "ab", True),
    ],
)
def test_known_dot_depths(pattern, alphabet, expected):
    found, _ = classify(compile_regex(pattern, alphabet), Limits())
    assert found.dot_depth_one is expected


def test_groups_and_commutative_languages():
    parity, _ = classify(compile_regex("b*(ab*ab*)*"), Limits())
    assert parity.group
    assert parity.commutative
    ordered, _ = classify(compile_regex("a*b*"), Limits())
    assert not ordered.group
    assert not ordered.commutative


def test_large_monoids_are_refused():
    with pytest.raises(LimitReachedError, match="more than 10 elements"):
        transition_monoid(compile_regex("(a(ab)*b)*"), Limits(monoid=10))
    partial = transition_monoid(compile_regex("(a(ab)*b)*"), Limits(), at_most=10)
    assert partial.size == 10
    assert not partial.complete
