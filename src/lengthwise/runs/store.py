"""One folder per run is the truth: plain files, each either whole or absent.

``spec.json``, ``events.jsonl`` (one evaluation a line), ``result.json``, ``model.safetensors``, and
last ``manifest.json`` with the digests of these; ``checkpoint.safetensors`` while the run is under
way, ``state.safetensors`` if more steps would continue it, and ``failure.json`` if it failed.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lengthwise.core.errors import InputError, unknown
from lengthwise.core.files import explain, json_bytes, put, read_json, why
from lengthwise.records.record import FILES, SPEC, Record, read_record
from lengthwise.records.spec import RunSpec
from lengthwise.runs import store_root

LOCK = ".lock"

_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP)
_LOCK_TRIES, _LOCK_PAUSE = 5, 0.02
"""``running`` holds a lock for some microseconds; that must not look like another process."""


class BusyError(InputError):
    """Another process is executing the run."""


class Store:
    """A directory of runs.

    Example:
        >>> import tempfile
        >>> list(Store(tempfile.mkdtemp()).records())
        []
    """

    def __init__(self, root: str | Path | None = None) -> None:
        self.root = store_root(root)

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
                put(folder / SPEC, json_bytes(spec.model_dump(mode="json")))
        return folder

    def record(self, folder: Path) -> Record:
        """Read what a folder holds; damage is told in the record, not raised."""
        found = read_record(folder)
        if found.state != "damaged":
            return found
        if self.running(folder):  # it is being made anew, file by file
            return Record(found.id, folder, "unfinished", found.spec)
        return read_record(folder)  # perhaps it was replaced while it was read

    def folders(self) -> list[Path]:
        """Return every run's folder, oldest first by the file system's clock."""
        try:
            entries = list(os.scandir(self.root))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise InputError(f"store {str(self.root)!r}: {why(error)}.") from None
        begun = {entry.name: _begun(entry.path) for entry in entries if entry.name[0] != "."}
        dated = [(time_, name) for name, time_ in begun.items() if time_ is not None]
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
        with _handle(folder / LOCK, os.O_RDWR | os.O_CREAT) as handle:
            for left in reversed(range(_LOCK_TRIES)):
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    if not left:
                        raise BusyError(
                            f"run {folder.name} is being executed by another process."
                        ) from None
                    time.sleep(_LOCK_PAUSE)
                except OSError as error:
                    if error.errno in _NO_LOCKS:
                        break
                    what = f"{folder / LOCK}: cannot be locked ({why(error)})."
                    raise InputError(what) from None
                else:
                    break
            yield

    def running(self, folder: Path) -> bool:
        """Say whether a process holds the run now."""
        try:
            with _handle(folder / LOCK, os.O_RDONLY) as handle:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False


def _handle(path: Path, flags: int) -> IO[bytes]:
    """Open a lock's file without waiting, were it a pipe."""
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    return open(descriptor, "r+b" if flags & os.O_RDWR else "rb", buffering=0)


def _begun(folder: str) -> int | None:
    """Return the time of a run's specification, else of its folder; None if it is no run's."""
    try:
        return os.stat(f"{folder}/{SPEC}").st_mtime_ns
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError:
        return os.lstat(folder).st_mtime_ns
    if any(os.path.lexists(f"{folder}/{name}") for name in FILES):
        return os.lstat(folder).st_mtime_ns  # its specification is missing
    return None
