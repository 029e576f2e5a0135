"""What is asked about: a regex, an automaton, a program, a task or a Python function."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.core.errors import InputError, nearest
from lengthwise.core.registry import is_file

if TYPE_CHECKING:
    from lengthwise.core.clock import Clock
    from lengthwise.core.guard import GuardedFunction
    from lengthwise.crasp.program import Program
    from lengthwise.languages.dfa import DFA

READINGS = {
    "end": "read at an end position behind the word (recognition after a separator)",
    "last": "read at the last letter",
    "predict": "read at every letter: which symbols may follow, and may the word stop",
    "labels": "the task's own label at every letter, on prefixes of words of the language",
    "answer": "the task's answer behind its separator",
    "program": "what the program itself computes",
}


@dataclass(frozen=True)
class Subject:
    """Something with a length, and what is known about it.

    Only the fields that its ``kind`` has are set: ``dfa`` for regular languages, ``program`` for a
    program, ``task`` for a task, ``function`` (guarded: it cannot hang or crash us) and ``letters``
    for a Python predicate.
    """

    name: str
    kind: str
    accept: str
    dfa: "DFA | None" = None
    program: "Program | None" = None
    task: Any | None = None
    function: "GuardedFunction | None" = None
    letters: tuple[str, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def question(self) -> str:
        """The reading of the subject in words."""
        return READINGS[self.accept]


def read_subject(
    text: str, clock: "Clock", *, alphabet: str | None = None, accept: str | None = None
) -> Subject:
    """Turn what a user typed into a subject.

    ``FILE.py:name`` is a predicate on words or a task class, ``FILE.cr`` a program, ``FILE.json``
    or ``FILE.att`` an automaton, then come task names; everything else is a regular expression.

    Example:
        >>> from lengthwise.core.clock import Clock
        >>> read_subject("(ab)*", Clock(5)).kind, read_subject("parity", Clock(5)).kind
        ('regex', 'task')
    """
    from lengthwise.crasp.targets import is_task

    if not text.strip():
        raise InputError("nothing to predict: give a regex, a file, a task or file.py:function.")
    if ".py:" in text:
        return _from_python(text, clock, alphabet, accept)
    if text.endswith(".cr"):
        _refuse(text, "a program", alphabet=alphabet, accept=accept)
        return _from_program(text)
    if Path(text).suffix in (".json", ".att"):
        _refuse(text, "an automaton", alphabet=alphabet)
        return _from_automaton(text, accept)
    if is_task(text):
        _refuse(text, "a task", alphabet=alphabet, accept=accept)
        return _from_task(text)
    if is_file(text):
        raise InputError(
            f"{text}: not a program (.cr), an automaton (.json, .att) or a function (.py:name)."
        )
    return _from_regex(text, alphabet, accept)


def _refuse(text: str, kind: str, **options: str | None) -> None:
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{text}: {kind} says itself what it means; leave out --{name}.")


def _from_regex(text: str, alphabet: str | None, accept: str | None) -> Subject:
    from lengthwise.languages.regex import compile_regex
    from lengthwise.tasks import TASKS

    hint = nearest(text, TASKS) if re.fullmatch(r"[\w-]{4,}", text) else ""
    if hint:
        raise InputError(f"unknown task {text!r}.{hint} For the word itself write regex:{text}.")
    dfa = compile_regex(text, alphabet)
    return Subject(text, "regex", accept or "predict", dfa=dfa, about={"regex": text})


def _from_automaton(text: str, accept: str | None) -> Subject:
    from lengthwise.languages.formats import read_automaton

    dfa = read_automaton(Path(text)).minimise()
    about = {"regex": None, "source": text}
    return Subject(Path(text).name, "automaton", accept or "predict", dfa=dfa, about=about)


def _from_program(text: str) -> Subject:
    from lengthwise.crasp import library
    from lengthwise.crasp.parser import parse_file

    name = text.removesuffix(".cr")
    if not Path(text).exists() and name in library.names():
        return Subject(text, "program", "program", program=library.load(name))
    return Subject(text, "program", "program", program=parse_file(text))


def _from_task(text: str) -> Subject:
    from lengthwise.tasks import load_task

    return task_subject(load_task(text), text)


def task_subject(task: Any, name: str | None = None) -> Subject:
    """Wrap a task object; its own knowledge says how it is read."""
    labelled = hasattr(task, "labels") and hasattr(task, "automaton")
    regular = labelled and getattr(task, "supervision", "") != "recognition"
    accept = "labels" if regular else "answer"
    dfa = task.automaton if labelled else task.language
    return Subject(name or task.name, "task", accept, dfa=dfa, task=task)


def _from_python(text: str, clock: "Clock", alphabet: str | None, accept: str | None) -> Subject:
    from lengthwise.core.guard import GuardedFunction

    letters = tuple(dict.fromkeys(alphabet or ""))
    function = GuardedFunction(text, clock, letters)
    if function.is_task:
        function.close()
        return _from_task(text)
    if not alphabet:
        function.close()
        raise InputError(f"{text}: a function needs its alphabet, as --alphabet ab.")
    return Subject(text, "function", accept or "end", function=function, letters=letters)
