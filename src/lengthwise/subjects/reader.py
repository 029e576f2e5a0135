"""The one reader of whatever a user names."""

from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.core.clock import Clock
from lengthwise.core.errors import InputError, nearest
from lengthwise.core.registry import is_file
from lengthwise.languages.convention import DEFAULT, LanguageConvention
from lengthwise.subjects.naming import NamedKind, Names, is_program, name_subject
from lengthwise.subjects.subject import Subject, task_subject

if TYPE_CHECKING:
    from lengthwise.crasp.program import Program

MAX_STATES = 100_000
SECONDS = 60.0
"""Time for a function's file to load and to answer, where no clock is given."""


def read_subject(
    text: str,
    clock: Clock | None = None,
    *,
    alphabet: str | None = None,
    accept: LanguageConvention | None = None,
    union_plus: bool = False,
    parameters: str = "",
    names: Names = "task",
    files: bool = True,
    max_states: int = MAX_STATES,
) -> Subject:
    """Turn what a user typed into a subject; see the package for the rules.

    Args:
        text: what was typed.
        clock: the time limit that a user's function is held to.
        alphabet: the letters, run together or separated by spaces, where the subject does not say.
        accept: where a language is read; default: ``last``. Tasks and programs say themselves.
        union_plus: read ``+`` in a regex as union.
        parameters: values of a program's parameters, as ``n=3``.
        names: what a bare name means first; see ``name_subject``.
        files: whether files may be read and executed; a page that asks must not make us do so.
        max_states: largest automaton built from a regex.

    Example:
        >>> read_subject("(ab)*").kind, read_subject("parity").kind
        ('regex', 'task')
    """
    kind, text = name_subject(text, names)
    if not files:
        _refuse_files(kind, text)
    if kind == "python":
        return _from_python(text, clock or Clock(SECONDS), alphabet, accept)
    if kind == "regex":
        return _from_regex(text, alphabet, accept, union_plus, max_states)
    if kind == "automaton":
        _refuse(text, "an automaton", alphabet=alphabet)
        return _from_automaton(text, accept)
    _refuse(text, f"a {kind}", alphabet=alphabet, accept=accept)
    if kind == "task":
        return _from_task(text)
    return Subject(text, "program", "program", program=_program(text, parameters))


def letters_of(alphabet: str) -> tuple[str, ...]:
    """Split an alphabet as typed: letters run together, or separated by spaces.

    Example:
        >>> letters_of("ab"), letters_of("if then")
        (('a', 'b'), ('if', 'then'))
    """
    return tuple(alphabet.split() if " " in alphabet.strip() else alphabet.strip())


def _refuse(text: str, kind: str, **options: str | None) -> None:
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{text}: {kind} says itself what it means; leave out --{name}.")


def _missing(path: str, text: str) -> InputError:
    return InputError(
        f"{path}: there is no such file; for the expression itself write regex:{text}."
    )


def _refuse_files(kind: NamedKind, text: str) -> None:
    """Refuse what would read a file: Python, automata, programs of one's own, tasks about files."""
    if (
        kind in ("python", "automaton")
        or (kind == "program" and not is_program(text.removesuffix(".cr")))
        or (kind == "task" and _task_reads_files(text))
    ):
        raise InputError(
            f"{text}: no files are read here; `lengthwise predict {text}` reads it, and "
            f"regex:{text} is the expression itself."
        )


def _task_reads_files(text: str) -> bool:
    """Whether a task comes from a file or may name one in its argument, as ``dfa:x.json``."""
    from lengthwise.tasks import TASKS

    base, colon, _ = text.partition(":")
    if ".py" in text:
        return True
    argued = bool(colon) and base in TASKS and hasattr(TASKS.load(base), "argument")
    return argued and base != "regex"


def _from_regex(
    text: str,
    alphabet: str | None,
    accept: LanguageConvention | None,
    union_plus: bool,
    max_states: int,
) -> Subject:
    from lengthwise.languages.regex import compile_regex

    letters = letters_of(alphabet) if alphabet else None
    dfa = compile_regex(text, letters, union_plus=union_plus, max_states=max_states)
    about = {"regex": text} | ({"union_plus": True} if union_plus else {})
    return Subject(text, "regex", accept or DEFAULT, dfa=dfa, about=about)


def _from_automaton(text: str, accept: LanguageConvention | None) -> Subject:
    from lengthwise.languages.formats import read_automaton

    if not is_file(text):
        raise _missing(text, text)
    dfa = read_automaton(Path(text)).minimise()
    about = {"regex": None, "source": text}
    return Subject(Path(text).name, "automaton", accept or DEFAULT, dfa=dfa, about=about)


def _from_task(text: str) -> Subject:
    from lengthwise.tasks import load_task

    return task_subject(load_task(text), text)


def _program(text: str, parameters: str) -> "Program":
    from lengthwise.crasp import library

    name = text.removesuffix(".cr")
    if is_file(text) or not is_program(name):
        if name != text and not is_file(text):
            hint = nearest(name, library.names())
            raise InputError(f"{text}: there is no such file, nor such a program.{hint}")
        return library.find(text, parameters)
    return library.find(name, parameters)


def _from_python(
    text: str, clock: Clock, alphabet: str | None, accept: LanguageConvention | None
) -> Subject:
    """Load ``FILE.py:Name`` in a process of its own, which also tells a task from a function."""
    from lengthwise.core.guard import GuardedFunction

    path, name, options = (*text.split(":", 2), "")[:3]
    if not is_file(path):
        raise _missing(path, text)
    letters = tuple(dict.fromkeys(letters_of(alphabet or "")))
    function = GuardedFunction(f"{path}:{name}", clock, letters)
    if function.is_task:
        function.close()
        _refuse(text, "a task", alphabet=alphabet, accept=accept)
        return _from_task(text)
    if not alphabet or options:
        function.close()
        if options:
            raise InputError(f"{text}: a function has no options, so {options!r} means nothing.")
        raise InputError(f"{text}: a function needs its alphabet, as --alphabet ab.")
    about = {"regex": None, "source": text}
    return Subject(
        text, "function", accept or DEFAULT, function=function, letters=letters, about=about
    )
