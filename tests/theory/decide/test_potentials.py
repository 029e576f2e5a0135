import numpy as np
import pytest

from lengthwise.bench.deciding import bounded_counter, by_cycles, divisible, ours
from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide import potentials
from lengthwise.theory.decide.connected import components
from lengthwise.theory.decide.search import fixed
from tests.languages.helpers import random_dfa


def rounds(pattern):
    """Rounds per non-trivial component, None where the separation fails."""
    found = fixed(components(compile_regex(pattern).transitions), 1, 0, Limits())
    return None if found is None else found.rounds


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("(ab)*", 1),
        ("(aa)*", None),
        ("a*b*", 0),
        ("[01]*1", None),
        ("[abe]*be*", None),
        ("(ab|bbaa)*", 2),
        ("(ab|aabb)*", None),
        ("(ab|bba)*", None),
        ("(aab|abb)*", None),
        ("c*bc(ac*bc)*", 2),
        ("(ab(bb)*c)*", None),
        ("(cab|c)*", None),
    ],
)
def test_examples_worked_by_hand(pattern, expected):
    assert rounds(pattern) == expected


def test_agrees_with_cycle_enumeration_on_random_automata():
    rng = np.random.default_rng(0)
    answers = []
    for _ in range(400):
        dfa = random_dfa(rng, most=6)
        answers.append(ours(dfa))
        assert answers[-1] == by_cycles(dfa), dfa
    assert 50 < sum(answers) < 350


def test_families():
    assert not ours(divisible(30, 2))
    assert ours(bounded_counter(30, 2))


def test_systems_beyond_the_limit_are_refused():
    with pytest.raises(LimitReachedError, match="the limit"):
        fixed(components(divisible(30, 2).transitions), 1, 0, Limits(vertices=10))


def test_a_system_that_would_outlast_the_time_is_not_begun():
    budget = Limits(seconds=1)
    budget.expect(0.5, "a linear system")
    with pytest.raises(LimitReachedError, match="time limit of 1 s too short for a linear system"):
        budget.expect(2.0, "a linear system")
    Limits(seconds=None).expect(1e9, "anything")


def test_large_systems_are_weighed_before_they_are_solved(monkeypatch):
    parts = components(divisible(30, 2).transitions)
    assert fixed(parts, 1, 0, Limits(seconds=60)) is None
    monkeypatch.setattr(potentials, "SOLVED_A_SECOND", 1.0)
    with pytest.raises(LimitReachedError, match="too short for a linear system"):
        fixed(parts, 1, 0, Limits(seconds=60))
