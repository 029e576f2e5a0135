"""Providers that look at instances of tasks, against slow and obvious references."""

from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.bench.cases import asked_tasks
from lengthwise.bench.cases import tasks as cases
from lengthwise.core.limits import Limits
from lengthwise.crasp import analyse
from lengthwise.crasp.writing.examples import AskedTexts
from lengthwise.predict import PROVIDERS, Context
from lengthwise.predict.instances import draw, draw_examples, draw_rare
from lengthwise.predict.prediction import predict_subject
from lengthwise.predict.providers import communication, labels, restriction, table, written
from lengthwise.predict.providers.communication import answers_apart
from lengthwise.predict.skewed import MODES, SkewedGenerator
from lengthwise.subjects import task_subject
from lengthwise.tasks import load_task
from lengthwise.tasks.following import mistakes
from lengthwise.theory.communication.rows import exponential


def context(name: str) -> Context:
    return Context(task_subject(load_task(name)), Limits(30))


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


# ---- families of prompts ----------------------------------------------------------------------


def leads(word: str, period: int) -> list[list[int]]:
    """The lead of ones in each stream after every prefix."""
    return [
        [
            2 * word[: n + 1][k::period].count("1") - len(word[: n + 1][k::period])
            for k in range(period)
        ]
        for n in range(len(word))
    ]


@pytest.mark.parametrize("period", [1, 2, 3])
def test_a_family_holds_exactly_the_balanced_words(period):
    machine = restriction.balanced(("0", "1"), period)
    for length in range(1, 10):
        for letters in product("01", repeat=length):
            inside = all(abs(lead) <= 1 for row in leads("".join(letters), period) for lead in row)
            assert (run(machine, "".join(letters)) >= 0) == inside


def test_a_family_refutes_plain_programs_for_three_streams_only():
    (found,) = restriction.restriction(context("interleaved-majority"))
    assert dict(found.claims) == {"plain": False}
    assert found.strength == "sampled"
    assert restriction.restriction(context("interleaved-majority:period=2")) == []


def test_a_family_whose_answers_depend_on_more_than_the_state_is_not_used():
    task = load_task("interleaved-majority")
    prompts = restriction.short_prompts(task)
    machine = restriction.balanced(("0", "1"), 3)
    answered, drawn, existing = restriction.with_answers(machine, prompts, task)
    assert answered is not None
    assert drawn == existing
    assert restriction.with_answers(restriction.balanced(("0", "1"), 1), prompts, task)[0] is None


# ---- regular functions of short prompts ------------------------------------------------------


def test_parity_is_recognised_from_its_short_prompts():
    task = load_task("parity")
    short = table.short_answers(task)
    assert short is not None
    assert short.symbols == ("0", "1")
    assert len(short.known) == 2 ** (short.reached + 1) - 1
    machine = table.residual_machine(short)
    assert machine is not None
    assert machine.automaton.states == 2
    for word in product("01", repeat=6):
        answer = machine.answer(word)
        assert answer is not None
        assert answer[0] == ("o" if word.count("1") % 2 else "e")
    assert table.table(context("parity")) == []  # the task declares it, nothing is learned
    claims = [dict(item.claims) for item in labels.labels(context("parity"))]
    assert claims == [{"plain": False}, {"periodic_local": False}]


@pytest.mark.parametrize("name", ["binary-majority", "repeat-copy", "sort", "interleaved-majority"])
def test_other_tasks_are_not_taken_for_regular_functions(name):
    assert table.table(context(name)) == []


def test_a_counter_does_not_close_as_a_finite_machine():
    words = ["".join(w) for n in range(9) for w in product("01", repeat=n)]
    known = {tuple(w): (("1",) if w.count("1") > w.count("0") else ("0",)) for w in words}
    assert table.residual_machine(table.ShortAnswers(("0", "1"), known, 8, "answer")) is None


def test_a_machine_that_asks_where_the_task_does_not_refutes_nothing():
    """Words of even length only; a machine with one state less would ask after all words."""
    known = {w: ((w[-1],)) for n in (2, 4, 6, 8) for w in product("ab", repeat=n)}
    short = table.ShortAnswers(("a", "b"), known, 8, "answer")
    machine = table.residual_machine(short)
    assert machine is not None
    assert table.same_questions(machine, short)
    everywhere = {w: ((w[-1],)) for n in range(1, 9) for w in product("ab", repeat=n)}
    more = table.residual_machine(table.ShortAnswers(("a", "b"), everywhere, 8, "answer"))
    assert more is not None
    assert not table.same_questions(more, short)


