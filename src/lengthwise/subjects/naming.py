"""What a text names, by its form alone: nothing is read or executed here."""

import re
from pathlib import Path
from typing import Literal, NamedTuple

from lengthwise.core.errors import InputError, nearest
from lengthwise.core.registry import is_file

NamedKind = Literal["regex", "automaton", "program", "task", "python"]
Names = Literal["task", "program"]

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


def name_subject(text: str, names: Names = "task") -> Naming:
    """Say what a text names.

    ``names`` says what a bare name means first: a task, or, for commands about programs, a program
    of the library.

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
    kind = _by_name(text, names) or ENDINGS.get(Path(text).suffix)
    if kind is None:
        _refuse_lookalikes(text)
    return Naming(kind or "regex", text)


def is_program(text: str) -> bool:
    """Whether the library has a program of this name, as ``dyck-1``, ``d-3`` or ``blocks(n=2)``."""
    from lengthwise.crasp import library

    call = _CALL.fullmatch(text)
    name = call[1] if call else text
    return name in library.names() or re.fullmatch(r"d-[0-9]{1,6}", name) is not None


def _by_name(text: str, names: Names) -> NamedKind | None:
    """Return the kind of a bare name; None when no task and no program has it."""
    from lengthwise.tasks import TASKS

    base = text.partition(":")[0]
    task = _WORD.fullmatch(base) is not None and base in TASKS
    if task and names == "task":
        return "task"
    if (_WORD.fullmatch(text) or _CALL.fullmatch(text)) and is_program(text):
        if names == "task" and not re.search("[-=]", text):
            raise InputError(
                f"{text!r} is a program of the library and a word: write program:{text} or "
                f"regex:{text}."
            )
        return "program"
    return "task" if task else None


def _refuse_lookalikes(text: str) -> None:
    """Refuse what looks like the name of a file or a task and is none."""
    itself = f"for the expression itself write regex:{text}."
    if text.endswith(".py"):
        raise InputError(f"{text}: name what is in it, as {text}:name; {itself}")
    if is_file(text) or _OTHER_FILE.fullmatch(text):
        raise InputError(
            f"{text}: not a program (.cr), an automaton (.json, .att) or Python (.py:name); "
            f"{itself}"
        )
    if _OPTIONS.fullmatch(text) or re.fullmatch(r"[\w-]{4,}", text):
        from lengthwise.tasks import TASKS

        base, colon, _ = text.partition(":")
        hint = nearest(base, TASKS)
        if hint or colon:
            raise InputError(f"unknown task {base!r}.{hint} {itself[0].upper()}{itself[1:]}")
