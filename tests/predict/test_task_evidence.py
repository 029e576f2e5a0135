"""Providers that look at instances of tasks, against slow and obvious references."""

from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.clock import Clock
from lengthwise.predict import PROVIDERS, Context
from lengthwise.predict.instances import draw
from lengthwise.predict.providers import labels, restriction, table
from lengthwise.predict.providers.communication import answer_rows
from lengthwise.subjects import task_subject
from lengthwise.tasks import load_task
from lengthwise.theory.communication.rows import exponential


def context(name: str) -> Context:
    return Context(task_subject(load_task(name)), Clock(30))


def run(machine, word: str) -> int:
    state = machine.initial
    for letter in word:
        state = int(machine.transitions[state, machine.alphabet.index(letter)])
    return int(machine.outputs[state])


def test_every_provider_is_silent_or_speaks_about_known_classes():
    from lengthwise.predict.classes import CLASSES

    here = context("select-first")
    for name in PROVIDERS:
        for item in PROVIDERS.load(name)(here):
            assert set(item.claims) <= set(CLASSES)


def test_instances_are_prompts_with_answers_or_words_with_labels():
    copied = draw(load_task("repeat-copy"), 3, 5, 50)
    assert copied.continues
    assert not copied.labels
    for prompt, answer in zip(copied.prompts, copied.answers, strict=True):
        assert answer == (*prompt, "<eos>")
    labelled = draw(load_task("aa-star"), 4, 4, 2)
    assert labelled.labels
    assert labelled.prompts[0] == ("a",) * 4
    assert labelled.answers[0] == ("0", "1", "0", "1")
    assert labelled.table() is None


def test_a_text_whose_questions_are_scattered_has_no_prompt_and_answer():
    assert draw(load_task("flip-flop"), 8, 8, 20).table() is None


# ---- the restriction of interleaved majority -------------------------------------------------


def leads(word: str, period: int) -> list[list[int]]:
    """The lead of ones in each stream after every prefix."""
    return [
        [
            2 * word[: n + 1][k::period].count("1") - len(word[: n + 1][k::period])
            for k in range(period)
        ]
        for n in range(len(word))
    ]


@pytest.mark.parametrize("period", [2, 3])
def test_the_restriction_answers_exactly_on_balanced_prompts(period):
    machine, _ = restriction.balanced_streams(load_task(f"interleaved-majority:period={period}"))
    for length in range(1, 10):
        for letters in product("01", repeat=length):
            word = "".join(letters)
            seen = leads(word, period)
            inside = all(abs(lead) <= 1 for row in seen for lead in row)
            asked = inside and length % period == 0 and all(seen[-1])
            assert run(machine, word) == (int(seen[-1][0] > 0) if asked else -1)


def test_the_restriction_refutes_plain_programs_for_three_streams_only():
    (found,) = restriction.restriction(context("interleaved-majority"))
    assert dict(found.claims) == {"plain": False}
    assert found.strength == "exhaustive"
    assert restriction.restriction(context("interleaved-majority:period=2")) == []


def test_a_restriction_that_disagrees_with_the_task_is_not_used():
    task = load_task("interleaved-majority")
    machine, _ = restriction.balanced_streams(task)
    prompts = [w for n in (3, 6, 9) for w in product("01", repeat=n)]
    balanced = sum(run(machine, "".join(w)) >= 0 for w in prompts)
    assert restriction.compare(task, machine) == (balanced, balanced)
    wrong = np.where(machine.outputs >= 0, 1 - machine.outputs, machine.outputs)
    broken = type(machine)(machine.alphabet, machine.transitions, machine.initial, wrong)
    assert restriction.compare(task, broken) == (0, 0)


# ---- regular functions of short prompts ------------------------------------------------------


