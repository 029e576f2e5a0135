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
from tests.theory.decide.slow import answered, confused, questions, separated

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
        if value["answer"] == found:
            (self.check_yes if found == "in" else self.check_no)(value, windows)
        return found

    def check_yes(self, value, windows):
        """Its machines answer everything, and counts name their states, or those of the minimal."""
        assert answered(value), value
        letters = len(value["alphabet"])
        if value["accept"] == "predict":  # what is free is chosen by the machines themselves
            machines = [
                (p["machine"]["transitions"], p["machine"]["initial"]) for p in value["parts"]
            ]
        else:
            machines = [(table, initial) for table, initial, _ in questions(value)]
            top = max(m for m, _ in windows), max(c for _, c in windows)
            windows = [top] * len(machines) if {m for m, _ in windows} <= {1, top[0]} else []
        for (table, initial), (modulus, window) in zip(machines, windows, strict=False):
            if len(table) * modulus * letters**window <= SMALL:
                self.slow += 1
                assert separated(table, initial, modulus, window), value

    def check_no(self, value, windows):
        """Whatever modulus and window, two states that look alike need different answers."""
        wide = [(1, 0)] if value["class"] == "plain" else [(1, 0), (2, 0), (3, 1)]
        for modulus, window in wide:
            fits = modulus * len(value["alphabet"]) ** window * len(value["dfa"]["accepting"])
            if fits <= SMALL:
                self.slow += 1
                assert any(confused(*q, modulus, window) for q in questions(value)), value


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
