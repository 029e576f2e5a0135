"""Files that are either whole or absent: written beside their place, then moved there."""

import errno
import json
import os
import socket
import stat
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError

ASIDE = ".damaged"


class DiskFullError(InputError):
    """There is no space left; nothing that was written before is harmed."""


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a file in one step; on a full disk the old content stays.

    The file reaches the disk before it gets its name, and the name before this returns, so that
    a power cut leaves the old file or the new one.
    """
    temporary = path.with_name(f".{path.name}.{_writer()}.tmp")
    try:
        with temporary.open("wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        remove(temporary)
        raise explain(path, error) from error


def remove(temporary: Path) -> None:
    """Remove what may have been written, also where there is no such folder."""
    with suppress(OSError):
        temporary.unlink()


def write_json(path: Path, value: Any) -> None:
    """Replace a JSON file in one step."""
    write_bytes(path, (json.dumps(value, indent=1) + "\n").encode())


def read_bytes(path: Path) -> bytes:
    """Read a regular file; anything else is refused by name, and a pipe is not waited for.

    Example:
        >>> read_bytes(Path("/dev/null"))
        Traceback (most recent call last):
        lengthwise.core.errors.InputError: /dev/null: not a regular file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as handle:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise InputError(f"{path}: not a regular file.")
            return handle.read()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file.") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: cannot be read ({why(error)}).") from None


def why(error: Exception) -> str:
    """Say in a few words what went wrong with a file."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def read_json(path: Path) -> Any:
    """Read a JSON file; a missing or damaged one is named."""
    data = read_bytes(path)
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not readable as JSON ({error}).") from None


def read_lines(path: Path) -> Iterator[Any]:
    """Read JSON lines up to the first that is none."""
    with suppress(InputError, ValueError, RecursionError):
        for line in read_bytes(path).splitlines():
            yield json.loads(line)


def remove_leftovers(folder: Path) -> None:
    """Remove what killed writers left behind; call it only while holding the folder's lock."""
    for path in folder.glob(".*.tmp"):
        path.unlink(missing_ok=True)


def set_aside(path: Path) -> None:
    """Move something damaged out of the way, whatever it is, for whoever wants to look at it."""
    with suppress(FileNotFoundError):
        try:
            path.replace(path.with_name(path.name + ASIDE))
        except OSError:  # a folder, and another is there
            path.replace(path.with_name(f"{path.name}.{_writer()}{ASIDE}"))


def remove_aside(folder: Path) -> None:
    """Remove files that were set aside, once they are replaced by good ones."""
    for path in folder.glob(f"*{ASIDE}"):
        with suppress(OSError):  # a folder may hold what is not ours
            path.unlink()


def explain(path: Path, error: OSError) -> InputError:
    """Say in one line why a file could not be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError(
            f"{path}: the disk is full. What was written before is intact; "
            "free some space and give the same command again to continue."
        )
    return InputError(f"{path}: cannot write ({error.strerror}).")


def _writer() -> str:
    """Name this writer, different from those on other machines that share the file system."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some shared file systems
            raise
    finally:
        os.close(descriptor)
