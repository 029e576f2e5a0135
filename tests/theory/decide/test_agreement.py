"""The decision against the slow one, on random automata; every certificate is checked."""

from collections import Counter
from contextlib import nullcontext

import numpy as np
import pytest

from lengthwise.core.limits import Limits
from lengthwise.languages.dfa import DFA
from lengthwise.theory.decide.check_certificate import check_certificate
from lengthwise.theory.decide.connected import components
from lengthwise.theory.decide.decision import answers_of
from lengthwise.theory.decide.pairs import Pairs
from tests.languages.helpers import random_dfa
from tests.theory.decide.certificates import as_if_large
from tests.theory.decide.slow import minimal, separated

SMALL = 60
"""Vertices of the product that the slow decision takes."""


def with_twins(rng, dfa):
    """Add letters that act like others, and shuffle them."""
    columns = rng.integers(0, dfa.symbols, dfa.symbols + 2)
    columns[: dfa.symbols] = np.arange(dfa.symbols)
    table = dfa.transitions[:, rng.permutation(columns)]
    return DFA([chr(97 + a) for a in range(len(columns))], table, 0, dfa.accepting).minimise()


def questions(dfa, accept):
    table, finals = dfa.transitions.tolist(), dfa.accepting.astype(int).tolist()
    if accept == "end":
        return [minimal(table, 0, finals)]
    return [minimal(table, 0, [finals[row[a]] for row in table]) for a in range(dfa.symbols)]


def agree(seed, count):
    """Compare on random automata, half of them in the forms that large ones get."""
    rng, seen = np.random.default_rng(seed), Counter()
    for number in range(count):
        dfa = random_dfa(rng, most=int(rng.integers(4, 8)))
        dfa = with_twins(rng, dfa) if number % 4 == 3 else dfa
        accept = ("end", "end", "last")[number % 3]
        with as_if_large() if number % 2 else nullcontext():
            plain, general = answers_of(dfa, accept, Limits(seconds=None, monoid=3_000))
        asked = questions(dfa, accept)
        wanted = "in" if all(separated(table, start) for table, start, _ in asked) else "out"
        assert plain.answer == wanted, dfa
        for answer in (plain, general):
            if answer.answer != "undecided":
                checked = check_certificate(answer.certificate(program=False))
                assert checked.answer == answer.answer
        seen[plain.answer, general.answer] += 1
        _compare_general(dfa, general, asked)
    return seen


def _compare_general(dfa, general, asked):
    size = max(len(table) for table, _, _ in asked)
    if general.is_in:
        modulus, window = general.modulus, general.window
        if size * modulus * dfa.symbols**window <= SMALL:
            assert all(separated(table, start, modulus, window) for table, start, _ in asked), dfa
    elif general.answer == "out":
        for modulus, window in ((1, 1), (2, 0), (3, 0)):
            if size * modulus * dfa.symbols**window <= SMALL:
                refuted = [not separated(table, s, modulus, window) for table, s, _ in asked]
                assert any(refuted), (dfa, modulus, window)


def test_three_hundred_random_automata():
    seen = agree(0, 300)
    assert min(seen["in", "in"], seen["out", "in"], seen["out", "out"]) > 30


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
def test_a_hundred_thousand_random_automata(seed):
    assert agree(seed, 5_000)["out", "out"] > 500


def test_merges_and_swaps_refute_only_what_is_outside():
    """Every pair that a merge or a swap joins: no small modulus and window tells it apart."""
    rng, found = np.random.default_rng(1), Counter()
    for _ in range(200):
        dfa = random_dfa(rng, most=6, letters=(2, 2))
        for part in components(dfa.transitions):
            if len(part.states) > 1:
                pairs = Pairs(part)
                merge = pairs.merge(Limits(), lambda p, q: True)
                swap = pairs.swap(Limits(), lambda p, q: True)
                found["merge"] += merge is not None
                found["swap"] += swap is not None
                if merge or swap:
                    table = dfa.transitions.tolist()
                    assert not any(separated(table, 0, m, c) for m, c in ((1, 2), (2, 1), (4, 0)))
    assert min(found["merge"], found["swap"]) > 10


def test_merging_and_enduring_pairs_are_those_of_obvious_searches():
    rng = np.random.default_rng(2)
    for _ in range(60):
        dfa = random_dfa(rng, most=6)
        for part in components(dfa.transitions):
            n = len(part.states)
            if n > 1:
                pairs = Pairs(part)
                table = part.table.tolist()
                for p in range(n):
                    for q in range(n):
                        if p != q:
                            assert pairs.merging[p * n + q] == _meets(table, p, q)
                assert pairs.enduring.tolist() == _enduring(table)


def _meets(table, p, q):
    seen, queue = {(p, q)}, [(p, q)]
    for one, two in queue:
        for after in zip(table[one], table[two], strict=True):
            if min(after) >= 0 and after[0] == after[1]:
                return True
            if min(after) >= 0 and after not in seen:
                seen.add(after)
                queue.append(after)
    return False


def _enduring(table):
    """Different states that both come after a word of length n * n, read from different ones."""
    n = len(table)
    now = {(p, q) for p in range(n) for q in range(n) if p != q}
    for _ in range(n * n):
        steps = {after for p, q in now for after in zip(table[p], table[q], strict=True)}
        now = {after for after in steps if min(after) >= 0 and after[0] != after[1]}
    return [(p, q) in now for p in range(n) for q in range(n)]
