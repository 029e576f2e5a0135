"""Smaller programs have the same language: by brute force, on random languages and programs."""

import random
from itertools import product

import pytest

from lengthwise.bench.deciding import random_regex
from lengthwise.core.limits import Limits
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.parser import parse
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.decision import decide
from lengthwise.theory.decide.inclusive import inclusive
from lengthwise.theory.decide.named_languages import suite
from lengthwise.theory.decide.shrink import shrink, size
from lengthwise.theory.limit.compiler import compile_program

NAMED = [(entry.regex, entry.alphabet) for entry in suite("published").entries]


def wrong_words(program, dfa: DFA, accept: str, length: int) -> list[str]:
    words = ["".join(w) for n in range(length + 1) for w in product(dfa.alphabet, repeat=n)]
    found = accepts(program, words, accept=accept)
    return [word for word, answer in zip(words, found, strict=True) if answer != dfa.accepts(word)]


def programs(regex: str, letters: str, accept: str):
    dfa = compile_regex(regex, letters)
    decision = decide(dfa, accept)
    answer = decision.plain if decision.plain.is_in else decision.periodic_local
    return dfa, answer


@pytest.mark.parametrize("accept", ["last", "end"])
@pytest.mark.parametrize("seed", range(2))
def test_random_languages_keep_every_short_word(seed: int, accept: str) -> None:
    rng = random.Random(seed)
    shrunk = 0
    for _ in range(7):
        dfa, answer = programs(random_regex(rng, 3), "abc", accept)
        if answer.program is None or size(answer.program.accept) > 40:
            continue
        small = shrink(answer.program, dfa, accept)
        assert not wrong_words(small, dfa, accept, 6)
        assert size(small.accept) <= size(answer.program.accept)
        shrunk += size(small.accept) < size(answer.program.accept)
    assert shrunk


@pytest.mark.parametrize("accept", ["last", "end"])
@pytest.mark.parametrize("regex", ["(ab)*", "(a|b)*aab(a|b)*", "(a(ab)*b)*", "a*b*a*"])
def test_small_programs_of_known_languages(regex: str, accept: str) -> None:
    dfa, answer = programs(regex, "ab", accept)
    assert not wrong_words(answer.small_program(), dfa, accept, 12)
    assert size(answer.small_program().accept) < 0.75 * size(answer.program.accept)


def test_contains_aab_has_few_layers() -> None:
    _, answer = programs("(a|b)*aab(a|b)*", "ab", "last")
    assert len(compile_program(answer.program).layers) == 17
    assert len(compile_program(answer.small_program()).layers) <= 6


def test_a_program_of_another_language_stays() -> None:
    wrong = parse('alphabet "a" "b"\naccept = #"a" >= 1 && #"b" >= 1')
    assert shrink(wrong, compile_regex("a*", "ab"), "last") is wrong


def test_what_has_no_finite_automaton_stays() -> None:
    program = parse('alphabet "a" "b"\naccept = #"a" == #"b"')
    assert shrink(program, compile_regex("(ab)*", "ab"), "last") is program


@pytest.mark.parametrize("accept", ["last", "end"])
def test_inclusive_counts_say_the_same(accept: str) -> None:
    for regex, letters in NAMED:
        dfa, answer = programs(regex, letters, accept)
        if answer.program is not None:
            same = answer.program.replace(
                definitions=[("accept", inclusive(answer.program.accept, letters, accept))]
            )
            length = {1: 12, 2: 10, 3: 6, 4: 5}.get(len(letters), 4)
            assert not wrong_words(same, dfa, accept, length), regex


@pytest.mark.slow
@pytest.mark.parametrize("accept", ["last", "end"])
def test_no_named_language_gets_a_larger_program(accept: str) -> None:
    for regex, letters in NAMED:
        _, answer = programs(regex, letters, accept)
        if answer.program is not None:
            assert size(answer.small_program().accept) <= size(answer.program.accept), regex


@pytest.mark.parametrize("accept", ["last", "end"])
def test_the_time_limit_is_kept_and_the_language_too(accept: str) -> None:
    dfa, answer = programs("(a|b|c)*aab(a|b|c)*|(abc)*", "abc", accept)
    limits = Limits(0.2)
    small = answer.small_program(limits)
    assert limits.spent() < 1.2
    assert not wrong_words(small, dfa, accept, 7)
    assert size(small.accept) <= size(answer.program.accept)
