"""Uniform words by path counting, against enumeration and exact counts."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.tasks.formal._alias import alias_tables
from lengthwise.tasks.formal._spelling import Spelling
from lengthwise.tasks.formal.negatives import corrupt
from lengthwise.tasks.formal.paths import PathSampler
from tests.tasks.chi import surprise


def members(dfa: DFA, length: int) -> list[tuple[int, ...]]:
    """List the accepted words of one length by trying all."""
    words = itertools.product(range(dfa.symbols), repeat=length)
    return [word for word in words if dfa.accepting[dfa.step(dfa.initial, word)]]


@pytest.mark.parametrize(
    ("pattern", "length"),
    [
        ("(ab|ba)*", 8),
        ("(1|01|001)*(0|00|())", 11),
        ("a*b*c*", 9),
        ("(a|b)*d(b|c)*", 5),
        ("(abc|cb|a)*", 11),
        ("(a|b|c)*ab", 7),
    ],
)
def test_all_words_of_a_length_are_equally_likely(pattern, length):
    dfa = compile_regex(pattern)
    wanted = members(dfa, length)
    sampler = PathSampler(dfa, 30)
    words, _ = sampler.draw(np.random.default_rng(0), np.full(30 * len(wanted), length))
    counts = Counter(map(tuple, words.tolist()))
    assert set(counts) == set(wanted)
    assert surprise([counts[w] for w in wanted], np.ones(len(wanted))) < 4.5


@st.composite
def automata(draw):
    states, symbols = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    cell = st.integers(0, states - 1)
    row = st.lists(cell, min_size=symbols, max_size=symbols)
    table = draw(st.lists(row, min_size=states, max_size=states))
    accepting = draw(st.lists(st.booleans(), min_size=states, max_size=states))
    return DFA("abcd"[:symbols], table, draw(cell), accepting)


@given(automata(), st.integers(0, 2**32))
def test_words_are_accepted_and_states_are_those_of_a_run(dfa, seed):
    sampler = PathSampler(dfa, 23)
    exist = [n for n in range(24) if sampler.exist[n]]
    assert exist == [n for n in range(24) if dfa.count_words(n)]
    if not exist:
        return
    lengths = np.random.default_rng(seed).choice(exist, 40)
    words, states = sampler.draw(np.random.default_rng(seed), lengths)
    for word, passed, length in zip(words, states, lengths, strict=True):
        assert (word[length:] == -1).all()
        assert (passed[length:] == -1).all()
        state = dfa.initial
        for symbol, seen in zip(word[:length], passed[:length], strict=True):
            state = int(dfa.transitions[state, symbol])
            assert state == seen
        assert dfa.accepting[state]


@pytest.mark.parametrize("length", [1, 150, 1000])
def test_symbol_frequencies_are_exact_at_any_length(length):
    """The share of 0 at the first place equals a ratio of two exact counts."""
    dfa = compile_regex("(1|01|001)*(0|00|())")
    sampler = PathSampler(dfa, length)
    words, _ = sampler.draw(np.random.default_rng(1), np.full(20_000, length))
    after_zero = dfa.derivative("0").count_words(length - 1)
    share = after_zero / dfa.count_words(length)
    zeros = int((words[:, 0] == 0).sum())
    assert surprise([zeros, 20_000 - zeros], [share, 1 - share]) < 4.5


def test_lengths_may_be_mixed_and_zero():
    dfa = compile_regex("(ab)*")
    words, _ = PathSampler(dfa, 10).draw(np.random.default_rng(0), np.array([0, 4, 10]))
    assert words[0].tolist() == [-1] * 10
    assert words[2].tolist() == [0, 1] * 5
    none, _ = PathSampler(dfa, 10).draw(np.random.default_rng(0), np.array([0, 0]))
    assert none.shape == (2, 0)


@given(automata(), st.integers(0, 2**32))
def test_corrupted_words_are_outside_the_language(dfa, seed):
    rng = np.random.default_rng(seed)
    inside, outside = PathSampler(dfa, 12), PathSampler(dfa.complement(), 12)
    both = [n for n in range(13) if inside.exist[n] and outside.exist[n]]
    if not both:
        return
    lengths = rng.choice(both, 30)
    words, others = inside.draw(rng, lengths)[0], outside.draw(rng, lengths)[0]
    result = corrupt(rng, dfa, words, others, rng.random(30) < 0.7)
    assert not dfa.accepting[dfa.run(result)[:, -1]].any()
    assert ((result >= 0).sum(axis=1) == lengths).all()


def test_an_edit_changes_at_most_two_symbols():
    dfa = compile_regex("(ab)*")
    rng = np.random.default_rng(0)
    lengths = np.full(200, 10)
    words = PathSampler(dfa, 10).draw(rng, lengths)[0]
    others = np.zeros_like(words)
    result = corrupt(rng, dfa, words, others, np.ones(200, dtype=bool))
    changed = (result != words).sum(axis=1)
    edited = (result != others).any(axis=1)
    assert edited.mean() > 0.95
    assert set(changed[edited].tolist()) == {1, 2}


@given(st.integers(0, 3), st.integers(1, 40), st.data())
def test_alias_tables_have_exactly_the_given_weights(bits, rows, data):
    columns, capacity = 2**bits, 2**20
    seed = data.draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    cut = rng.integers(0, columns * capacity + 1, (rows, columns - 1))
    cut[rng.random(cut.shape) < 0.2] = 0  # some weights are zero
    total = np.full((rows, 1), columns * capacity)
    weights = np.diff(np.concatenate([np.sort(cut, axis=1), total], axis=1), axis=1, prepend=0)
    threshold, alias = alias_tables(weights, capacity)
    assert ((threshold >= 0) & (threshold <= capacity)).all()
    drawn = threshold.copy()
    for row, column in np.ndindex(drawn.shape):
        drawn[row, alias[row, column]] += capacity - threshold[row, column]
    assert np.array_equal(drawn, weights)


@given(st.integers(1, 8), st.integers(1, 5), st.booleans(), st.integers(0, 2**32))
def test_words_and_cells_are_spelled_alike(size, steps, large, seed):
    """Against copying cell by cell; large numbers do not fit into bytes."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(-100, 3000 if large else 128, (20, size))
    blocks = rng.integers(0, 20, (steps + 1, 7))
    start = rng.integers(0, size, 7)
    out = np.zeros((7, steps * size), dtype=np.int64)
    Spelling(cells).write(blocks, start, out)
    for row in range(7):
        whole = [value for block in blocks[:, row] for value in cells[block]]
        assert out[row].tolist() == whole[start[row] : start[row] + steps * size]
