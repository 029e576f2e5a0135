"""What counts alone show they show beside any window and modulus, at exactly the open places."""

import re
from copy import deepcopy
from itertools import product

import numpy as np
import pytest

from lengthwise.theory.decide.check_certificate import Refused, check_certificate
from tests.languages.helpers import random_dfa
from tests.theory.decide.certificates import encoded, wide
from tests.theory.decide.forging import strong_components
from tests.theory.decide.javascript import check_all
from tests.theory.decide.test_checker_js import NODE, agree, needs_node


def spoiled(value):
    """Yield the certificate with a place less, a place more, a place twice, or a word shortened."""
    for part in range(len(value["parts"])):
        for number in range(len(value["parts"][part]["proof"]["components"])):

            def change(edit, part=part, number=number):
                other = deepcopy(value)
                component = other["parts"][part]["proof"]["components"][number]
                edit(component["vertices"], component["potentials"])
                return other

            size = len(value["parts"][part]["proof"]["components"][number]["vertices"])
            for at in range(size):
                yield change(lambda v, p, at=at: [x.pop(at) for x in (v, *p)])
                yield change(lambda v, p, at=at: [x.append(x[at]) for x in (v, *p)])
                yield change(lambda v, p, at=at: v.__setitem__(at, v[at - 1]))
                yield change(
                    lambda v, p, at=at: v[at].__setitem__(1, v[at][1][1:] if v[at][1] else [0])
                )
                yield change(lambda v, p, at=at: v[at].__setitem__(1, [*v[at][1], 0]))
                yield change(lambda v, p, at=at: v[at].__setitem__(2, v[at][2] + 1))
                yield change(lambda v, p, at=at: v[at].__setitem__(0, v[at][0] + 1))


def test_every_window_and_modulus_is_accepted():
    for value in wide():
        assert check_certificate(value).answer == "in"


def test_a_place_missing_doubled_or_moved_is_refused():
    """Moving a place moves it out of its context, or onto another one."""
    for value in list(wide())[::5]:
        for other in spoiled(value):
            with pytest.raises(Refused):
                check_certificate(other)


@needs_node
def test_both_agree_about_windows(tmp_path):
    right = list(wide())
    assert agree([encoded(value) for value in right], tmp_path) == len(right)
    wrong = [encoded(other) for value in right[::5] for other in spoiled(value)]
    assert agree(wrong, tmp_path) == 0


def without_a_word(value):
    """Yield the certificate without the places of one word, as if it left nothing open."""
    for part in range(len(value["parts"])):
        for number, component in enumerate(value["parts"][part]["proof"]["components"]):
            for word in {tuple(word) for _, word, _ in component["vertices"]}:
                other = deepcopy(value)
                inner = other["parts"][part]["proof"]["components"][number]
                keep = [at for at, (_, u, _) in enumerate(inner["vertices"]) if tuple(u) != word]
                inner["vertices"] = [inner["vertices"][at] for at in keep]
                inner["potentials"] = [[row[at] for at in keep] for row in inner["potentials"]]
                yield other


def test_a_word_that_is_not_listed_is_the_reason():
    for value in list(wide())[::2]:
        for other in without_a_word(value):
            with pytest.raises(Refused, match=r"word that is not listed|no places for the open"):
                check_certificate(other)


@needs_node
def test_a_word_that_is_not_listed_is_the_reason_in_javascript(tmp_path):
    files = [encoded(other) for value in list(wide())[::2] for other in without_a_word(value)]
    for found in check_all(NODE, files, tmp_path):
        assert re.search("not listed|not open|not all open", found["refused"]), found


# ---- windows that name every state -----------------------------------------------------------

FAR = 7
"""Words are tried up to this length."""


def endurance(table, states):
    """The longest word that leaves several states of a component open, or None beyond FAR."""
    longest = 0
    for length in range(1, FAR + 1):
        for word in product(range(len(table[0])), repeat=length):
            left = states
            for a in word:
                left = {table[q][a] for q in left} & states
            if len(left) > 1:
                longest = length
    return longest if longest < FAR else None


def definite(seed, count):
    """Yield (automaton, longest word that leaves several states open), all letters included."""
    rng = np.random.default_rng(seed)
    while count:
        dfa = random_dfa(rng, most=6, letters=(2, 2))
        table = dfa.transitions.tolist()
        parts = [set(part) for part in strong_components(table, 0) if len(part) > 1]
        found = [endurance(table, part) for part in parts]
        if found and None not in found:
            count -= 1
            yield dfa, max(found)


def windowed(dfa, window):
    """A yes that lists no place: the last letters alone are said to name every state."""
    table = dfa.transitions.tolist()
    machine = {"transitions": table, "initial": 0, "outputs": dfa.accepting.astype(int).tolist()}
    parts = [sorted(part) for part in strong_components(table, 0) if len(part) > 1]
    components = [{"states": part, "vertices": [], "potentials": []} for part in parts]
    proof = {"modulus": 1, "window": window, "components": components}
    return {
        "format": "lengthwise-certificate",
        "version": 1,
        "class": "periodic_local",
        "accept": "end",
        "answer": "in",
        "alphabet": list(dfa.alphabet),
        "dfa": {"transitions": table, "initial": 0, "accepting": dfa.accepting.tolist()},
        "parts": [{"last": None, "machine": machine, "proof": proof}],
    }


def windows_around(seed=0, count=40):
    """(certificate, whether its window is long enough) for windows around the right one."""
    return [
        (windowed(dfa, window), window > longest)
        for dfa, longest in definite(seed, count)
        for window in (*range(longest + 4), 10**9)
    ]


def test_a_window_names_every_state_iff_no_longer_word_leaves_several():
    for value, enough in windows_around():
        if enough:
            assert check_certificate(value).strength == "own derivation"
        else:
            with pytest.raises(Refused):
                check_certificate(value)


@needs_node
def test_both_agree_about_windows_that_name_every_state(tmp_path):
    cases = windows_around()
    for enough in (True, False):
        files = [encoded(value) for value, right in cases if right == enough]
        assert agree(files, tmp_path) == (len(files) if enough else 0)