def test_parity_is_recognised_from_its_short_prompts():
    task = load_task("parity")
    answers = table.short_answers(task)
    assert answers is not None
    symbols, known, reached = answers
    assert symbols == ("0", "1")
    assert len(known) == 2 ** (reached + 1) - 1
    built = table.residual_machine(symbols, known, reached)
    assert built is not None
    machine, outputs = built
    assert machine.states == 2
    for word in map("".join, product("01", repeat=6)):
        assert outputs[run(machine, word)][0] == ("o" if word.count("1") % 2 else "e")
    assert table.table(context("parity")) == []  # the task declares it, nothing is learned
    claims = [dict(item.claims) for item in labels.labels(context("parity"))]
    assert claims == [{"plain": False}, {"periodic_local": False}]


@pytest.mark.parametrize("name", ["binary-majority", "repeat-copy", "sort", "interleaved-majority"])
def test_other_tasks_are_not_taken_for_regular_functions(name):
    assert table.table(context(name)) == []


def test_a_counter_does_not_close_as_a_finite_machine():
    words = ["".join(w) for n in range(9) for w in product("01", repeat=n)]
    known = {tuple(w): (("1",) if w.count("1") > w.count("0") else ("0",)) for w in words}
    assert table.residual_machine(("0", "1"), known, 8) is None


# ---- communication ---------------------------------------------------------------------------


@given(st.integers(1, 40), st.integers(6, 14))
def test_polynomial_growth_is_never_called_exponential(degree, longest):
    assert not exponential([comb(n + degree, degree) for n in range(1, longest)])


@given(st.integers(2, 6), st.integers(6, 10), st.integers(1, 5))
def test_exponential_growth_is(base, longest, factor):
    assert exponential([factor * base**n for n in range(1, longest + 1)])


def test_rows_of_copy_and_addition_are_the_known_ones():
    assert answer_rows(load_task("repeat-copy"))[""][:9] == [(n, 2**n) for n in range(1, 10)]
    with_one = answer_rows(load_task("addition"))["+ 1 ="]
    assert with_one == [(n, 2 ** max(1, n - 1)) for n in range(1, 8)]


# ---- labels ----------------------------------------------------------------------------------


def test_the_labels_decide_not_the_language():
    """{a,b}*b: which symbols may follow is always both, so the next-symbol task is trivial."""
    (found,) = labels.labels(context("regex:(a|b)*b;supervision=next"))
    assert dict(found.claims) == {"plain": True}
    asked = labels.labels(context("regex:(a|b)*b(a|b);supervision=member,words=all"))
    assert [dict(item.claims) for item in asked] == [{"plain": False}, {"local": True}]


def test_the_program_of_a_yes_gives_the_labels():
    from lengthwise.core.budget import Budget
    from lengthwise.tasks.following import check_task

    for name in ("d-3", "tomita-4", "abab-star", "ab-d-bc"):
        task: Any = load_task(name)
        _, general = labels.decide_questions(task.automaton, task.answers.parts(), Budget())
        program = labels.label_program(task, general)
        report = check_task(program, task, instances=200, longest=30, seed=7)
        assert report.mistake is None


def test_labels_of_random_regexes_agree_with_the_decision_for_next_symbols():
    from lengthwise.studies.suites import random_regexes
    from lengthwise.theory.decide.decision import decide

    for text in random_regexes(12, seed=5, longest=24):
        task = load_task(text)
        assert task.language is not None
        wanted = decide(task.language, "predict")
        found = labels.labels(Context(task_subject(task), Clock(30)))
        assert found[0].claims["plain"] == (wanted.plain.answer == "in")
        if wanted.plain.answer == "out":
            member = wanted.periodic_local.answer == "in"
            assert set(found[1].claims.values()) == {member}


@pytest.mark.parametrize("name", ["regex:(ab)*", "d-2", "d-4", "aa-star", "abab-star", "tomita-7"])
def test_padding_is_safe_iff_the_language_with_a_neutral_letter_stays_in(name):
    from lengthwise.languages.dfa import DFA
    from lengthwise.theory.decide.decision import decide

    task: Any = load_task(name)
    dfa = task.automaton
    stay = np.arange(dfa.states)[:, None]
    padded = DFA(
        (*dfa.alphabet, "_"), np.hstack([dfa.transitions, stay]), dfa.initial, dfa.accepting
    )
    wanted = decide(padded, "predict").periodic_local.answer == "in"
    assert labels.padding_safe(task) is wanted
