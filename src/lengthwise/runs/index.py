"""A table of all runs, quick also for tens of thousands of folders.

The folders are the truth. What a *finished* run says is remembered in a cache file beside them,
under the stamp (size, times, inode) of the files it came from; stamps are compared for equality,
so a clock that went backwards does no harm. A cache that is missing, damaged or old is made anew.
"""

import json
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.core.files import MOST_INPUT, read_bytes, write_bytes
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.manifest import EVENTS, MANIFEST, RESULT, SPEC, WEIGHTS
from lengthwise.records.record import Record
from lengthwise.runs.store import Store

Row = dict[str, Any]
FORMAT = 2
_NUMBER, _MAYBE = (int, float), (str, type(None))
_KINDS: dict[str, type | tuple[type, ...]] = {
    "id": str,
    "state": str,
    "task": str,
    "position": str,
    "seed": int,
    "steps": int,
    "stopped": str,
    "seconds": _NUMBER,
    "accuracies": list,
    "problem": _MAYBE,
    "digests": bool,
}
"""What a remembered row holds."""


def rows(store: Store, *, rebuild: bool = False) -> list[Row]:
    """Return one row per run, oldest first: what the listing shows.

    Example:
        >>> import tempfile
        >>> rows(Store(tempfile.mkdtemp()))
        []
    """
    return _Cache(store).rows(rebuild=rebuild)


class _Cache:
    """Rows made from records, remembered for those that are done."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.path = store.root / ".cache" / f"runs-{FORMAT}.jsonl"

    def rows(self, *, rebuild: bool = False) -> list[Row]:
        """Return the rows, reading only folders that changed."""
        known = {} if rebuild else dict(self._load())
        fresh: dict[str, tuple[list[int], Row]] = {}
        rows = []
        for folder in self.store.folders():
            mark = stamp(folder)
            if mark and known.get(folder.name, (None,))[0] == mark:
                row = known[folder.name][1]
            else:
                row = summary(self.store.record(folder))
            if mark and row["state"] == "done":
                fresh[folder.name] = (mark, row)
            rows.append(row)
        if fresh.keys() != known.keys() or any(known[k][0] != fresh[k][0] for k in fresh):
            self._save(fresh)
        return rows

    def _load(self) -> Iterator[tuple[str, tuple[list[int], Row]]]:
        with suppress(InputError):
            for line in read_bytes(self.path, MOST_INPUT).splitlines():
                with suppress(TypeError, ValueError, AttributeError, RecursionError):
                    check, text = line[:8], line[8:]
                    if _check(text) == check:
                        mark, row = json.loads(text)
                        if _fits(row):
                            yield row["id"], (mark, row)

    def _save(self, rows: dict[str, tuple[list[int], Row]]) -> None:
        texts = [json.dumps(entry, separators=(",", ":")).encode() for entry in rows.values()]
        with suppress(InputError, OSError):  # a store that may only be read is listed all the same
            self.path.parent.mkdir(exist_ok=True)
            write_bytes(self.path, b"".join(_check(text) + text + b"\n" for text in texts))


def _fits(row: Row) -> bool:
    """Whether a row has the form of one that is remembered."""
    return (
        row.keys() == _KINDS.keys()
        and all(isinstance(row[name], kind) for name, kind in _KINDS.items())
        and all(isinstance(share, _NUMBER) for share in row["accuracies"])
    )


def _check(text: bytes) -> bytes:
    """Return what tells an accident from what was written."""
    return b"%08x" % zlib.crc32(text)


def damaged(rows: Iterable[Row]) -> dict[str, str]:
    """Return what is damaged: run to problem."""
    return {row["id"]: row["problem"] for row in rows if row["state"] == "damaged"}


def stamp(folder: Path) -> list[int] | None:
    """Identify the content of a finished run's files; None without a result."""
    mark: list[int] = []
    for name in (SPEC, RESULT, EVENTS, WEIGHTS, MANIFEST):
        try:
            file = os.stat(f"{folder}/{name}")
        except OSError:
            if name in (SPEC, RESULT):
                return None
            mark.append(0)
        else:
            mark += [file.st_size, file.st_mtime_ns, file.st_ctime_ns, file.st_ino]
    return mark


def summary(record: Record) -> Row:
    """Return what the listing shows of a run."""
    spec, result = record.spec, record.result
    return {
        "id": record.id,
        "state": record.state,
        "task": str(spec.task) if spec else None,
        "position": str(spec.position) if spec else None,
        "seed": spec.seed if spec else None,
        "steps": result.steps if result else None,
        "stopped": result.stopped if result else None,
        "seconds": result.seconds if result else None,
        "accuracies": [bin_.accuracy for bin_ in record.bins],
        "problem": record.problem,
        "digests": record.manifest is not None if record.state == "done" else None,
    }


def detail(record: Record) -> Row:
    """Return all that is known of a run, as plain data; of a damaged one no measurement."""
    return {
        **summary(record),
        "spec": record.spec.model_dump(mode="json") if record.spec else None,
        "bins": [_bin(number, bin_) for number, bin_ in enumerate(record.bins)],
        "lengths": [
            {"bin": number, "length": length, "correct": bin_.correct[length], "total": total}
            for number, bin_ in enumerate(record.bins)
            for length, total in bin_.total.items()
        ],
        "history": [
            {"step": event.step, "loss": event.loss, **_bin(number, bin_)}
            for event in record.history
            for number, bin_ in enumerate(event.bins)
        ],
    }


def _bin(number: int, bin_: AccuracyByLength) -> Row:
    return {
        "bin": number,
        "low": bin_.low,
        "high": bin_.high,
        "correct": sum(bin_.correct.values()),
        "total": sum(bin_.total.values()),
        "accuracy": bin_.accuracy,
    }
