"""A task's sampler as an oracle: the prompts that were asked for, or none; what refutes a task."""

import numpy as np
import pytest

from lengthwise.bench.cases import asked_tasks
from lengthwise.bench.cases import tasks as cases
from lengthwise.core.limits import Limits
from lengthwise.predict import Context
from lengthwise.predict.providers.asked_prompts import asked_prompts, refute_prompts
from lengthwise.predict.scripted import PromptOracle, ScriptedGenerator
from lengthwise.subjects import task_subject
from lengthwise.theory.communication.check_fooling import check_fooling


def test_letters_come_from_the_script_and_coins_from_the_edge():
    rng = ScriptedGenerator(np.array([1, 0, 1, 1]), 2)
    assert rng.integers(0, 2, 3).tolist() == [1, 0, 1]
    assert (int(rng.integers(0, 2)), int(rng.integers(5, 9)), float(rng.random())) == (0, 5, 0.0)
    assert rng.choice(["x", "y"], 2).tolist() == ["y", "x"]  # the script ends: zeros
    high = ScriptedGenerator(np.array([2]), 3, arrays=False, high=True)
    assert (int(high.integers(0, 3)), int(high.integers(4)), high.random() > 0.9) == (2, 3, True)
    assert rng.random(3).shape == (3,)


def test_a_sampler_that_draws_until_something_fits_comes_to_an_end():
    rng = ScriptedGenerator(np.zeros(0, dtype=np.int64), 2)
    draws = 0
    while not rng.integers(0, 2, 1).any():
        draws += 1
    assert draws >= 64


class SortedWords(cases.Answering):
    """Its words are sorted: other prompts do not exist."""

    def word(self, rng, length):
        return "".join(sorted(super().word(rng, length)))

    def answer(self, word):
        return word[0]


class Marked(cases.Answering):
    """A mark in the middle, at even lengths."""

    others = "|"

    def word(self, rng, length):
        drawn = super().word(rng, 2 * length)
        return f"{drawn[:length]}|{drawn[length:]}"

    def answer(self, word):
        return word[0]


def test_prompts_are_those_that_were_asked_for():
    oracle = PromptOracle.of(cases.Palindrome())
    assert oracle is not None
    assert oracle.whole
    assert oracle.asking("y").ask(["abba", "abab", "aa", "ab"]) == [True, False, True, False]
    assert oracle.asking("n").ask(["abba", "abab"]) == [False, True]
    marked = PromptOracle.of(Marked())
    assert marked is not None
    assert not marked.whole
    assert marked.prompt("abba") == "<bos> a b | b a <sep>"
    assert marked.asking("a").ask(["abba", "bbba", "aba", ""]) == [True, False, False, False]


@pytest.mark.parametrize("kind", [SortedWords, asked_tasks.OneKindChanged, cases.ReverseDistinct])
def test_a_sampler_that_makes_other_prompts_is_no_oracle(kind):
    assert PromptOracle.of(kind()) is None


def refute(task, seconds):
    oracle = PromptOracle.of(task)
    if oracle is None:
        return []
    return refute_prompts(oracle, {"plain", "periodic_local"}, Limits(seconds))


def test_comparisons_and_primes_are_refuted():
    assert [dict(x.claims) for x in refute(asked_tasks.PrimeNumber(), 600)] == [
        {"periodic_local": False}
    ]
    found = refute(asked_tasks.Smaller(), 600)
    assert [dict(x.claims) for x in found] == [{"limit": False}]
    assert "beginnings of prompts" in found[0].statement

    def begins_with_n(word):
        half = len(word) // 2
        return len(word) % 2 == 0 and len(word) > 0 and word[:half] >= word[half:]

    assert check_fooling(found[0].certificate, begins_with_n) == [2**n for n in range(1, 8)]


def test_what_counts_and_windows_answer_is_not_refuted():
    for kind in (cases.SecondSymbol, cases.LeastFrequent, cases.InOrder):
        assert refute(kind(), 9) == []
    for kind in (cases.LastSymbol, cases.LengthModuloThree, cases.EveryThirdMajority):
        assert all(set(found.claims) == {"plain"} for found in refute(kind(), 9))


def test_what_is_settled_or_no_oracle_is_left_alone():
    context = Context(task_subject(SortedWords()), Limits(60))
    assert asked_prompts(context) == []
