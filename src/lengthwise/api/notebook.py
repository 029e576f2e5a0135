"""How results look in a notebook: the components of pages, pictures, data frames."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.report.document import Document, Prose, Table

LIBRARIES = ("pandas", "polars", "pyarrow")
"""Data frames, the first that is installed by default."""


@dataclass(frozen=True)
class InlinePicture:
    """A drawing that a notebook shows."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"InlinePicture({len(self.svg):,} bytes of SVG)"


def document(parts: Iterable[Any]) -> "Document":
    """Lay out what a terminal would show: texts as paragraphs, rows as tables."""
    from lengthwise.report.document import Document, Section

    made = [_text(part) if isinstance(part, str) else _table(part) for part in parts]
    return Document("", sections=[Section("", made)])


def _text(part: str) -> "Prose":
    """Return text as it stands; what has lines of its own keeps them."""
    from lengthwise.report.document import Prose

    return Prose(part.strip("\n"), code="\n" in part.strip("\n"))


def _table(part: Any) -> "Table":
    from lengthwise.report.document import Table, words

    columns = list(part.rows[0]) if part.rows else []
    cells = [[words(row.get(name)) for name in columns] for row in part.rows]
    return Table((part.title or "").strip(), columns, cells)


def frame(rows: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:
    """Return rows as a data frame of the library that is named or installed."""
    import narwhals

    known = [name for name in LIBRARIES if find_spec(name)]
    if library is not None and library not in LIBRARIES:
        raise InputError(f"library {library!r}: choose one of {', '.join(LIBRARIES)}.")
    chosen = library or next(iter(known), None)
    if chosen not in known:
        which = chosen or "none of " + ", ".join(LIBRARIES)
        raise InputError(f"to_frame: {which} is not installed; `pip install {chosen or 'pandas'}`.")
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: _alike([row.get(name) for row in rows]) for name in names}
    return narwhals.from_dict(columns, backend=cast(Any, chosen)).to_native()


def _alike(values: list[Any]) -> list[Any]:
    """Return a column of one type; what is neither number nor text is written out."""
    known = [value for value in values if value is not None]
    if all(isinstance(v, bool) for v in known) or all(isinstance(v, str) for v in known):
        return values
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in known):
        whole = all(isinstance(v, int) for v in known)
        return values if whole else [None if v is None else float(v) for v in values]
    return [None if value is None else str(value) for value in values]
