"""One folder per run is the truth: plain files, each either whole or absent.

``spec.json``, ``events.jsonl`` (one evaluation a line), ``result.json``, ``model.safetensors``,
``checkpoint.safetensors`` while the run is under way, and ``failure.json`` if it failed.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import ValidationError

from lengthwise.core.errors import InputError, unknown
from lengthwise.core.files import explain, read_json, read_lines, write_json
from lengthwise.records.spec import RunSpec

RESULT, SPEC, WEIGHTS, FAILURE = "result.json", "spec.json", "model.safetensors", "failure.json"
LOCK = ".lock"

State = Literal["done", "unfinished", "failed", "unreadable"]
STATES: tuple[State, ...] = get_args(State)

_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP)
_LOCK_TRIES, _LOCK_PAUSE = 5, 0.02
"""``running`` holds a lock for some microseconds; that must not look like another process."""


class BusyError(InputError):
    """Another process is executing the run."""


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
            raise explain(folder, error) from error
        try:
            whole = RunSpec.read(read_json(folder / SPEC)) == spec
        except InputError:  # absent or damaged: the folder's name says what belongs there
            whole = False
        if not whole:
            # Under the lock, whose next holder clears away files that were never finished; if
            # another process holds it, that one has written the specification.
            with suppress(BusyError), self.lock(folder):
                write_json(folder / SPEC, spec.model_dump(mode="json"))
        return folder

    def record(self, folder: Path) -> Record:
        """Read what a folder holds; damage is reported in the record, not raised."""
        try:
            spec = RunSpec.read(read_json(folder / SPEC))
            path = folder / RESULT
            result = read_json(path) if path.exists() else None
            if path.exists() and not (isinstance(result, dict) and "bins" in result):
                raise InputError(f"{path}: not a result.")
        except InputError as error:
            return Record(folder.name, folder, "unreadable", problem=str(error))
        if result:
            return Record(folder.name, folder, "done", spec, result)
        problem = failure(folder)
        return Record(
            folder.name, folder, "failed" if problem else "unfinished", spec, problem=problem
        )

    def folders(self) -> list[Path]:
        """Return every run's folder, oldest first by the file system's clock."""
        if not self.root.is_dir():
            return []
        dated = []
        for entry in os.scandir(self.root):
            try:
                dated.append((os.stat(f"{entry.path}/{SPEC}").st_mtime_ns, entry.name))
            except (FileNotFoundError, NotADirectoryError):
                continue
        return [self.root / name for _, name in sorted(dated)]

    def records(self) -> Iterator[Record]:
        """Read every run of the store, newest folder last."""
        for folder in self.folders():
            yield self.record(folder)

    def find(self, prefix: str) -> Record:
        """Return the one run whose id starts with ``prefix``."""
        ids = [folder.name for folder in self.folders()]
        matches = [name for name in ids if name.startswith(prefix)]
        if len(matches) > 1:
            raise InputError(f"run {prefix!r} is ambiguous: {', '.join(sorted(matches))}.")
        if not matches:
            raise unknown(f"run (store {str(self.root)!r})", prefix, ids)
        return self.record(self.root / matches[0])

    @contextmanager
    def lock(self, folder: Path) -> Iterator[None]:
        """Hold the run for this process; another process gets a clear refusal.

        The lock ends with its process, however that ends. A file system without locks is used
        without: two processes would then do the same work and write the same files.
        """
        with (folder / LOCK).open("w") as handle:
            for left in reversed(range(_LOCK_TRIES)):
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError as error:
                    if error.errno in _NO_LOCKS:
                        break
                    if not left:
                        raise BusyError(
                            f"run {folder.name} is being executed by another process."
                        ) from None
                    time.sleep(_LOCK_PAUSE)
                else:
                    break
            yield

    def running(self, folder: Path) -> bool:
        """Say whether a process holds the run now."""
        try:
            with (folder / LOCK).open() as handle:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False


def failure(folder: Path) -> str | None:
    """Return why a run failed, if it did."""
    if not (folder / FAILURE).exists():
        return None
    try:
        return str(read_json(folder / FAILURE)["reason"])
    except (InputError, KeyError, TypeError):
        return f"{FAILURE} is not readable"


def load_result(record: Record) -> Any:
    """Return the ``RunResult`` of a finished run."""
    from lengthwise.records.result import RunResult

    if record.result is None:
        why = f": {record.problem.rstrip('.')}" if record.problem else ""
        remedy = "; --again runs it once more" if record.state == "unreadable" else ""
        raise InputError(f"run {record.id} is {record.state}{why}{remedy}.")
    try:
        return RunResult.model_validate({**record.result, "spec": record.spec})
    except ValidationError as error:
        raise InputError(
            f"{record.folder / RESULT}: not a result of this version of Lengthwise."
        ) from error
