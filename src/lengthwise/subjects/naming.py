"""What a text names, by its form alone: nothing is read or executed here."""

import re
from pathlib import Path
from typing import Literal, NamedTuple

from lengthwise.core.errors import InputError, nearest
from lengthwise.core.registry import is_file
from lengthwise.crasp import library
from lengthwise.positions import POSITIONS
from lengthwise.tasks import TASKS

NamedKind = Literal["regex", "automaton", "program", "task", "python"]
Wanted = Literal["subject", "program", "task"]
"""What a command is about: anything, programs, or tasks. Bare names are looked up accordingly."""

PREFIXES: dict[str, NamedKind] = {
    "regex": "regex",
    "automaton": "automaton",
    "program": "program",
    "task": "task",
}
ENDINGS: dict[str, NamedKind] = {".cr": "program", ".json": "automaton", ".att": "automaton"}

_WORD = re.compile(r"[\w-]+")
_CALL = re.compile(r"([\w-]+)\(([^()]*=[^()]*)\)")
_OPTIONS = re.compile(r"[\w-]+:[\w-]+=.*", re.DOTALL)
_REGEX_OPTIONS = re.compile(r";[a-z_]+=[^;]*$")
_OTHER_FILE = re.compile(
    r"[\w.~-]*(/[\w.~-]+)+|[\w.~-]+\.(txt|fst|csv|tsv|toml|ya?ml|html|npz|safetensors)"
)


class Naming(NamedTuple):
    """What kind of thing a text names, and the text without its prefix.

    ``python`` is ``FILE.py:Name``: a task class or a predicate, which only its file can tell.
    """

    kind: NamedKind
    text: str


def name_subject(text: str, wanted: Wanted = "subject") -> Naming:
    """Say what a text names.

    A bare name is a task, then a program of the library; the other way round where a command wants
    programs. Where it wants programs or tasks, a bare word is always a name, never an expression.

    Example:
        >>> [name_subject(text).kind for text in ("(ab)*", "parity", "x.cr", "regex:parity")]
        ['regex', 'task', 'program', 'regex']
    """
    if not text.strip():
        raise InputError(
            "nothing is named: give a regular expression, a task, a program (.cr), an automaton "
            "(.json, .att) or file.py:name."
        )
    prefix, colon, rest = text.partition(":")
    if colon and prefix in PREFIXES and not (prefix == "regex" and _REGEX_OPTIONS.search(rest)):
        if not rest:
            raise InputError(f"{text} names nothing: what does it stand in front of?")
        return Naming(PREFIXES[prefix], rest)
    if colon and prefix.endswith(".py"):
        return Naming("python", text)
    kind = _by_name(text, wanted) or ENDINGS.get(Path(text).suffix)
    if kind is None:
        _refuse_lookalikes(text, wanted)
    return Naming(kind or "regex", text)


def is_program(text: str) -> bool:
    """Whether the library has a program of this name: ``dyck-1``, ``d-3``, ``bounded-dyck(n=2)``.

    Example:
        >>> is_program("d-3"), is_program("parity")
        (True, False)
    """
    call = _CALL.fullmatch(text)
    name = call[1] if call else text
    return name in library.names() or re.fullmatch(r"d-[0-9]{1,6}", name) is not None


def _by_name(text: str, wanted: Wanted) -> NamedKind | None:
    """Return the kind of a bare name; None when no task and no program has it."""
    base = text.partition(":")[0]
    task = _WORD.fullmatch(base) is not None and base in TASKS
    if task and wanted != "program":
        return "task"
    if (_WORD.fullmatch(text) or _CALL.fullmatch(text)) and is_program(text):
        if wanted == "subject" and not re.search("[-=]", text):
            raise InputError(
                f"{text!r} is a program of the library and a word: write program:{text} or "
                f"regex:{text}."
            )
        return "program"
    return "task" if task else None


def _refuse_lookalikes(text: str, wanted: Wanted) -> None:
    """Refuse what looks like the name of a file, a task or a program and is none."""
    itself = f"for the expression itself write regex:{text}."
    if text.endswith(".py"):
        raise InputError(f"{text}: name what is in it, as {text}:name; {itself}")
    if wanted == "task" and text in POSITIONS:
        raise InputError(f"{text!r} is an encoding, not a task: write --encoding {text}; {itself}")
    file, colon, name = text.partition(":")
    if colon and _WORD.fullmatch(name) and (is_file(file) or _OTHER_FILE.fullmatch(file)):
        raise InputError(f"{file}: a file of Python ends in .py, as in file.py:{name}; {itself}")
    if is_file(text) or _OTHER_FILE.fullmatch(text):
        raise InputError(
            f"{text}: not a program (.cr), an automaton (.json, .att) or Python (.py:name); "
            f"{itself}"
        )
    base, colon, _ = text.partition(":")
    certain = _OPTIONS.fullmatch(text) or (wanted != "subject" and _WORD.fullmatch(text))
    if certain or re.fullmatch(r"[\w-]{4,}", text):
        hint = nearest(base, TASKS if colon or wanted == "task" else _names(wanted))
        if hint or certain:
            kind = "name" if wanted == "subject" else wanted
            raise InputError(f"unknown {kind} {base!r}.{hint} {itself[0].upper()}{itself[1:]}")


def _names(wanted: Wanted) -> list[str]:
    """List the names of programs and tasks; short programs' names look like any word."""
    found = library.names()
    return found if wanted == "program" else [*TASKS, *(name for name in found if "-" in name)]
