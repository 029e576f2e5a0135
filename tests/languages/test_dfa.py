import pickle

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.languages.counting import WordTable
from lengthwise.languages.dfa import DFA
from tests.languages.helpers import member, random_dfa, words

EVEN = DFA("ab", [[1, 0], [0, 1]], 0, [True, False])


def moore_classes(dfa):
    """The slow, obvious reference: refine by successors until nothing changes."""
    classes = dfa.accepting.astype(int)
    while True:
        keys = [(classes[q], *classes[dfa.transitions[q]]) for q in range(dfa.states)]
        numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        refined = np.array([numbers[key] for key in keys])
        if len(set(refined)) == len(set(classes)):
            return len(numbers)
        classes = refined


def test_minimise_agrees_with_moore_and_keeps_the_language():
    rng = np.random.default_rng(0)
    for _ in range(150):
        n, k = int(rng.integers(1, 12)), int(rng.integers(1, 4))
        dfa = DFA("abc"[:k], rng.integers(0, n, (n, k)), 0, rng.random(n) < 0.3)
        small = dfa.minimise()
        reached = dfa.restrict(_reached(dfa))
        assert small.states == moore_classes(reached)
        assert all(member(dfa, w) == member(small, w) for w in words(k, 5))


def _reached(dfa):
    keep = np.zeros(dfa.states, dtype=bool)
    stack = [dfa.initial]
    while stack:
        q = stack.pop()
        if not keep[q]:
            keep[q] = True
            stack += dfa.transitions[q].tolist()
    return keep


def test_boolean_operations_quotients_and_reversal_by_membership():
    rng = np.random.default_rng(1)
    for _ in range(30):
        one, two = random_dfa(rng, letters=(2, 2)), random_dfa(rng, letters=(2, 2))
        both, either = one.product(two), one.product(two, "or")
        differ, minus = one.product(two, "xor"), one.product(two, "minus")
        last, first, back = one.quotient("b"), one.derivative("ab"), one.reverse()
        for w in words(2, 6):
            a, b = member(one, w), member(two, w)
            assert member(both, w) == (a and b)
            assert member(either, w) == (a or b)
            assert member(differ, w) == (a != b)
            assert member(minus, w) == (a and not b)
            assert member(one.complement(), w) == (not a)
            assert member(last, w) == member(one, (*w, 1))
            assert member(first, w) == member(one, (0, 1, *w))
            assert member(back, w) == member(one, w[::-1])


def test_distinguishing_word_is_shortest():
    rng = np.random.default_rng(2)
    for _ in range(60):
        one, two = random_dfa(rng, letters=(2, 2)), random_dfa(rng, letters=(2, 2))
        found = one.distinguishing_word(two)
        expected = next((w for w in words(2, 10) if member(one, w) != member(two, w)), None)
        assert (found is None) == (expected is None)
        if found is not None:
            assert len(found) == len(expected)
            assert member(one, found) != member(two, found)


def test_run_follows_words_and_ignores_padding():
    states = EVEN.run([[0, 0, 1], [0, -1, -1]])
    assert states.tolist() == [[0, 1, 0, 0], [0, 1, 1, 1]]


def test_counts_agree_with_enumeration():
    rng = np.random.default_rng(3)
    for _ in range(20):
        dfa = random_dfa(rng)
        for length in range(6):
            inside = sum(member(dfa, w) for w in words(dfa.symbols, length) if len(w) == length)
            assert dfa.count_words(length) == inside


@pytest.mark.parametrize("bits", [2, 32])
def test_samples_are_uniform(bits):
    # With 2 bits nearly every draw needs the exact extension.
    dfa = DFA("abc", [[1, 0, 2], [2, 0, 1], [2, 2, 0]], 0, [True, True, False])
    table = WordTable(dfa.transitions, dfa.initial, dfa.accepting, bits)
    drawn = table.sample(np.random.default_rng(4), np.full(20_000, 4), -1)
    codes, counts = np.unique(drawn @ [27, 9, 3, 1], return_counts=True)
    expected = 20_000 / dfa.count_words(4)
    assert len(codes) == dfa.count_words(4)
    assert ((counts - expected) ** 2 / expected).sum() < 2 * len(codes)


def test_samples_of_mixed_and_long_lengths_are_members():
    rng = np.random.default_rng(5)
    lengths = rng.integers(0, 1001, 50)
    drawn = EVEN.sample(rng, lengths)
    assert drawn.shape == (50, lengths.max())
    assert ((drawn >= 0).sum(axis=1) == lengths).all()
    assert EVEN.accepting[EVEN.run(drawn)[:, -1]].all()


def test_lengths_without_words_are_refused_with_neighbours():
    pairs = DFA("a", [[1], [0]], 0, [True, False])
    with pytest.raises(InputError, match=r"no word of length 3; nearby.*2, 4"):
        pairs.sample(np.random.default_rng(0), [3])


def test_automata_are_immutable_and_picklable():
    with pytest.raises(ValueError, match="read-only"):
        EVEN.transitions[0, 0] = 1
    assert pickle.loads(pickle.dumps(EVEN)).equivalent(EVEN)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", [[]], 0, [True]), "alphabet is empty"),
        (("aa", [[0, 0]], 0, [True]), "names 'a' twice"),
        (("ab", [[0]], 0, [True]), r"expected \(states, 2\)"),
        (("a", [[1]], 0, [True]), "goes to 1; states are 0 to 0"),
        (("a", [[0]], 2, [True]), "initial state 2"),
        (("a", [[0]], 0, [True, False]), "accepting has shape"),
        (("a", [[0.5]], 0, [True]), "must be integers"),
    ],
)
def test_bad_automata_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        DFA(*arguments)


def test_large_tables_are_refused_by_size():
    with pytest.raises(InputError, match="the limit is 20,000,000"):
        DFA([str(i) for i in range(1000)], np.zeros((20_001, 1000), dtype=np.int8), 0, [True])
