"""The programs that come with the package, as `.cr` files beside this module."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from lengthwise.core.errors import InputError, unknown
from lengthwise.crasp.facts import Summary, analyse
from lengthwise.crasp.parser import parse
from lengthwise.crasp.program import Program


@dataclass(frozen=True)
class LibraryProgram:
    """One program of the library with what its comments say about it."""

    name: str
    description: str
    source: str
    text: str
    summary: Summary


@cache
def _texts() -> dict[str, str]:
    folder = resources.files(__name__)
    files = (file for file in folder.iterdir() if file.name.endswith(".cr"))
    return {file.name.removesuffix(".cr"): file.read_text("utf-8") for file in files}


def names() -> list[str]:
    """Return the names of all programs, sorted."""
    return sorted(_texts())


def text(name: str) -> str:
    """Return a program's file as text, comments included."""
    if name not in _texts():
        raise unknown("program", name, _texts())
    return _texts()[name]


def load(name: str, **parameters: int) -> Program:
    """Return a program of the library.

    ``load("bounded-dyck", n=3)``, ``load("bounded-dyck(n=3)")`` and ``load("d-3")`` are the same.

    Example:
        >>> load("majority").accept
        #"a" > #"b"
    """
    call = re.fullmatch(r"([\w-]+)\(([^()]*)\)", name)
    if call:
        name, parameters = call[1], read_parameters(call[2]) | parameters
    short = re.fullmatch(r"d-([0-9]{1,6})", name)
    if short:
        name, parameters = "bounded-dyck", {"n": int(short[1])} | parameters
    return parse(text(name), source=f"{name}.cr", parameters=parameters)


def read_parameters(text: str) -> dict[str, int]:
    """Read ``n=3, m=2``."""
    values: dict[str, int] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        pair = re.fullmatch(r"([a-zA-Z_]\w*)\s*=\s*(-?[0-9]{1,18})", part)
        if pair is None:
            raise InputError(f"parameter {part!r}: write name=integer.")
        values[pair[1]] = int(pair[2])
    return values


def entries() -> list[LibraryProgram]:
    """Return every program with its description and analysis."""
    listed: list[LibraryProgram] = []
    for name in names():
        lines = [line[2:].strip() for line in text(name).splitlines() if line.startswith("//")]
        source = lines[1].removeprefix("Source: ")
        listed.append(LibraryProgram(name, lines[0], source, text(name), analyse(load(name))))
    return listed
