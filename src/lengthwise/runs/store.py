"""One folder per run is the truth: plain files, each either whole or absent.

``spec.json``, ``events.jsonl`` (one evaluation a line), ``result.json``, ``model.safetensors``,
and ``checkpoint.safetensors`` while the run is under way.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from lengthwise.errors import InputError, unknown
from lengthwise.runs.files import read_json, read_lines, write_json
from lengthwise.runs.spec import RunSpec

RESULT, SPEC, WEIGHTS = "result.json", "spec.json", "model.safetensors"

State = Literal["done", "unfinished", "unreadable"]


@dataclass(frozen=True)
class Record:
    """A run as the store sees it, without loading torch."""

    id: str
    folder: Path
    state: State
    spec: RunSpec | None = None
    result: dict[str, Any] | None = None
    problem: str | None = None

    @property
    def bins(self) -> list[dict[str, Any]]:
        """The last measured bins: of the result, or of the newest evaluation."""
        if self.result is not None:
            return self.result["bins"]
        events = list(read_lines(self.folder / "events.jsonl"))
        return events[-1]["bins"] if events else []


class Store:
    """A directory of runs.

    Example:
        >>> import tempfile
        >>> list(Store(tempfile.mkdtemp()).records())
        []
    """

    def __init__(self, root: str | Path | None = None) -> None:
        self.root = Path(root or os.environ.get("LENGTHWISE_STORE", "runs"))

    def folder(self, spec: RunSpec) -> Path:
        """Return the folder of a run; it need not exist yet."""
        return self.root / spec.id

    def open(self, spec: RunSpec) -> Path:
        """Create the run's folder with its specification and return it."""
        folder = self.folder(spec)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"store {str(self.root)!r}: {error.strerror}.") from error
        if not (folder / SPEC).exists():
            write_json(folder / SPEC, spec.model_dump(mode="json"))
        return folder

    def record(self, folder: Path) -> Record:
        """Read what a folder holds; damage is reported in the record, not raised."""
        try:
            spec = RunSpec.read(read_json(folder / SPEC))
            path = folder / RESULT
            result = read_json(path) if path.exists() else None
        except InputError as error:
            return Record(folder.name, folder, "unreadable", problem=str(error))
        return Record(folder.name, folder, "done" if result else "unfinished", spec, result)

    def records(self) -> Iterator[Record]:
        """Read every run of the store, newest folder last."""
        if not self.root.is_dir():
            return
        folders = [entry for entry in self.root.iterdir() if (entry / SPEC).exists()]
        for folder in sorted(folders, key=lambda entry: (entry / SPEC).stat().st_mtime):
            yield self.record(folder)

    def find(self, prefix: str) -> Record:
        """Return the one run whose id starts with ``prefix``."""
        ids = [entry.name for entry in self.root.glob("*") if (entry / SPEC).exists()]
        matches = [name for name in ids if name.startswith(prefix)]
        if len(matches) > 1:
            raise InputError(f"run {prefix!r} is ambiguous: {', '.join(sorted(matches))}.")
        if not matches:
            raise unknown(f"run (store {str(self.root)!r})", prefix, ids)
        return self.record(self.root / matches[0])

    @contextmanager
    def lock(self, folder: Path) -> Iterator[None]:
        """Hold the run for this process; another process gets a clear refusal."""
        with (folder / ".lock").open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError(
                    f"run {folder.name} is being executed by another process."
                ) from None
            yield


def load_result(record: Record) -> Any:
    """Return the ``RunResult`` of a finished run."""
    from lengthwise.runs.result import RunResult

    if record.result is None:
        raise InputError(
            f"run {record.id} is {record.state}{': ' + record.problem if record.problem else ''}."
        )
    try:
        return RunResult.model_validate({**record.result, "spec": record.spec})
    except ValidationError as error:
        raise InputError(
            f"{record.folder / RESULT}: not a result of this version of Lengthwise."
        ) from error
