"""What is asked about: a regex, an automaton, a program, a task or a Python function."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from lengthwise.crasp.program import Program
from lengthwise.languages import convention
from lengthwise.languages.convention import Convention
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.subjects.guard import GuardedFunction

Kind = Literal["regex", "automaton", "program", "task", "function"]


@dataclass(frozen=True)
class Subject:
    """Something with a length, and what is known about it.

    Only the fields that its ``kind`` has are set: ``dfa`` for regular languages, ``program`` for a
    program, ``task`` for a task, ``function`` (guarded: it cannot hang or crash us) and ``letters``
    for a Python predicate. ``about`` says where an automaton came from and is kept in results,
    ``doubt`` why none could be learned that can be trusted.
    """

    name: str
    kind: Kind
    accept: Convention
    dfa: DFA | None = None
    program: Program | None = None
    task: Any | None = None
    function: GuardedFunction | None = None
    letters: tuple[str, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)
    doubt: str = ""

    @property
    def question(self) -> str:
        """The convention in words."""
        if self.accept == "answer" and self.task is not None and not _separated(self.task):
            return "scored on everything that the task asks for"
        return convention.TITLES[self.accept]

    def close(self) -> None:
        """End the process of a user's function, if there is one."""
        if self.function is not None:
            self.function.close()


def _separated(task: Any) -> bool:
    """Say whether answers stand behind a separator, by the shortest instance."""
    first = task.first_lengths(1)
    return (
        not len(first) or task.vocabulary.sep in task.sample(np.random.default_rng(0), first).tokens
    )


def task_subject(task: Any, name: str | None = None) -> Subject:
    """Wrap a task object; its own knowledge says how it is read.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> task_subject(load_task("d-2")).accept
        'labels'
    """
    read = "answer" if task.answers is None else task.answers.read
    dfa = compile_regex(task.language) if isinstance(task.language, str) else task.language
    return Subject(name or task.name, "task", read, dfa=dfa, task=task)
