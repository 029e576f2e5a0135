"""The one reader of whatever a user names."""

from collections.abc import Sequence
from pathlib import Path

from lengthwise.core.errors import InputError, nearest
from lengthwise.core.limits import Limits
from lengthwise.core.registry import is_file
from lengthwise.crasp import library
from lengthwise.crasp.parser import parse_file
from lengthwise.crasp.program import Program
from lengthwise.languages.convention import DEFAULT, LanguageConvention
from lengthwise.languages.formats import read_automaton
from lengthwise.languages.regex import compile_regex
from lengthwise.subjects.guard import GuardedFunction
from lengthwise.subjects.naming import NamedKind, Wanted, is_program, name_subject
from lengthwise.subjects.subject import Subject, task_subject
from lengthwise.tasks import TASKS, load_task

MAX_STATES = 100_000
SECONDS = 60.0
"""Time for a function's file to load and to answer, where no clock is given."""


def read_subject(
    text: str,
    clock: Limits | None = None,
    *,
    alphabet: str | None = None,
    letters: Sequence[str] = (),
    accept: LanguageConvention | None = None,
    union_plus: bool = False,
    parameters: str = "",
    wanted: Wanted = "subject",
    files: bool = True,
    max_states: int = MAX_STATES,
) -> Subject:
    """Turn what a user typed into a subject; see the package for the rules.

    Args:
        text: what was typed.
        clock: the time limit that a user's function is held to.
        alphabet: the letters as typed, run together or separated by spaces; refused where the
            subject names its letters itself.
        letters: the letters where neither the subject nor ``alphabet`` names them.
        accept: where a language is read; default: ``last``. Tasks and programs say themselves.
        union_plus: read ``+`` in a regex as union.
        parameters: values of a program's parameters, as ``n=3``.
        wanted: what the command is about, which says what a bare name means; see ``name_subject``.
        files: whether files may be read and executed; a page that asks must not make us do so.
        max_states: largest automaton built from a regex.

    Example:
        >>> read_subject("(ab)*").kind, read_subject("parity").kind
        ('regex', 'task')
    """
    kind, text = name_subject(text, wanted)
    if not files:
        _refuse_files(kind, text)
    if parameters and kind != "program":
        raise InputError(f"{text}: parameters (--set) are for programs.")
    chosen = letters_of(alphabet) if alphabet else tuple(letters)
    if kind == "regex":
        return _from_regex(text, chosen, accept, union_plus, max_states)
    if kind == "python":
        return _from_python(text, clock or Limits(SECONDS), alphabet, chosen, accept)
    if kind == "automaton":
        _refuse(text, "an automaton", alphabet=alphabet)
        return _from_automaton(text, accept)
    _refuse(text, f"a {kind}", alphabet=alphabet, accept=accept)
    if kind == "task":
        return task_subject(load_task(text), text)
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


def missing(path: str, text: str) -> InputError:
    """Return the error for a file that is not there."""
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
    base, colon, _ = text.partition(":")
    if ".py" in text:
        return True
    argued = bool(colon) and base in TASKS and hasattr(TASKS.load(base), "argument")
    return argued and base != "regex"


def _from_regex(
    text: str,
    letters: tuple[str, ...],
    accept: LanguageConvention | None,
    union_plus: bool,
    max_states: int,
) -> Subject:
    dfa = compile_regex(text, letters or None, union_plus=union_plus, max_states=max_states)
    about = {"regex": text} | ({"union_plus": True} if union_plus else {})
    return Subject(text, "regex", accept or DEFAULT, dfa=dfa, about=about)


def _from_automaton(text: str, accept: LanguageConvention | None) -> Subject:
    if not is_file(text):
        raise missing(text, text)
    dfa = read_automaton(Path(text)).minimise()
    about = {"regex": None, "source": text}
    return Subject(Path(text).name, "automaton", accept or DEFAULT, dfa=dfa, about=about)


def _program(text: str, parameters: str) -> Program:
    """Read a program from a file, or from the library with or without the ending."""
    given, name = library.read_parameters(parameters), text.removesuffix(".cr")
    if text != name and (is_file(text) or not is_program(name)):
        if not is_file(text):
            hint = nearest(name, library.names())
            raise InputError(f"{text}: there is no such file, nor such a program.{hint}")
        return parse_file(text, parameters=given)
    return library.load(name, **given)


def _from_python(
    text: str,
    clock: Limits,
    alphabet: str | None,
    letters: tuple[str, ...],
    accept: LanguageConvention | None,
) -> Subject:
    """Load ``FILE.py:Name`` in a process of its own, which also tells a task from a function."""
    path, name, options = (*text.split(":", 2), "")[:3]
    if not is_file(path):
        raise missing(path, text)
    letters = tuple(dict.fromkeys(letters))
    function = GuardedFunction(f"{path}:{name}", clock, letters)
    if function.is_task:
        function.close()
        _refuse(text, "a task", alphabet=alphabet, accept=accept)
        return task_subject(load_task(text), text)
    if not letters or options:
        function.close()
        if options:
            raise InputError(f"{text}: a function has no options, so {options!r} means nothing.")
        raise InputError(f"{text}: a function needs its alphabet, as --alphabet ab.")
    about = {"regex": None, "source": text}
    return Subject(
        text,
        "function",
        accept or DEFAULT,
        function=function,
        letters=letters,
        about=about,
    )
