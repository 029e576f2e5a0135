"""What must cross a cut, for whatever a user names: a function, task, program or language."""

from lengthwise.core.clock import Clock, OutOfTimeError
from lengthwise.core.errors import InputError
from lengthwise.crasp.targets import from_automaton
from lengthwise.predict.providers.communication import answers_apart
from lengthwise.subjects import Subject, read_subject
from lengthwise.theory.communication.rows import Growth, OneWayProblem
from lengthwise.theory.communication.summary import (
    CommunicationReport,
    function_report,
    language_report,
    program_report,
)

LEAST = 3
"""Lengths that are needed to see growth."""
SHARE = 0.3
"""Of the time limit, for reading a function, and for looking for prefixes."""


def crossing(
    text: str,
    *,
    longest: int = 6,
    parameters: str = "",
    alphabet: str | None = None,
    time_limit: float = 60.0,
) -> CommunicationReport:
    """Return what the first part of a word must tell the second.

    Example:
        >>> crossing("repeat-copy").growth.rows[:5]
        (2, 4, 8, 16, 32)
    """
    clock = Clock(time_limit)
    subject = read_subject(text, clock, alphabet=alphabet, parameters=parameters, wanted="program")
    if subject.program is not None:
        return program_report(subject.name, subject.program, longest)
    if subject.function is not None:
        return _of_function(subject, longest, time_limit)
    if subject.dfa is not None and subject.accept != "answer":
        target = from_automaton(subject.dfa, text)
        return language_report(OneWayProblem(text, target.letters, target.decide), longest)
    return _of_answers(subject, longest)


def _of_function(subject: Subject, longest: int, time_limit: float) -> CommunicationReport:
    function = subject.function
    assert function is not None
    try:
        found = function_report(subject.name, function, longest, SHARE * time_limit)
        function.confirm()
    except OutOfTimeError:
        raise InputError(
            f"{subject.name}: the function was not read within {time_limit:g} s; give it more "
            "--time-limit."
        ) from None
    finally:
        function.close()
    return found


def _of_answers(subject: Subject, longest: int) -> CommunicationReport:
    """Different answers to prompts with one end must be told apart by what stands before it."""
    if longest < 2:
        raise InputError(f"--longest {longest}: at least 2 lengths are needed to see growth.")
    found = {end: by for end, by in answers_apart(subject.task).items() if len(by) >= LEAST}
    if not found:
        return CommunicationReport(
            subject.name, None, split="too many prompts to count their answers"
        )
    counts = {end: [len(a) for a in sets.values()] for end, sets in found.items()}
    reports = {end: Growth(tuple(found[end]), tuple(rows)) for end, rows in counts.items()}
    end = min(reports, key=lambda e: (reports[e].verdict != "linear", -max(counts[e]), len(e), e))
    sets = [
        {"prefixes": [" ".join(x) for x in by.values()], "answers": [" ".join(a) for a in by]}
        for by in found[end].values()
    ]
    behind = f"{end!r} and the answer" if end else "the answer"
    split = f"Alice holds the prompt{f' up to its end {end!r}' if end else ''}, Bob {behind}"
    return CommunicationReport(
        subject.name, reports[end], fooling={"end": end, "sets": sets}, split=split
    )
