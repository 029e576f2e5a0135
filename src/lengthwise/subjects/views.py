"""A subject as what a question is about: a language, a program, a target, a task."""

from typing import Any

import numpy as np

from lengthwise.core.budget import Budget
from lengthwise.core.clock import Clock, OutOfTimeError, alarm
from lengthwise.core.errors import InputError
from lengthwise.crasp.finite import to_automaton
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.program import Program
from lengthwise.crasp.targets import Target, from_automaton, from_function, from_program
from lengthwise.languages.convention import (
    DEFAULT,
    Accept,
    LanguageConvention,
    language_convention,
)
from lengthwise.languages.dfa import DFA
from lengthwise.languages.learned import Learned, learn
from lengthwise.subjects.naming import name_subject
from lengthwise.subjects.subject import Subject
from lengthwise.theory.communication.rows import Problem
from lengthwise.theory.decide.decision import decide

PROGRAM_SECONDS = 10.0
"""Most time for turning a program into its automaton."""


def as_language(
    subject: Subject, accept: LanguageConvention | None = None, clock: Clock | None = None
) -> Subject:
    """Return the language of a subject with its automaton, or say why there is none.

    A task has the language it is about, a program the words it accepts (where it has finitely many
    configurations), a function the language of an automaton that is learned from it, and marked so.

    Example:
        >>> from lengthwise.subjects.reader import read_subject
        >>> language = as_language(read_subject("d-2"))
        >>> language.accept, language.dfa.accepts("aabb")
        ('last', True)
    """
    chosen = accept or language_convention(subject.accept) or DEFAULT
    if subject.kind in ("regex", "automaton"):
        return Subject(subject.name, subject.kind, chosen, dfa=subject.dfa, about=subject.about)
    about: dict[str, Any] = {"regex": None, "source": subject.name}
    if subject.kind == "task":
        dfa = _task_automaton(subject)
    elif subject.kind == "program":
        dfa = _program_automaton(subject, chosen, clock)
    else:
        learned = _learn(subject, clock)
        dfa = learned.dfa
        about["learned"] = learned.note
    return Subject(subject.name, "automaton", chosen, dfa=dfa, about=about)


def as_program(subject: Subject, accept: Accept = "last", clock: Clock | None = None) -> Program:
    """Return a program for a subject: its own, or one that the decision of its language writes.

    Example:
        >>> from lengthwise.subjects.reader import read_subject
        >>> as_program(read_subject("[ab]*b")).accept
        "b"
    """
    own = subject.program or (subject.task.program if subject.task is not None else None)
    if own is not None:
        return own
    language = as_language(subject, accept, clock)
    assert language.dfa is not None
    budget = Budget() if clock is None else Budget(seconds=clock.left())
    try:
        return decide(language.dfa, accept, budget).written_program()
    except InputError as error:
        raise InputError(f"{subject.name}: {error}") from None


def as_target(subject: Subject, letters: tuple[str, ...] = (), accept: Accept = "last") -> Target:
    """Return what a program is compared with: any language whose words can be decided.

    ``letters`` are those of words when the subject is a program, which has no alphabet of its own;
    default: those it names.

    Example:
        >>> from lengthwise.languages.words import Words
        >>> from lengthwise.subjects.reader import read_subject
        >>> target = as_target(read_subject("aa-star"))
        >>> target.decide(Words.encode(["a", "aa"], target.letters)).tolist()
        [False, True]
    """
    if subject.program is not None:
        if subject.program.is_generator:
            raise InputError(f"{subject.name}: the program writes, it has no language.")
        return from_program(
            subject.program, letters or subject.program.letters(), subject.name, accept
        )
    if subject.function is not None:
        return from_function(subject.function, subject.letters, subject.name)
    if subject.kind == "task":
        return from_automaton(_task_automaton(subject), subject.name)
    assert subject.dfa is not None
    return from_automaton(subject.dfa, subject.name)


def as_problem(subject: Subject) -> Problem | None:
    """Return what two halves of a word must be known for; None for a program that writes.

    Example:
        >>> from lengthwise.subjects.reader import read_subject
        >>> from lengthwise.theory.communication.rows import count_rows
        >>> count_rows(as_problem(read_subject("(ab)*")), 2)
        3
    """
    program = subject.program
    if program is None:
        target = as_target(subject)
        return Problem(subject.name, target.letters, target.decide)
    if program.is_generator:
        return None
    return Problem(
        subject.name, program.all_letters(), lambda words: np.asarray(accepts(program, words))
    )


def as_task(text: str) -> str:
    """Return the task that a text names, as ``load_task`` reads it.

    A regular expression and an automaton become the task of learning their language.

    Example:
        >>> as_task("parity"), as_task("(ab)*"), as_task("x.json")
        ('parity', 'regex:(ab)*', 'dfa:x.json')
    """
    kind, name = name_subject(text, "task")
    if kind == "program":
        raise InputError(
            f"{text}: a program is no task; it is compared with one by `lengthwise crasp check`."
        )
    return {"regex": f"regex:{name}", "automaton": f"dfa:{name}"}.get(kind, name)


def _task_automaton(subject: Subject) -> DFA:
    if subject.dfa is None:
        raise InputError(
            f"{subject.name}: this task is not about a regular language; `lengthwise predict "
            f"{subject.name}` judges the task, and regex:{subject.name} is the word itself."
        )
    return subject.dfa


def _program_automaton(subject: Subject, accept: LanguageConvention, clock: Clock | None) -> DFA:
    """Read a program at the end, or (for ``last`` and ``predict``) at the last letter."""
    program = subject.program
    assert program is not None
    judged = f"`lengthwise predict {_address(subject.name)}` judges the program"
    if program.is_generator:
        raise InputError(f"{subject.name}: the program writes, it has no language; {judged}.")
    seconds = PROGRAM_SECONDS if clock is None else min(PROGRAM_SECONDS, clock.left())
    where = "end" if accept == "end" else "last"
    dfa = to_automaton(program, program.all_letters(), accept=where, seconds=seconds)
    if dfa is None:
        raise InputError(
            f"{subject.name}: no finite automaton within the limits, since the program counts "
            f"without bound or is large; {judged}."
        )
    return dfa.minimise()


def _address(name: str) -> str:
    return name if name.endswith(".cr") else f"program:{name}"


def _learn(subject: Subject, clock: Clock | None) -> Learned:
    function = subject.function
    assert function is not None
    seconds = function.clock.left() if clock is None else clock.left()
    try:
        with alarm(seconds):
            return learn(function, subject.letters)
    except OutOfTimeError:
        raise InputError(
            f"{subject.name}: no automaton was learned within {seconds:.0f} s; give it more "
            "--time-limit."
        ) from None
    finally:
        subject.close()
