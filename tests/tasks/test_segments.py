"""Words with long stretches: all in the language, of the lengths asked for, every word possible."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.languages.regex import compile_regex
from lengthwise.tasks import load_task
from lengthwise.tasks.formal.segments import completable, segmented

PATTERNS = ("(ab)*", "(a|b)*c(a|c)*", "a*(b|ca)*c*", "(aa|b)*", "(a|b|c)*")


@given(st.sampled_from(PATTERNS), st.integers(0, 2**32 - 1))
def test_words_are_in_the_language_and_have_their_lengths(pattern, seed):
    dfa = compile_regex(pattern, "abc")
    finish = completable(dfa, 12)
    lengths = np.flatnonzero(finish[:13, dfa.initial])
    words = segmented(np.random.default_rng(seed), dfa, finish, lengths)
    for word, length in zip(words, lengths, strict=True):
        assert (word[:length] >= 0).all()
        assert (word[length:] == -1).all()
        assert dfa.accepts(dfa.decode(word[:length]))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_completable_is_what_trying_all_endings_finds(pattern):
    dfa = compile_regex(pattern, "abc")
    table = completable(dfa, 4)
    for length, state in itertools.product(range(5), range(dfa.states)):
        endings = itertools.product(range(3), repeat=length)
        assert table[length, state] == any(dfa.accepting[dfa.step(state, e)] for e in endings)


def test_every_word_can_be_drawn():
    dfa = compile_regex("(a|b)*", "ab")
    lengths = np.full(4000, 4)
    words = segmented(np.random.default_rng(0), dfa, completable(dfa, 4), lengths)
    assert len({tuple(word) for word in words.tolist()}) == 16


def test_stretches_over_one_letter_grow_with_the_word():
    """A third of all words have one segment, and then one letter in a quarter of all cases."""
    dfa = compile_regex("(a|b)*", "ab")
    lengths = np.full(3000, 40)
    words = segmented(np.random.default_rng(0), dfa, completable(dfa, 40), lengths)
    alone = np.mean([len(set(word)) == 1 for word in words.tolist()])
    assert 0.05 < alone < 0.3


def test_recognition_has_words_of_its_own():
    with pytest.raises(InputError, match="words=segments is for labels of prefixes"):
        load_task("regex:(ab)*;words=segments,supervision=recognition")
    with pytest.raises(InputError, match="no words of length"):
        load_task("regex:(ab)*;words=segments").sample(np.random.default_rng(0), np.array([3]))
