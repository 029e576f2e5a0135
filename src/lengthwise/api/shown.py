"""Results that show themselves: in a terminal, as JSON, in files, in a notebook."""

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lengthwise.core.errors import InputError
from lengthwise.core.outputs import check_output

if TYPE_CHECKING:
    from lengthwise.report.document import Document

PICTURES = (".png", ".svg", ".pdf")
"""Suffixes of figures."""


@dataclass(frozen=True)
class Rows:
    """A table: rows of equal keys, which are its headings."""

    rows: Sequence[Mapping[str, Any]]
    title: str | None = None


class Sentence(str):
    """Sentences: wrapped by words in a terminal, where other text keeps its lines."""


def rounded(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Show fractions with three digits.

    Example:
        >>> rounded([{"encoding": "nope", "rank": 2 / 3}])
        [{'encoding': 'nope', 'rank': '0.667'}]
    """
    return [
        {key: f"{value:.3f}" if isinstance(value, float) else value for key, value in row.items()}
        for row in rows
    ]


class Shown(ABC):
    """What a verb returns and a command prints.

    ``parts`` says it in a terminal, ``to_json`` to a program. Methods marked by ``writes`` put it
    into files; each is an option of the command, with the first line of its docstring as help.
    """

    unwritable: ClassVar[str] = "there is nothing to write here."
    """Why a file cannot be had of this result, where a verb has results of several kinds."""

    @abstractmethod
    def parts(self) -> Iterator[str | Rows]:
        """Yield lines and tables in the order in which they are read."""

    @abstractmethod
    def to_json(self) -> Any:
        """Return plain data."""

    def laid_out(self) -> "Document":
        """Return what a notebook shows; by default what a terminal would."""
        from lengthwise.api.notebook import document

        return document(self.parts())

    def _repr_html_(self) -> str | None:
        from lengthwise.report.html import render_fragment

        return render_fragment(self.laid_out())

    def rows_of_frame(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows of a data frame; by default the first table."""
        return next((part.rows for part in self.parts() if isinstance(part, Rows)), ())

    def to_frame(self, library: str | None = None) -> Any:
        """Return a data frame: of pandas, polars or pyarrow, the first that is installed."""
        from lengthwise.api.notebook import frame

        rows = self.rows_of_frame()
        if not rows:
            raise InputError("to_frame: there is no table in this result; to_json() has it all.")
        return frame(rows, library)

    def notes(self) -> Iterator[str]:
        """Yield what a reader should know besides; it is said on standard error."""
        yield from ()

    @property
    def damaged(self) -> Mapping[str, str]:
        """Runs that should have counted and are damaged, with what is wrong with each."""
        return {}

    def missing(self, method: str) -> str:
        """Why the file of a method cannot be had of this result; nothing where it can."""
        return "" if hasattr(self, method) else self.unwritable

    def failed(self) -> bool:
        """Whether the command ends with a nonzero exit code although it could be printed."""
        return bool(self.damaged)


class PartlyDoneError(KeyboardInterrupt):
    """Somebody stopped a verb that has part of its result; a command shows that part."""

    def __init__(self, result: Shown) -> None:
        super().__init__("interrupted")
        self.result = result


@dataclass(frozen=True)
class Writer:
    """How a method writes a file: the option of the command, its suffixes, its usual name."""

    option: str
    suffixes: tuple[str, ...]
    aliases: tuple[str, ...]
    usual: str | None
    """What a command writes when no file is named, as `report.html` or `{result.name}.png`."""
    instead: bool = False
    """Whether the file stands in place of what is printed."""
    needed: bool = False
    """Whether the files are all there is of a result, so that a command must name one."""
    folder: bool = False
    """Whether it is a folder that is written."""


def writes(
    *suffixes: str,
    option: str = "",
    aliases: Sequence[str] = (),
    usual: str | None = None,
    folder: bool = False,
    instead: bool = False,
    needed: bool = False,
) -> Callable[[Callable[..., None]], Callable[..., Any]]:
    """Mark a method ``(self, path)`` that writes a file with one of the suffixes.

    The option of the command is called like the method, or ``option``. The method may be called
    with a string; one that draws returns its picture when it is called without a path, for a
    notebook. It saves through ``core.outputs``, which makes missing directories. What
    ``missing`` says is refused.
    """

    def mark(method: Callable[..., None]) -> Callable[..., Any]:
        name = option or method.__name__

        @functools.wraps(method)
        def write(self: Any, path: Path | str | None = None) -> Any:
            if problem := self.missing(method.__name__):
                raise InputError(f"{name}: {problem}")
            if path is None:
                return _pictured(functools.partial(method, self), method.__name__, suffixes)
            check_output(name, Path(path), suffixes, folder=folder)
            return method(self, Path(path))

        write.__writer__ = Writer(  # type: ignore[attr-defined]
            name, suffixes, tuple(aliases), usual, instead, needed, folder
        )
        return write

    return mark


def _pictured(draw: Callable[[Path], None], name: str, suffixes: Sequence[str]) -> Any:
    """Return what a method draws, as a notebook shows it."""
    from tempfile import TemporaryDirectory

    from lengthwise.api.notebook import InlinePicture

    if ".svg" not in suffixes:
        raise InputError(f'{name}: pass the file to write, as in {name}("file{suffixes[0]}").')
    with TemporaryDirectory() as folder:
        path = Path(folder) / "picture.svg"
        draw(path)
        return InlinePicture(path.read_text(encoding="utf-8"))


def writers(*kinds: type) -> dict[str, Callable[..., Any]]:
    """Return the methods of results' classes that write files, by name."""
    listed = {name: getattr(kind, name, None) for kind in kinds for name in dir(kind)}
    return {name: m for name, m in listed.items() if m is not None and hasattr(m, "__writer__")}
