import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.languages.learned import learn
from tests.languages.helpers import random_dfa


def test_random_automata_are_learned_back():
    rng = np.random.default_rng(0)
    for _ in range(15):
        dfa = random_dfa(rng, most=6)
        learned = learn(dfa.accepts, dfa.alphabet, random_words=100)
        assert learned.dfa.equivalent(dfa)
        assert learned.dfa.states == dfa.states
        assert "not proved" in learned.note


def test_languages_that_are_not_regular_are_refused():
    with pytest.raises(InputError, match="more than 6 states"):
        learn(lambda w: w.count("a") == w.count("b"), "ab", max_states=6)


def test_failing_functions_name_the_word():
    with pytest.raises(InputError, match=r"failed on the word '.*': ZeroDivisionError"):
        learn(lambda w: 1 / (len(w) - 2), "ab")


def test_a_counter_that_saturates_on_short_words_is_refused():
    """Majority fits an automaton on short and random words; pumped words tell the difference."""
    with pytest.raises(InputError, match="does not look regular"):
        learn(lambda word: word.count("a") > word.count("b"), "ab")
    assert learn(lambda word: word.count("a") % 2 == 0, "ab").dfa.states == 2
