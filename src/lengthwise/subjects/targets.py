"""A subject as what a program is compared with."""

from collections.abc import Sequence

from lengthwise.core.registry import load_from_file
from lengthwise.crasp.interpreter import Accept
from lengthwise.crasp.targets import (
    Target,
    from_automaton,
    from_function,
    from_program,
    from_regex,
)
from lengthwise.subjects.naming import name_subject
from lengthwise.subjects.reader import read_subject
from lengthwise.tasks.following import task_target


def read_target(text: str, letters: Sequence[str], *, accept: Accept = "last") -> Target:
    """Turn what a user typed into a target; ``letters`` serve where the text does not say its own.

    A program is read where ``accept`` says.

    Example:
        >>> [read_target(text, "ab").letters for text in ("a*", "d-2", "program:majority")]
        [('a', 'b'), ('a', 'b'), ('a', 'b')]
    """
    kind, name = name_subject(text)
    if kind == "python":
        return from_function(load_from_file(name, "language"), letters, name)
    if kind == "regex":
        return from_regex(name, letters)
    subject = read_subject(text)
    if subject.program is not None:
        return from_program(subject.program, letters, name, accept)
    if subject.task is not None:
        return task_target(subject.task)
    assert subject.dfa is not None
    return from_automaton(subject.dfa, name)
