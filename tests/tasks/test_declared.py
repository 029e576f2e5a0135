"""What tasks declare about themselves: held against their instances, for every built-in task."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.crasp.interpreter import accepts
from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import FREE
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.predict import predict_subject
from lengthwise.predict.providers import table
from lengthwise.subjects import read_subject, task_subject
from lengthwise.tasks import TASKS, load_task
from lengthwise.tasks.algorithmic.parity import EVEN, Parity
from lengthwise.tasks.following import check_answers, check_task

NAMED = [name for name in TASKS if not hasattr(TASKS.load(name), "argument")]
FURTHER = [
    *("regex:(ab|c)*", "regex:(ab)*;supervision=recognition", "regex:a*b;supervision=member"),
    *("regex:(aa)*;supervision=state,words=all", "d-2:supervision=recognition", "fixed:parity"),
    *("select-first:begin=true", "select-last:begin=true", "flip-flop:ignore=0", "fixed:d-3"),
]
ANSWERING = [name for name in (*NAMED, *FURTHER) if load_task(name).answers is not None]
FEW = {
    "mqar": "mqar:keys=5,values=4",
    "sort": "sort:symbols=9",
    "unique-copy": "unique-copy:symbols=9",
    "induction-head": "induction-head:symbols=8",
    "distance-copy": "distance-copy:symbols=9",
}
"""Tasks that attach a program over few symbols only."""
FURTHER_PROGRAMS = [
    *("mqar:keys=5,values=4,slots=3", "boolean:arity=1", "boolean:arity=5"),
    *("shuffle-dyck:kinds=1", "shuffle-dyck:kinds=4", "an-bn:letters=5", "fixed:dyck-1"),
    "induction-head:symbols=8,left=true",
]
SOLVED = [name for name in (FEW.get(n, n) for n in NAMED) if load_task(name).program]


def test_tasks_whose_answers_are_regular_say_so():
    known = {"parity", "flip-flop", "select-first", "select-last", "d-12", "tomita-3"}
    assert known <= set(ANSWERING)
    assert load_task("select-middle").answers is None
    assert load_task("repeat-copy").answers is None
    assert load_task("fixed:dyck-1").answers is None


@pytest.mark.parametrize("name", ANSWERING)
def test_declared_answers_are_those_of_instances(name):
    task = load_task(name)
    answers = task.answers
    assert check_answers(answers, task, instances=500, longest=30) is None
    assert set(answers.names) <= set(task.vocabulary.ids)
    assert task_subject(task).accept == answers.read


@pytest.mark.parametrize("name", [*SOLVED, *FURTHER_PROGRAMS])
def test_declared_programs_solve_the_task_or_recognise_its_language(name):
    task = load_task(name)
    if task.program.is_generator:
        longest = min(30, task.longest or 30)
        assert check_task(task.program, task, instances=200, longest=longest).mistake is None
        return
    letters = task.language.alphabet
    for length in range(1, 7 if len(letters) < 3 else 5):
        words = ["".join(word) for word in itertools.product(letters, repeat=length)]
        assert accepts(task.program, words).tolist() == [*map(task.language.accepts, words)]


@pytest.mark.parametrize("name", ["dyck-1", "an-bn", "an-bn-cn", "flip-flop", "mqar", "boolean-3"])
def test_tasks_of_the_library_are_declared(name):
    task = load_task(FEW.get(name, name))
    assert task.answers is not None or task.program.is_generator


@dataclass(frozen=True, kw_only=True)
class Swapped(Parity):
    """Declares the wrong answers."""

    @property
    def answers(self):
        return RegularAnswers.behind(EVEN, ("o", "e"))


def test_a_wrong_declaration_is_refused_with_an_instance():
    task = Swapped()
    mistake = check_answers(task.answers, task)
    assert mistake is not None
    with pytest.raises(InputError, match="the answers that the task declares are not those of"):
        predict_subject(task_subject(task), Limits(20))


def test_a_letter_that_the_declaration_does_not_know_is_a_mistake():
    task = load_task("parity")
    assert check_answers(RegularAnswers.behind(DFA("1", [[0]], 0, [True]), ["e"]), task)


def test_a_prediction_uses_what_is_declared_and_learns_nothing(monkeypatch):
    def refuse(task):
        raise AssertionError("nothing has to be learned")

    monkeypatch.setattr(table, "short_answers", refuse)
    found = predict_subject(read_subject("parity"), Limits(30), encodings=["nope", "ape"])
    assert [verdict.answer for verdict in found.verdicts] == ["no", "no"]
    first = found.evidence[0]
    assert (first.provider, first.strength) == ("labels", "proof")
    recognised = read_subject("regex:(ab)*;supervision=recognition")
    found = predict_subject(recognised, Limits(30), encodings=["nope"])
    assert (found.verdicts[0].answer, found.verdicts[0].strength) == ("yes", "derivation")


def test_the_language_of_parity_is_decided_as_parity():
    language = load_task("parity").language
    assert [language.accepts(word) for word in ("", "1", "11", "0101", "111")] == [
        *(True, False, True, True, False),
    ]


@st.composite
def random_answers(draw):
    states, letters = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    target = st.integers(0, states - 1)
    rows = draw(
        st.lists(
            st.lists(target, min_size=letters, max_size=letters), min_size=states, max_size=states
        )
    )
    dfa = DFA("abc"[:letters], rows, 0, [False] * states)
    read = draw(st.sampled_from(["labels", "answer"]))
    number = st.integers(FREE, 2)
    if read == "answer":
        names = [
            None if n == FREE else "xyz"[n]
            for n in draw(st.lists(number, min_size=states, max_size=states))
        ]
        return RegularAnswers.behind(dfa, names)
    table_ = draw(
        st.lists(
            st.lists(number, min_size=letters, max_size=letters), min_size=states, max_size=states
        )
    )
    return RegularAnswers(dfa, ("x", "y", "z"), np.array(table_), "labels")


@given(random_answers())
def test_the_questions_ask_for_the_answers(answers):
    """Every machine that a program may follow says, behind every word, what is asked for."""
    dfa = answers.automaton
    for length in range(5):
        for word in itertools.product(range(dfa.symbols), repeat=length):
            wanted = answers.answer([dfa.alphabet[letter] for letter in word])
            for part in answers.parts():
                if part.letters is not None and (not word or word[-1] not in part.letters):
                    continue
                read = word if part.letters is None else word[:-1]
                for machine in (*part.machines, part.original):
                    state = machine.initial
                    for letter in read:
                        state = machine.transitions[state, letter]
                    said = int(machine.outputs[state])
                    assert wanted is None or answers.names[said] == wanted
