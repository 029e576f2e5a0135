"""Forged certificates by the thousand: whatever is accepted must be true."""

import json
from collections import Counter

import numpy as np
import pytest

from lengthwise.theory.decide.check_certificate import Refused, check_certificate
from lengthwise.theory.decide.decision import decide
from tests.languages.helpers import random_dfa
from tests.theory.decide.certificates import encoded, genuine, truth
from tests.theory.decide.forging import KINDS, mutants
from tests.theory.decide.javascript import check_all, find_node
from tests.theory.decide.slow import questions, separated

NODE = find_node()
SMALL = 60
"""Vertices of the product that the slow decision takes."""


class Truth:
    """What is true about the automata of accepted mutants, by two other decisions."""

    def __init__(self):
        self.known = {}
        self.slow = 0

    def __call__(self, value):
        windows = []
        if value["answer"] == "in":
            windows = [(p["proof"]["modulus"], p["proof"]["window"]) for p in value["parts"]]
        about = [value["dfa"], len(value["alphabet"]), value["accept"], value["class"], windows]
        key = json.dumps(about)
        if key not in self.known:
            self.known[key] = self.answer(value, windows)
        return self.known[key]

    def answer(self, value, windows):
        found = truth(value)
        assert found != "undecided"
        if value["accept"] == "predict":  # free answers: no machine is given, so none can be tried
            return found
        machines = questions(value)
        if value["class"] == "plain":
            self.slow += 1
            plain = all(separated(table, initial) for table, initial, _ in machines)
            assert found == ("in" if plain else "out"), value
        elif windows:
            modulus, window = max(m for m, _ in windows), max(c for _, c in windows)
            letters = len(value["alphabet"])
            size = max(len(table) for table, _, _ in machines) * modulus * letters**window
            if size <= SMALL and {m for m, _ in windows} <= {1, modulus}:
                self.slow += 1
                assert all(separated(t, i, modulus, window) for t, i, _ in machines), value
        return found


def bench(seed, count, folder):
    """Check mutants by both checkers; return how many were accepted, by their first change."""
    known, accepted, files, verdicts = Truth(), Counter(), [], []
    originals = {json.dumps(value["dfa"]) for value in genuine()}
    for names, value in mutants(seed, count):
        try:
            check_certificate(value)
        except Refused:
            verdicts.append(False)
        else:
            verdicts.append(True)
            assert known(value) == value["answer"], (names, value)
            accepted[names[0]] += 1
            accepted["another automaton"] += json.dumps(value["dfa"]) not in originals
        files.append(encoded(value))
    if NODE is not None:
        for data, mine, theirs in zip(files, verdicts, check_all(NODE, files, folder), strict=True):
            assert "crashed" not in theirs, (theirs, data)
            assert isinstance(theirs, list) == mine, (theirs, data)
    accepted["slow"] = known.slow
    return accepted


def test_accepted_mutants_are_true(tmp_path):
    assert len(KINDS) >= 20
    count = 3_000
    found = bench(0, count, tmp_path)
    assert found["another automaton"] > 30
    assert found["slow"] > 30
    assert found["rename_states"] > 0
    assert sum(found.values()) < count / 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
def test_fifty_thousand_mutants(seed, tmp_path):
    assert bench(seed, 5_000, tmp_path)["another automaton"] > 50


def test_the_slow_decision_agrees_with_the_fast_one():
    rng = np.random.default_rng(0)
    seen = Counter()
    for _ in range(30):
        dfa = random_dfa(rng, most=5, letters=(2, 2))
        fast = decide(dfa, "end")
        table = dfa.transitions.tolist()
        assert separated(table, 0) == (fast.plain.answer == "in")
        general = fast.periodic_local
        if general.is_in and len(table) * general.modulus * 2**general.window <= SMALL:
            assert separated(table, 0, general.modulus, general.window)
            seen["in"] += 1
        if general.answer == "out":
            assert not any(separated(table, 0, m, c) for m in (1, 2, 3) for c in (0, 1))
            seen["out"] += 1
    assert min(seen["in"], seen["out"]) > 3
