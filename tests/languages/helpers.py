"""Random automata and obvious references for the tests of this folder."""

from itertools import product

import numpy as np

from lengthwise.languages.dfa import DFA


def random_dfa(rng, least=3, most=7, letters=(2, 3)):
    """Draw a minimal automaton: uniform, partial injective with a sink, or with many exits."""
    while True:
        n = int(rng.integers(least, most + 1))
        k = int(rng.integers(letters[0], letters[1] + 1))
        kind = rng.integers(3)
        if kind == 0:
            table = rng.integers(0, n, (n, k))
        elif kind == 1:
            table = np.full((n, k), n - 1)
            for a in range(k):
                kept = rng.random(n - 1) < 0.6
                table[: n - 1, a] = np.where(kept, rng.permutation(n - 1), n - 1)
        else:
            table = np.where(rng.random((n, k)) < 0.35, n - 1, rng.integers(0, n, (n, k)))
            table[n - 1] = n - 1
        dfa = DFA("abc"[:k], table, 0, rng.random(n) < 0.4).minimise()
        if least <= dfa.states <= most:
            return dfa


def words(symbols, longest):
    """All words of indices up to a length, as tuples."""
    for length in range(longest + 1):
        yield from product(range(symbols), repeat=length)


def member(dfa, word):
    """Run one word, state by state."""
    state = dfa.initial
    for symbol in word:
        state = dfa.transitions[state][symbol]
    return bool(dfa.accepting[state])
