"""Automata learned from predicates: right where they are trusted, doubted where they must be."""

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.languages.asked import Asked
from lengthwise.languages.automaton_learning import (
    access_depth,
    distinguishing_length,
    first_difference,
    learn,
)
from lengthwise.languages.dfa import DFA
from tests.languages.helpers import random_dfa


def test_random_automata_are_learned_back_or_doubted():
    rng, trusted = np.random.default_rng(0), 0
    for _ in range(14):
        dfa = random_dfa(rng, most=6)
        learned = learn(dfa.accepts, dfa.alphabet, most_words=4_000)
        if not learned.doubt:
            assert learned.dfa.equivalent(dfa)
            assert learned.dfa.states == dfa.states
            assert "not proved" in learned.note
            trusted += 1
    assert trusted >= 8


def test_depths_are_those_of_a_slow_search():
    """All pairs of states, shortest words first."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        dfa = random_dfa(rng, most=7)
        table = dfa.transitions.tolist()
        reached, words = {dfa.initial: 0}, [(dfa.initial, 0)]
        for state, length in words:
            for target in table[state]:
                if target not in reached:
                    reached[target] = length + 1
                    words.append((target, length + 1))
        assert access_depth(dfa) == max(reached.values())
        longest = 0
        for one in range(dfa.states):
            for two in range(one):
                left = DFA(dfa.alphabet, dfa.transitions, one, dfa.accepting)
                right = DFA(dfa.alphabet, dfa.transitions, two, dfa.accepting)
                longest = max(longest, len(left.distinguishing_word(right)))
        assert distinguishing_length(dfa) == longest


def test_the_table_of_all_words_is_what_single_questions_say():
    calls = []

    def member(word):
        calls.append(word)
        return word.count("ab") % 2 == 1

    asked = Asked(member, "abc")
    assert asked("abab") is False
    asked.read_all(most=130)
    assert asked.complete == 4
    for number, word in enumerate(["cab", "", "abcc", "aabab", "b", "aabab"]):
        assert asked(word) == (word.count("ab") % 2 == 1), number
        assert asked.word(len(word), asked.index(word)) == word
    assert calls.count("aabab") == 1
    assert list(asked.members(2)) == ["ab"]
    assert asked.questions == 1 + 3 + 9 + 27 + 81 + 1
    wrong = first_difference(DFA("abc", [[0] * 3], 0, [False]), asked, 4)
    assert wrong == (0, 1)


NOT_REGULAR = {
    "w#w": ("ab#", lambda w: w.count("#") == 1 and w.split("#")[0] == w.split("#")[1]),
    "a^n b^n": ("ab", lambda w: w == "a" * (len(w) // 2) + "b" * (len(w) // 2)),
    "palindromes": ("ab", lambda w: w == w[::-1]),
    "ww": ("abc", lambda w: len(w) % 2 == 0 and w[: len(w) // 2] == w[len(w) // 2 :]),
    "majority": ("ab", lambda w: w.count("a") > w.count("b")),
    "squares": ("a", lambda w: round(len(w) ** 0.5) ** 2 == len(w)),
    "differences below 20": ("ab", lambda w: abs(w.count("a") - w.count("b")) < 20),
}


@pytest.mark.parametrize("name", NOT_REGULAR)
def test_languages_that_are_not_regular_are_doubted(name):
    letters, member = NOT_REGULAR[name]
    assert "fits all words" in learn(member, letters, max_states=40).doubt


def test_late_changes_are_met_by_longer_words_and_what_was_read_is_said():
    late = learn(lambda w: len(w) < 45 or w.count("a") % 2 == 0, "ab", most_words=2_000)
    assert "fits all words" in late.doubt
    later = learn(lambda w: (w.count("a") % 2 == 0) == (len(w) < 1000), "ab", most_words=2_000)
    assert not later.doubt
    assert "all words to length 9" in later.note
    assert "nothing is known beyond" in later.note


@pytest.mark.parametrize("word", ["", "ab", "a" * 60])
def test_a_finite_language_is_not_trusted(word):
    """Longer members of a sparse language cannot be seen."""
    learned = learn(lambda w: w == word, "ab", most_words=2_000)
    assert learned.doubt


def test_deep_automata_need_all_words_to_be_read_far():
    doubt = learn(lambda w: "a" * 6 in w, "ab", most_words=5_000).doubt
    assert "fits all words" in doubt or "needs all words" in doubt
    assert not learn(lambda w: len(w) % 60 == 7, "a").doubt


def test_length_alone_may_decide():
    learned = learn(lambda w: len(w) >= 3, "ab", most_words=2_000)
    assert not learned.doubt
    assert learned.dfa.states == 4


def test_failing_functions_name_the_word():
    with pytest.raises(InputError, match=r"failed on the word '.*': ZeroDivisionError"):
        learn(lambda w: 1 / (len(w) - 2), "ab")
