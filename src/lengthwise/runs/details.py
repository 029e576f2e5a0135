"""Everything that finished runs say, as one file of JSON lines that duckdb reads by itself.

The file only grows: a run that is new or has changed is appended under the stamp of its files, and
whoever reads it keeps the lines whose stamps are those of the folders now. It is a cache: missing,
damaged or foreign, it is made anew from the folders.
"""

import json
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_bytes, read_sealed, write_bytes, write_sealed
from lengthwise.runs.index import detail, stamp
from lengthwise.runs.store import Store

FORMAT = 2


@dataclass(frozen=True)
class Details:
    """Where the lines are: ``finished`` as remembered, ``others`` as read now."""

    finished: Path
    others: Path
    current: dict[str, str]
    """Run to stamp: the lines of ``finished`` that hold."""


def details(store: Store, folder: Path) -> Details:
    """Bring the cache up to date; what cannot be remembered is written to ``folder``."""
    path = store.root / ".cache" / f"details-{FORMAT}.jsonl"
    known, lines = _known(path)
    current: dict[str, str] = {}
    new, others = [], []
    for run in store.folders():
        mark = json.dumps(stamp(run))
        if known.get(run.name) == mark:
            current[run.name] = mark
            continue
        row = detail(store.record(run))
        if row["state"] == "done":
            current[run.name] = mark
            new.append({"stamp": mark, **row})
        else:
            others.append(row)
    if new or not path.exists():
        path = _append(path, new, current, lines, folder)
    (folder / "others.jsonl").write_text(_text(others))
    return Details(path, folder / "others.jsonl", current)


def _known(path: Path) -> tuple[dict[str, str], int]:
    """Return the stamps of the remembered runs and the number of lines, if all fits together."""
    try:
        notes = read_sealed(path.with_suffix(".json"))
        known, lines = dict(notes["runs"]), int(notes["lines"])
        whole = notes["check"] == zlib.crc32(read_bytes(path))
        if whole and lines <= 2 * len(known) + 100:
            return known, lines
    except (InputError, OSError, KeyError, TypeError, ValueError):
        pass
    return {}, 0


def _append(
    path: Path, new: list[dict[str, Any]], current: dict[str, str], lines: int, folder: Path
) -> Path:
    """Write the old lines and the new ones in one step, then what they are."""
    data = (path.read_bytes() if lines else b"") + _text(new).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, data)
        notes = {"check": zlib.crc32(data), "lines": lines + len(new), "runs": current}
        write_sealed(path.with_suffix(".json"), notes)
    except (InputError, OSError):  # a store that may only be read is queried all the same
        path = folder / "finished.jsonl"
        path.write_bytes(data)
    return path


def _text(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def forget(store: Store) -> None:
    """Remove the cache."""
    for path in (store.root / ".cache").glob("details-*"):
        with suppress(OSError):
            path.unlink()
