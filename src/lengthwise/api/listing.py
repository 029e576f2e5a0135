"""``list tasks``, ``list encodings`` and ``list programs``: what there is by name."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.api.shown import Rows, Shown
from lengthwise.api.verb import verb


@dataclass(frozen=True)
class Listing(Shown):
    """Named things: the columns that a terminal shows, and everything for programs."""

    columns: Mapping[str, str]
    """The key of every column that is shown, by its heading."""
    entries: Sequence[Mapping[str, Any]]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one table."""
        yield Rows(
            [
                {heading: _cell(entry[key]) for heading, key in self.columns.items()}
                for entry in self.entries
            ]
        )

    def to_json(self) -> list[dict[str, Any]]:
        """Return one entry per name."""
        return [dict(entry) for entry in self.entries]


def _cell(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


@verb()
def list_tasks() -> Listing:
    """List the tasks.

    Example: lengthwise list tasks --json
    """
    from lengthwise.tasks import TASKS

    rows = []
    for name in TASKS:
        kind = TASKS.load(name)
        takes = getattr(kind, "argument", None)
        rows.append({"task": f"{name}:{takes.upper()}" if takes else name, "summary": kind.summary})
    return Listing({"task": "task", "summary": "summary"}, rows)


@verb()
def list_encodings() -> Listing:
    """List the position encodings; `lengthwise show NAME` draws one.

    Example: lengthwise list encodings
    """
    from lengthwise.positions import POSITIONS

    columns = ("encoding", "summary", "touches", "options")
    return Listing(
        dict(zip(columns, columns, strict=True)), [_encoding(name) for name in POSITIONS]
    )


def _encoding(name: str) -> dict[str, Any]:
    """Return name, summary, claims and options of a registered encoding."""
    from lengthwise.positions import POSITIONS, example

    kind = POSITIONS.load(name)
    options = [
        f"{field.name}={field.default}"
        for field in dataclasses.fields(kind)
        if field.init and field.default is not dataclasses.MISSING
    ]
    return {
        "encoding": name,
        "summary": kind.summary,
        "touches": sorted(kind.touches),
        "absolute": kind.absolute,
        "shift_invariant": kind.shift_invariant,
        "options": options,
        "example": example(name),
    }


@verb()
def list_programs() -> Listing:
    """List the C-RASP programs that come with the library; `lengthwise crasp show NAME` prints one.

    Example: lengthwise list programs
    """
    from lengthwise.crasp.library import entries

    columns = {
        "name": "name",
        "language or task": "description",
        "depth": "depth",
        "size": "size",
        "fragment": "fragment",
    }
    return Listing(
        columns,
        [
            {"name": e.name, "description": e.description, "source": e.source} | e.summary.to_dict()
            for e in entries()
        ],
    )
