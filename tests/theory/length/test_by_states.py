"""Length complexity among automata, against all automata with few states."""

from itertools import product

import pytest

from lengthwise.core.limits import Limits
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.length.automata import by_states

WORDS = [word for n in range(8) for word in product("ab", repeat=n)]


def behaviours(states, letters="ab"):
    """The answers of all automata with so many states, on all short words; each with one."""
    found = {}
    for table in product(range(states), repeat=states * len(letters)):
        rows = [table[k * len(letters) : (k + 1) * len(letters)] for k in range(states)]
        for accepting in product([False, True], repeat=states):
            key = []
            for word in WORDS:
                state = 0
                for letter in word:
                    state = rows[state][letters.index(letter)]
                key.append(accepting[state])
            found.setdefault(tuple(key), (rows, accepting))
    return found


@pytest.mark.parametrize("states", [1, 2])
def test_small_automata_against_all_others(states):
    check(states, 1)


@pytest.mark.slow
def test_three_states_against_all_others():
    check(3, 17)


def check(states, step):
    known = behaviours(states)
    for key, (rows, accepting) in list(known.items())[::step]:
        dfa = DFA("ab", rows, 0, accepting).minimise()
        if dfa.states < states:
            continue
        latest = max(
            next(len(w) for w, p, q in zip(WORDS, key, other, strict=True) if p != q)
            for other in known
            if other != key
        )
        found = by_states(dfa, Limits(None))
        assert (found.low, found.high) == (latest, latest)


@pytest.mark.parametrize("pattern", ["(ab)*", "(1|01|001)*(0|00)?", "b*(ab*ab*)*", "a*b*a*"])
def test_the_rival_is_one(pattern):
    dfa = compile_regex(pattern).minimise()
    found = by_states(dfa)
    assert found.exact
    assert found.rival.states <= dfa.states == found.states
    assert len(found.word) == found.low
    assert found.rival.accepts(found.word) != dfa.accepts(found.word)
    for n in range(found.low):
        for word in product(dfa.alphabet, repeat=n):
            assert found.rival.accepts(word) == dfa.accepts(word)


def test_no_time_leaves_an_interval():
    found = by_states(compile_regex("0*1*0*1*"), Limits(1.0, started=-1e9))
    assert found.low < found.high <= 2 * found.states - 2
    assert not found.exact
