"""A page as plain parts: what it says, before it is HTML."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.report.shapes import Picture

MARKS = {"right": "\N{CHECK MARK}", "wrong": "\N{BALLOT X}", "open": "?"}
MEANINGS = {"right": "as predicted", "wrong": "not as predicted", "open": "not told by the runs"}
"""Whether a prediction was right."""


@dataclass(frozen=True)
class TableCell:
    """One field of a table: what is shown, and the values that sorting and CSV use."""

    text: str
    value: float | str | None = None
    interval: tuple[float, float] | None = None
    chip: str = ""
    """A coloured word behind the text, with ``tone`` one of good, bad, dim."""
    tone: str = ""
    hint: str = ""
    share: float | None = None
    """Between 0 and 1: how strongly the cell is tinted."""
    run: int | None = None
    """Number of the run whose details the cell opens."""
    mark: str = ""
    """Whether a prediction was right, a key of ``MARKS``."""
    under: str = ""
    """A second, smaller line."""


def words(value: Any) -> TableCell:
    """Return a cell for any plain value; numbers sort as numbers.

    Example:
        >>> words(0.25).text, words(None).text
        ('0.25', '')
    """
    if isinstance(value, bool) or value is None:
        return TableCell({True: "yes", False: "no", None: ""}[value])
    if isinstance(value, int | float):
        return TableCell(f"{value:.4g}" if isinstance(value, float) else str(value), value)
    if isinstance(value, list | tuple):
        return TableCell(", ".join(words(part).text for part in value))
    return TableCell(str(value))


def percent(found: AccuracyByLength) -> TableCell:
    """Return an accuracy with its interval.

    Example:
        >>> percent(AccuracyByLength(low=1, high=1, correct={1: 1}, total={1: 2})).text
        '50.0%'
    """
    low, high = found.interval
    value = found.accuracy
    return TableCell(f"{value:.1%}", round(value, 6), (round(low, 6), round(high, 6)))


@dataclass(frozen=True)
class Table:
    """Rows with headings; ``intervals`` names the columns that are accuracies."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[TableCell]]
    note: str = ""
    intervals: frozenset[int] = frozenset()
    under: Sequence[str] = ()
    """What each heading means, in small letters below it."""
    prose: bool = False
    """Whether its rows are sentences: on a narrow screen each becomes a paragraph."""
    steady: bool = False
    """Whether its columns are places in a word: narrow, in one order, the first stays in sight."""
    kind: str = "table"


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite figure, drawn in the page's colours; without scripts as the picture of it."""

    title: str
    spec: dict[str, Any]
    note: str = ""
    wide: bool = False
    kind: str = "chart"


@dataclass(frozen=True)
class Line:
    """One encoding beside a panel: predicted, measured, and whether they agree."""

    encoding: str
    predicted: str
    strength: str
    because: str
    measured: str
    mark: str
    """A key of ``MARKS``, or nothing where nothing was predicted."""


@dataclass(frozen=True)
class Panel:
    """Accuracy against length for one task."""

    title: str
    note: str
    trained: tuple[int, int]
    series: Sequence[dict[str, Any]]
    """Columns of points, see ``panels.series_data``."""
    lines: Sequence[Line]
    measured: str = ""
    """Where the measured values of the lines were taken."""
    chance: Sequence[dict[str, float]] = ()
    """Ranges of lengths with what guessing gives: lo, hi, a."""


@dataclass(frozen=True)
class Panels:
    """Small multiples."""

    panels: Sequence[Panel]
    kind: str = "panels"


@dataclass(frozen=True)
class ShapeDrawing:
    """A picture made of shapes, in the page's colours."""

    title: str
    picture: Picture
    note: str = ""
    wide: bool = False
    kind: str = "drawing"


@dataclass(frozen=True)
class Prose:
    """A paragraph, or text that keeps its lines."""

    text: str
    code: bool = False
    head: str = ""
    """What it is about, in bold letters before it."""
    kind: str = "prose"


@dataclass(frozen=True)
class ProgramListing:
    """A program beside pictures."""

    title: str
    text: str
    note: str = ""
    wide: bool = False
    kind: str = "listing"


Part = Table | Chart | Panels | ShapeDrawing | ProgramListing | Prose


@dataclass(frozen=True)
class Section:
    """Parts under a heading."""

    title: str
    parts: Sequence[Part]
    note: str = ""
    folded: bool = False
    """Whether only the title is seen until somebody asks."""


@dataclass(frozen=True)
class Document:
    """A page."""

    title: str
    subtitle: str = ""
    facts: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = ()
    encodings: Sequence[str] = ()
    """All series of the panels."""
    runs: Sequence[dict[str, Any]] = field(default_factory=list)
    """Specification and command of each run, opened from tables."""


def unfolded(document: Document) -> Document:
    """Return a document without what is folded away: what fits below a notebook's cell."""
    return replace(document, sections=[part for part in document.sections if not part.folded])
