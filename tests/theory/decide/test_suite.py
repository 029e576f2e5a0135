"""The published languages: our table against the literature, certificates and programs included."""

from itertools import product

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.crasp.interpreter import accepts
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.words import Words, all_words
from lengthwise.theory.decide.check_certificate import check_certificate
from lengthwise.theory.decide.decision import decide
from lengthwise.theory.decide.named_languages import suite

# name: (states, monoid, rounds of the plain program or None, (modulus, window) or None), from an
# independent computation that this code base did not take part in
EXPECTED = {
    "Tomita 1": (1, 2, 0, (1, 0)),
    "Tomita 2": (2, 6, 1, (1, 0)),
    "Tomita 3": (4, 26, None, None),
    "Tomita 4": (3, 12, None, (1, 2)),
    "Tomita 5": (4, 4, None, None),
    "Tomita 6": (3, 3, None, None),
    "Tomita 7": (4, 9, 0, (1, 0)),
    "D_2": (3, 15, 1, (1, 0)),
    "D_3": (4, 31, 1, (1, 0)),
    "D_4": (5, 56, 1, (1, 0)),
    "D_12": (13, 820, 1, (1, 0)),
    "(aa)*": (2, 2, None, (2, 0)),
    "(aaaa)*": (4, 4, None, (4, 0)),
    "(abab)*": (4, 10, None, (4, 0)),
    "aa*bb*cc*dd*ee*": (6, 17, 0, (1, 0)),
    "{a,b}*d{b,c}*": (2, 5, 0, (1, 0)),
    "{0,1,2}*02*": (2, 3, None, None),
    "PARITY": (2, 2, None, None),
    "flip-flop": (2, 3, None, None),
    "ends in b": (2, 3, None, (1, 1)),
    "contains bb": (3, 6, None, (1, 1)),
    "contains ab, 2 letters": (3, 5, 0, (1, 0)),
    "contains ab, 3 letters": (3, 6, None, (1, 1)),
    "(ab|ba)*": (3, 15, 1, (1, 0)),
    "(ab|bbaa)*": (5, 36, 2, (1, 0)),
    "(ab|aabb)*": (4, 21, None, (1, 1)),
    "(ab|bba)*": (4, 26, None, (1, 2)),
    "(aab|abb)*": (3, 14, None, (3, 0)),
    "(ab(bb)*c)*": (3, 13, None, (2, 0)),
    "c*bc(ac*bc)*": (3, 12, 2, (1, 0)),
    "three blocks a+b+": (7, 13, 0, (1, 0)),
    "even length": (2, 2, None, (2, 0)),
}
ENTRIES = {entry.name: entry for entry in suite("published").entries}
LANGUAGES = {name: compile_regex(entry.regex, entry.alphabet) for name, entry in ENTRIES.items()}


def test_the_suite_is_the_table():
    assert set(LANGUAGES) == set(EXPECTED)
    with pytest.raises(InputError, match="Did you mean 'published'"):
        suite("publish")


@pytest.mark.parametrize("name", EXPECTED)
def test_answers_match_the_table(name):
    assert suite("published").accept == "end"
    found = decide(LANGUAGES[name], "end")
    states, monoid, rounds, pair = EXPECTED[name]
    general = found.periodic_local
    assert (found.live_states, found.monoid, found.plain.rounds) == (states, monoid, rounds)
    assert ((general.modulus, general.window) if general.is_in else None) == pair
    for answer in (found.plain, general):
        check_certificate(answer.certificate())
    published = ENTRIES[name]
    if published.plain is not None:
        assert (found.plain.answer, general.answer) == (published.plain, published.periodic_local)


@pytest.mark.parametrize("accept", ["end", "last"])
@pytest.mark.parametrize("name", EXPECTED)
def test_programs_equal_their_automata(name, accept):
    found = decide(LANGUAGES[name], accept)
    program = found.periodic_local.program
    if found.periodic_local.answer != "in":
        assert program is None
        return
    dfa = found.dfa
    limit = 10 if dfa.symbols <= 3 else 6  # longer ones: the slow test below
    for length in range(1, limit + 1):
        batch = all_words(dfa.alphabet, length)
        want = dfa.accepting[dfa.run(np.asarray(batch.tokens))[:, -1]]
        assert (np.asarray(accepts(program, batch, accept=accept)) == want).all()
    rng = np.random.default_rng(0)
    long = [dfa.decode(w) for w in rng.integers(0, dfa.symbols, (20, 300))]
    inside = [n for n in (100, 101, 300) if dfa.count_words(n)]
    long += [dfa.decode(w) for n in inside for w in dfa.sample(rng, np.full(20, n))]
    assert np.asarray(accepts(program, long, accept=accept)).tolist() == [
        dfa.accepts(word) for word in long
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aa*bb*cc*dd*ee*", "{a,b}*d{b,c}*"])
def test_programs_over_large_alphabets_equal_their_automata_to_length_ten(name):
    found = decide(LANGUAGES[name], "end")
    dfa, program = found.dfa, found.periodic_local.program
    tails = [np.asarray(all_words(dfa.alphabet, length).tokens) for length in (4, 7)]
    for head in product(range(dfa.symbols), repeat=3):
        for tail in tails:
            batch = np.hstack([np.tile(head, (len(tail), 1)), tail])
            want = dfa.accepting[dfa.run(batch)[:, -1]]
            got = accepts(program, Words.of_codes(batch, dfa.alphabet), accept="end")
            assert (np.asarray(got) == want).all()


@pytest.mark.parametrize(
    ("pattern", "answer"),
    [
        ("(ab(bb)*c)*", "out"),  # accepted by one public decider, though b permutes two states
        ("(cab|c)*", "out"),
        ("c*bc(ac*bc)*", "in"),  # rejected by another
        ("(e*ae*be*|e*be*be*ae*ae*)*", "in"),  # (ab|bbaa)* with a neutral letter
    ],
)
def test_languages_on_which_public_deciders_fail(pattern, answer):
    found = decide(compile_regex(pattern), "end")
    assert found.plain.answer == answer
    check_certificate(found.plain.certificate())
