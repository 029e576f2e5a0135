"""What must cross a cut, for whatever a user names: a function, task, program or language."""

from lengthwise.core.errors import InputError
from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp.targets import from_automaton
from lengthwise.predict.providers.communication import (
    Apart,
    answers_apart,
    fooling_sets,
    goes_on,
    sources,
)
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
DRAWING = 20.0
"""Seconds for drawing the prompts of a task from one source; enough where all are seen."""
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
    clock = Limits(time_limit)
    try:
        with clock.alarm("the reading"):
            subject = read_subject(
                text, clock, alphabet=alphabet, parameters=parameters, wanted="program"
            )
        if subject.function is not None:
            return _of_function(subject, longest, time_limit)
        with clock.alarm("the counting of rows"):
            return _counted(subject, text, longest)
    except LimitReachedError as error:
        raise InputError(
            f"{text!r}: {error}; give it more --time-limit or a smaller --longest."
        ) from None


def _counted(subject: Subject, text: str, longest: int) -> CommunicationReport:
    """Count the rows of what is known exactly."""
    if subject.program is not None:
        return program_report(subject.name, subject.program, longest)
    if subject.dfa is not None and subject.accept != "answer":
        target = from_automaton(subject.dfa, text)
        problem = OneWayProblem(text, target.letters, target.decide)
        return language_report(problem, subject.dfa.minimise().states, longest)
    return _of_answers(subject, longest)


def _of_function(subject: Subject, longest: int, time_limit: float) -> CommunicationReport:
    function = subject.function
    assert function is not None
    try:
        found = function_report(subject.name, function, longest, SHARE * time_limit)
        function.confirm()
    except LimitReachedError:
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
    best: Apart = {}
    lasts = False
    for source in sources():
        every, complete = answers_apart(subject.task, source, DRAWING)
        for apart in every:
            if len(apart) >= LEAST and _rank(apart) > _rank(best):
                best = apart
        lasts = bool(best) and _growth(best).verdict == "linear" and goes_on(subject.task, source)
        if complete or lasts:
            break
    if not best:
        return CommunicationReport(
            subject.name, None, split="too many prompts to count their answers"
        )
    return _apart_report(subject.name, best, lasts)


def _growth(apart: Apart) -> Growth:
    return Growth(tuple(apart), tuple(len(by) for by in apart.values()))


def _rank(apart: Apart) -> tuple[bool, int]:
    """Prefer series whose growth is exponential, then the largest."""
    if not apart:
        return False, 0
    return _growth(apart).verdict == "linear", max(len(by) for by in apart.values())


def _apart_report(name: str, apart: Apart, lasts: bool) -> CommunicationReport:
    sets = fooling_sets(apart)
    ends = {item["end"] for item in sets}
    if ends == {""}:
        split = "Alice holds the prompt, Bob the answer"
    else:
        split = (
            f"Alice holds the prompt but for an end, Bob that end, as {max(ends)!r}, and the answer"
        )
    return CommunicationReport(
        name, _growth(apart), fooling={"sets": sets}, split=split, goes_on=lasts
    )
