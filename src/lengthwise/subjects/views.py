"""A subject as what a question is about: a program, a target, a problem, a task."""

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.core.registry import is_file
from lengthwise.crasp.program import Program
from lengthwise.crasp.targets import Target, from_automaton, from_program
from lengthwise.languages.convention import Accept
from lengthwise.languages.words import Words
from lengthwise.subjects.as_language import as_language, task_automaton
from lengthwise.subjects.guard import GuardedFunction
from lengthwise.subjects.naming import name_subject
from lengthwise.subjects.reader import missing
from lengthwise.subjects.subject import Subject
from lengthwise.theory.decide.decision import decide


def as_program(subject: Subject, accept: Accept = "last", clock: Limits | None = None) -> Program:
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
    if language.dfa is None:
        raise InputError(f"{subject.name}: no program without an automaton: {language.doubt}.")
    budget = clock or Limits()
    try:
        return decide(language.dfa, accept, budget).written_program(budget)
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
        return _from_function(subject.function, subject.name)
    if subject.kind == "task":
        return from_automaton(task_automaton(subject), subject.name)
    assert subject.dfa is not None
    return from_automaton(subject.dfa, subject.name)


def _from_function(function: GuardedFunction, name: str) -> Target:
    def decide_words(words: Words) -> np.ndarray:
        texts = ["".join(words.word(index)) for index in range(words.count)]
        return np.array(function.ask(texts), dtype=bool)

    return Target(name, tuple(function.letters), decide_words)


def as_task(text: str) -> str:
    """Return the task that a text names, as ``load_task`` reads it.

    A regular expression and an automaton become the task of learning their language.

    Example:
        >>> as_task("parity"), as_task("(ab)*")
        ('parity', 'regex:(ab)*')
    """
    kind, name = name_subject(text, "task")
    if kind == "program":
        raise InputError(
            f"{text}: a program is no task; it is compared with one by `lengthwise crasp check`."
        )
    if kind == "automaton" and not is_file(name):
        raise missing(name, text)
    return {"regex": f"regex:{name}", "automaton": f"dfa:{name}"}.get(kind, name)