def claims_of(task: Any) -> list[dict[str, bool]]:
    return [dict(e.claims) for e in table.table(Context(task_subject(task), Limits(30)))]


def test_gaps_in_lengths_and_least_lengths_are_no_obstacle():
    assert claims_of(cases.LastButOne())[0] == {"plain": False}
    assert claims_of(cases.LastSymbol()) == [{"plain": False}, {"local": True}]
    assert claims_of(cases.OddNumber()) == [{"plain": False}, {"periodic_local": False}]
    assert claims_of(cases.InOrder()) == [{"plain": True}]


class FirstAndLast(cases.Answering):
    """Two tokens: the first letter, then the last."""

    def answer(self, word: str) -> str:
        return word[0] + word[-1]


class FirstTwice(cases.Answering):
    """Two tokens: the first letter, twice."""

    def answer(self, word: str) -> str:
        return word[0] * 2


def test_answers_of_several_tokens_are_asked_token_by_token():
    assert claims_of(FirstAndLast()) == [{"plain": False}, {"local": True}]
    assert claims_of(FirstTwice()) == [{"plain": True}]


def test_the_first_token_alone_may_refute():
    assert claims_of(asked_tasks.BinaryCount()) == [{"plain": False}, {"periodic_local": False}]
    short = table.short_answers(asked_tasks.BinaryCount())
    assert short is not None
    first = short.first_tokens()
    assert (short.at(("a", "b", "a")), first.at(("a", "b", "a"))) == (("0", "1", "<eos>"), ("0",))


class FirstThenSorted(cases.Answering):
    """The first letter, then all of them in order."""

    def answer(self, word: str) -> str:
        return word[0] + "".join(sorted(word))


def test_a_first_token_that_is_easy_says_nothing_about_the_rest():
    assert claims_of(FirstThenSorted()) == []


class ChangesAtThirty(cases.Answering):
    """The last letter, and from length 30 on the parity of a's."""

    def answer(self, word: str) -> str:
        return word[-1] if len(word) < 30 else "ab"[word.count("a") % 2]


@pytest.mark.slow
def test_a_rule_that_changes_with_the_length_gets_no_yes():
    found = predict_subject(task_subject(ChangesAtThirty()), Limits(60))
    assert not found.skipped
    assert {verdict.answer for verdict in found.verdicts} <= {"undecided", "no"}


# ---- programs that write -----------------------------------------------------------------------


class FifthFromEnd(cases.Answering):
    min_length = 5

    def answer(self, word):
        return word[-5]


@pytest.mark.parametrize(
    ("kind", "fragment"),
    [
        (cases.SecondSymbol, "plain"),
        (cases.ReverseDistinct, "plain"),
        (cases.LeastFrequent, "plain"),
        (cases.SortRepeats, "plain"),
        (cases.Unary, "plain"),
        (asked_tasks.FirstThenPlace, "plain"),
        (asked_tasks.StoodBefore, "plain"),
        (FifthFromEnd, "local"),
    ],
)
def test_a_learned_program_writes_the_answers_of_words_never_drawn(kind, fragment):
    task = kind()
    found, search = written.learn_writer(task, Limits(60))
    assert found is not None
    assert analyse(found.program).fragment == fragment
    assert search.lengths.longest >= 3 * search.lengths.fitted or task.longest is not None
    rng = np.random.default_rng(77)
    longest = min(90, task.longest or 90)
    words = [task.word(rng, int(n)) for n in rng.integers(task.min_length, longest + 1, 150)]
    texts = [(*word, "<sep>", *task.answer(word), "<eos>") for word in words]
    asked = [
        {place: text[place + 1] for place in range(text.index("<sep>"), len(text) - 1)}
        for text in texts
    ]
    assert mistakes(found.program, AskedTexts(texts, asked)) == []


@pytest.mark.slow
def test_no_program_is_learned_for_copies_and_parity():
    for task in (cases.OddNumber(), load_task("repeat-copy")):
        assert written.learn_writer(task, Limits(60))[0] is None


# ---- rare instances ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_skewed_draws_stay_in_their_range(mode):
    rng = SkewedGenerator(3, mode)
    draws = rng.integers(2, 7, (20, 9))
    assert draws.min() >= 2
    assert draws.max() < 7
    assert 0 <= rng.integers(0, 3) < 3
    numbers = rng.random((20, 9))
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert len(np.unique(numbers)) == numbers.size
    assert sorted(rng.permutation(6).tolist()) == list(range(6))
    assert set(rng.choice(["x", "y"], 5).tolist()) <= {"x", "y"}


