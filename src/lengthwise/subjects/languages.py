"""A subject as a regular language, for what is asked about languages only."""

from typing import TYPE_CHECKING, Any

from lengthwise.core.clock import Clock, OutOfTimeError, alarm
from lengthwise.core.errors import InputError
from lengthwise.languages.convention import DEFAULT, LanguageConvention, language_convention
from lengthwise.subjects.subject import Subject

if TYPE_CHECKING:
    from lengthwise.languages.dfa import DFA

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
        dfa = subject.dfa
        if dfa is None:
            raise InputError(
                f"{subject.name}: this task is not about a regular language; `lengthwise predict "
                f"{subject.name}` judges the task, and regex:{subject.name} is the word itself."
            )
    elif subject.kind == "program":
        dfa = _program_automaton(subject, chosen, clock)
    else:
        learned = _learn(subject, clock)
        dfa = learned.dfa
        about["learned"] = learned.note
    return Subject(subject.name, "automaton", chosen, dfa=dfa, about=about)


def _program_automaton(subject: Subject, accept: LanguageConvention, clock: Clock | None) -> "DFA":
    """Read a program at the end, or (for ``last`` and ``predict``) at the last letter."""
    from lengthwise.crasp.finite import to_automaton

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


def _learn(subject: Subject, clock: Clock | None) -> Any:
    from lengthwise.languages.learned import learn

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
