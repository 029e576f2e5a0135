"""``show``: examples of a task, or the picture of an encoding."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lengthwise.api.shown import PICTURES, Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Length, Seed
from lengthwise.core.errors import InputError, nearest

if TYPE_CHECKING:
    from lengthwise.positions.base import PositionEncoding
    from lengthwise.report.model_figures import Map
    from lengthwise.tasks.base import Task


@dataclass(frozen=True)
class Examples(Shown):
    """Some instances of a task in readable form; the answer stands behind the arrow."""

    unwritable: ClassVar[str] = "examples of a task are printed; only an encoding is drawn."
    lines: Sequence[str]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one line per example."""
        yield from self.lines

    def to_json(self) -> list[str]:
        """Return the lines."""
        return list(self.lines)


@dataclass(frozen=True)
class LengthRanges(Shown):
    """Where papers trained and tested a task."""

    unwritable: ClassVar[str] = "ranges of lengths are printed; only an encoding is drawn."
    rows: Sequence[dict[str, Any]]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one table."""
        yield Rows(self.rows)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the rows."""
        return list(self.rows)


@dataclass(frozen=True)
class EncodingPicture(Shown):
    """What an encoding tells about pairs of positions."""

    encoding: str
    maps: Sequence["Map"]

    @property
    def name(self) -> str:
        """The encoding's name without options, as files are called."""
        name, _, rest = self.encoding.partition(":")
        return rest.partition(":")[0] if name.endswith(".py") else name

    def parts(self) -> Iterator[str | Rows]:
        """Yield what is drawn."""
        yield ", ".join(name for name, _ in self.maps)

    def _repr_svg_(self) -> str:
        return self.save().svg

    def _repr_html_(self) -> None:
        return None  # the picture is all there is

    def to_json(self) -> list[dict[str, Any]]:
        """Return the numbers that are drawn."""
        return [{"panel": name, "values": _plain(values.tolist())} for name, values in self.maps]

    @writes(*PICTURES, option="output", aliases=("-o",), usual="{result.name}.png")
    def save(self, path: Path) -> None:
        """Draw an encoding to this .png, .svg or .pdf file; by default its name with .png."""
        from lengthwise.report.model_figures import draw_maps
        from lengthwise.report.static import save_drawn

        save_drawn(draw_maps(self.maps, title=self.encoding), path)


@verb()
def show(
    subject: str,
    *,
    length: Length | None = None,
    count: Count = 3,
    seed: Seed = 0,
    windows: bool = False,
) -> Examples | LengthRanges | EncodingPicture:
    """Print examples of a task, or draw an encoding.

    A drawing has the encoding's logit bias by head, or the similarity it gives to pairs of
    positions.

    Example: lengthwise show addition --length 8

    Example: lengthwise show rope --length 64 -o rope.svg

    Args:
        subject: A task or an encoding by name, with options as `name:option=value`, or your own as
            `file.py:Class`; a regular expression or an automaton (`x.json`) is the task of learning
            its language. Where a name is both, the task is meant; `task:NAME` and `encoding:NAME`
            say which.
        length: Length of the examples, by default 5; or positions in the drawing, by default 64.
        count: How many examples.
        seed: Of the examples, or of the tables that an encoding would learn.
        windows: Print the ranges of lengths of the papers instead of examples: where to train and
            to test.
    """
    found = _find(subject)
    if not isinstance(found, tuple):
        return _windows(found) if windows else _examples(found, length, count, seed)
    if windows:
        raise InputError(f"--windows: {subject!r} is an encoding; only tasks have ranges.")
    if length == 0:
        raise InputError("--length 0: a drawing needs at least 1 position.")
    from lengthwise.report.model_figures import encoding_maps

    name, encoding = found
    return EncodingPicture(name, encoding_maps(encoding, 64 if length is None else length, seed))


def _find(subject: str) -> "Task | tuple[str, PositionEncoding]":
    """Return the task, or the encoding with its name; tasks come first."""
    from lengthwise.positions import POSITIONS, load_position
    from lengthwise.subjects import as_task
    from lengthwise.tasks import TASKS, load_task

    kind, _, rest = subject.partition(":")
    if kind == "encoding":
        return rest, load_position(rest)
    known = kind in TASKS or kind == "task"
    if not known and (kind in POSITIONS or (kind.endswith(".py") and _is_encoding(subject))):
        return subject, load_position(subject)
    if not known and re.fullmatch(r"[\w-]+", subject):
        raise InputError(
            f"unknown task or encoding {kind!r}.{nearest(kind, [*TASKS, *POSITIONS])} "
            "`lengthwise list tasks` and `lengthwise list encodings` list them."
        )
    return load_task(as_task(subject))


def _is_encoding(subject: str) -> bool:
    """Whether ``file.py:Name`` is an encoding; mistakes are told by who builds it."""
    from lengthwise.core.registry import load_from_file
    from lengthwise.positions.base import PositionEncoding

    path, _, name = subject.partition(":")
    if not name:
        raise InputError(f"{subject!r}: say which task or encoding of the file, as {path}:Name.")
    kind = load_from_file(f"{path}:{name.partition(':')[0]}", "task or encoding")
    return isinstance(kind, type) and issubclass(kind, PositionEncoding)


def _examples(task: "Task", length: int | None, count: int, seed: int) -> Examples:
    import numpy as np

    wanted = 5 if length is None else length
    lengths = np.repeat(task.check_range(wanted, wanted), count)
    return Examples(task.render(task.sample(np.random.default_rng(seed), lengths)))


def _windows(task: "Task") -> LengthRanges:
    from lengthwise.tasks.formal.lengths import length_ranges

    rows = length_ranges(task)
    if not rows:
        raise InputError(f"task {task.name!r}: the papers give no ranges of lengths for it.")
    return LengthRanges(rows)


def _plain(rows: list[list[float]]) -> list[list[float | None]]:
    return [[None if value != value else value for value in row] for row in rows]  # NaN