@pytest.mark.parametrize("name", ["parity", "sort", "addition", "mqar", "flip-flop", "majority"])
def test_rare_instances_are_instances(name):
    task = load_task(name)
    for item in draw_rare(task, task.min_length, 12, 60, seed=1):
        table_ = item.table()
        if task.answers is None or table_ is None:
            continue
        for prompt, answer in table_.items():
            assert task.answers.answer(prompt) == answer[0]
    if task.program is not None:
        examples = draw_examples(
            task, task.min_length, 12, 60, 1, bos="<bos>" in task.program.letters()
        )
        assert mistakes(task.program, examples) == []


def test_rare_instances_have_words_that_uniform_draws_do_not():
    words = draw_examples(cases.LastSymbol(), 30, 30, 120, 0).texts
    assert any(len(set(word[:30])) == 1 for word in words)
    assert any(list(word[:30]) == sorted(word[:30]) and len(set(word[:30])) == 3 for word in words)


# ---- communication ---------------------------------------------------------------------------


@given(st.integers(1, 40), st.integers(6, 14))
def test_polynomial_growth_is_never_called_exponential(degree, longest):
    assert not exponential([comb(n + degree, degree) for n in range(1, longest)])


@given(st.integers(2, 6), st.integers(6, 10), st.integers(1, 5))
def test_exponential_growth_is(base, longest, factor):
    assert exponential([factor * base**n for n in range(1, longest + 1)])


@given(st.integers(2, 6), st.integers(8, 10))
def test_lower_terms_do_not_hide_exponential_growth(base, longest):
    assert exponential([base**n - 1 for n in range(1, longest + 1)])


def series(task: Any, end: str) -> list[tuple[int, int]]:
    every, _ = answers_apart(task, seconds=60.0)
    for apart in every:
        if all(" ".join(b) == end for by in apart.values() for _, b in by.values()):
            return [(n, len(by)) for n, by in apart.items()]
    return []


def test_rows_of_copy_and_addition_are_the_known_ones():
    assert series(load_task("repeat-copy"), "")[:9] == [(n, 2**n) for n in range(1, 10)]
    assert series(load_task("addition"), "+ 1 =")[:7] == [
        (n, 2 ** max(1, n - 1)) for n in range(1, 8)
    ]


def test_two_letters_are_drawn_where_there_are_too_many():
    (found,) = communication.communication(Context(task_subject(cases.CopyRepeats()), Limits(30)))
    assert dict(found.claims) == {"limit": False}
    assert found.strength == "sampled"


class LastSixteen(cases.Answering):
    """The last 16 letters again: exponentially many answers at first, then no more."""

    def answer(self, word: str) -> str:
        return word[-16:]


def test_answers_that_stop_growing_are_no_refutation():
    assert communication.communication(Context(task_subject(LastSixteen()), Limits(30))) == []


@given(st.integers(0, 2**32))
def test_free_columns_against_a_loop(seed):
    codes = np.random.default_rng(seed).integers(0, 3, (6, 7))

    def determined(i: int, j: int) -> bool:
        return all(len({row[j] for row in codes if row[i] == s}) <= 1 for s in range(3))

    slow = [
        j
        for j in range(7)
        if len(set(codes[:, j].tolist())) > 1 and not any(determined(i, j) for i in range(j))
    ]
    assert communication.free_columns(codes) == slow


# ---- labels ----------------------------------------------------------------------------------


def test_the_labels_decide_not_the_language():
    """{a,b}*b: which symbols may follow is always both, so the next-symbol task is trivial."""
    (found,) = labels.labels(context("regex:(a|b)*b;supervision=next"))
    assert dict(found.claims) == {"plain": True}
    asked = labels.labels(context("regex:(a|b)*b(a|b);supervision=member,words=all"))
    assert [dict(item.claims) for item in asked] == [{"plain": False}, {"local": True}]


def test_the_program_of_a_yes_gives_the_labels():
    from lengthwise.core.limits import Limits
    from lengthwise.tasks.following import check_task

    for name in ("d-3", "tomita-4", "abab-star", "ab-d-bc"):
        task: Any = load_task(name)
        _, general = labels.decide_questions(task.automaton, task.answers.parts(), Limits())
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
        found = labels.labels(Context(task_subject(task), Limits(30)))
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
