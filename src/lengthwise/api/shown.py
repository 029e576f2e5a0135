"""Results that show themselves: in a terminal, as JSON, in files, in a notebook."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lengthwise.core.errors import InputError


@dataclass(frozen=True)
class Rows:
    """A table: rows of equal keys, which are its headings."""

    rows: Sequence[Mapping[str, Any]]
    title: str | None = None


class Shown(ABC):
    """What a verb returns and a command prints.

    ``parts`` says it in a terminal, ``to_json`` to a program. Methods marked by ``writes`` put it
    into files; each is an option of the command, with the first line of its docstring as help.
    """

    @abstractmethod
    def parts(self) -> Iterator[str | Rows]:
        """Yield lines and tables in the order in which they are read."""

    @abstractmethod
    def to_json(self) -> Any:
        """Return plain data."""

    def failed(self) -> bool:
        """Whether the command ends with a nonzero exit code although it could be printed."""
        return False


Method = TypeVar("Method", bound=Callable[..., Any])


def writes(*suffixes: str, aliases: Sequence[str] = ()) -> Callable[[Method], Method]:
    """Mark a method ``(self, path)`` that writes a file with one of the suffixes."""

    def mark(method: Method) -> Method:
        method.__writes__ = (suffixes, tuple(aliases))  # type: ignore[attr-defined]
        return method

    return mark


def writers(kind: type) -> dict[str, Callable[..., Any]]:
    """Return the methods of a result's class that write files, by name."""
    listed = {name: getattr(kind, name, None) for name in dir(kind)}
    return {name: m for name, m in listed.items() if hasattr(m, "__writes__") and m is not None}


def check_path(option: str, path: Path, suffixes: Sequence[str]) -> None:
    """Refuse a path that could not be written, before anything is computed.

    Example:
        >>> check_path("--plot", Path("curves.txt"), (".svg", ".pdf"))
        Traceback (most recent call last):
        lengthwise.core.errors.InputError: --plot curves.txt: write a .svg or .pdf file.
    """
    if suffixes and path.suffix not in suffixes:
        raise InputError(f"{option} {path}: write a {' or '.join(suffixes)} file.")
    if path.is_dir():
        raise InputError(f"{option} {path}: this is a directory.")
    if not path.parent.is_dir():
        raise InputError(f"{option} {path}: there is no directory {str(path.parent)!r}.")
