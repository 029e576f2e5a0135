"""A subject as a regular language, for what is asked about languages only."""

from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.finite import to_automaton
from lengthwise.languages.automaton_learning import LearnedAutomaton, learn
from lengthwise.languages.convention import DEFAULT, LanguageConvention, language_convention
from lengthwise.languages.dfa import DFA
from lengthwise.subjects.guard import GuardedFunction
from lengthwise.subjects.subject import Subject

MOST_STATES = 200
"""Of an automaton that is learned from a function."""
SHARE = 0.6
"""Of the time limit, for reading and learning a function."""
PROGRAM_SECONDS = 10.0
"""Most time for turning a program into its automaton."""


def as_language(
    subject: Subject, accept: LanguageConvention | None = None, clock: Limits | None = None
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
        dfa = task_automaton(subject)
    elif subject.kind == "program":
        dfa = _program_automaton(subject, chosen, clock)
    else:
        return _learned(subject, chosen, about)
    return Subject(subject.name, "automaton", chosen, dfa=dfa, about=about)


def task_automaton(subject: Subject) -> DFA:
    """Return the automaton of the language that a task is about, or say that it is about none."""
    if subject.dfa is None:
        raise InputError(
            f"{subject.name}: this task is not about a regular language; `lengthwise predict "
            f"{subject.name}` judges the task, and regex:{subject.name} is the word itself."
        )
    return subject.dfa


def _learned(subject: Subject, accept: LanguageConvention, about: dict[str, Any]) -> Subject:
    """Learn the automaton of a function; without one that can be trusted, ``doubt`` says why."""
    function = subject.function
    assert function is not None
    try:
        learned = learn_in_time(function, SHARE * function.clock.left(), MOST_STATES)
    finally:
        subject.close()
    return Subject(
        subject.name,
        "automaton",
        accept,
        dfa=None if learned.doubt else learned.dfa,
        letters=subject.letters,
        about=about | {"learned": learned.note},
        doubt=learned.doubt,
    )


def _program_automaton(subject: Subject, accept: LanguageConvention, clock: Limits | None) -> DFA:
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


def learn_in_time(function: GuardedFunction, seconds: float, max_states: int) -> LearnedAutomaton:
    """Learn, then ask again; a function that is too slow leaves a doubt, not an error."""
    try:
        learned = learn(function, max_states=max_states, seconds=seconds)
    except LimitReachedError:
        doubt = f"there was no time to learn an automaton ({function.questions:,} words were read)"
        learned = LearnedAutomaton(None, max(0, function.complete // 2), function, doubt)
    try:
        function.confirm()
    except LimitReachedError:
        doubt = "there was no time to ask the function again whether it keeps its answers"
        return LearnedAutomaton(learned.dfa, learned.fitted, function, learned.doubt or doubt)
    return learned
