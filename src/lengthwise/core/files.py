"""Files that are either whole or absent: written beside their place, then moved there."""

import errno
import json
import os
import socket
import stat
import uuid
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError

ASIDE = ".damaged"
MOST_INPUT = 1 << 28
"""Most bytes of a text that a user names, and of a text of a store."""


class DiskFullError(InputError):
    """There is no space left; nothing that was written before is harmed."""


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a file in one step; on a full disk the old content stays.

    The file reaches the disk before it gets its name, and the name before this returns, so that
    a power cut leaves the old file or the new one.
    """
    temporary = temporary_name(path)
    try:
        temporary.write_bytes(data)
        replace_file(temporary, path)
    except OSError as error:
        remove(temporary)
        raise explain(path, error) from error


def temporary_name(path: Path) -> Path:
    """Return the name under which a file is written before it gets its own."""
    return path.with_name(f".{path.name[:40]}.{_writer()}.tmp")


def replace_file(temporary: Path, path: Path) -> None:
    """Put a file that is written in the place of another, on disk before this returns."""
    with temporary.open("rb") as handle:
        os.fsync(handle.fileno())
    temporary.replace(path)
    _sync_folder(path.parent)


def remove(temporary: Path) -> None:
    """Remove what may have been written, also where there is no such folder."""
    with suppress(OSError):
        temporary.unlink()


def write_json(path: Path, value: Any) -> None:
    """Replace a JSON file in one step."""
    write_bytes(path, json_bytes(value))


def json_bytes(value: Any) -> bytes:
    """Return JSON as our files hold it."""
    return (json.dumps(value, indent=1) + "\n").encode()


def put(path: Path, data: bytes) -> None:
    """Make a file hold something; whatever else is there is set aside."""
    with suppress(InputError):
        if read_bytes(path) == data:
            return
    set_aside(path)
    write_bytes(path, data)


def write_sealed(path: Path, value: Any) -> None:
    """Replace a JSON file that says by a digest whether it is still what was written."""
    write_json(path, {"sha256": _seal(value), "value": value})


def read_sealed(path: Path) -> Any:
    """Read what ``write_sealed`` wrote; anything else is refused."""
    found = read_json(path)
    if not isinstance(found, dict) or found.keys() != {"sha256", "value"}:
        raise InputError(f"{path}: not what was written (form).")
    if found["sha256"] != _seal(found["value"]):
        raise InputError(f"{path}: not what was written (digest).")
    return found["value"]


def _seal(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """Read a regular file; anything else is refused by name, and a pipe is not waited for.

    What is larger than ``most`` bytes is refused before it fills the memory.

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
            if most is not None and os.fstat(descriptor).st_size > most:
                raise InputError(f"{path}: more than {most:,} bytes.")
            data: bytes | None = handle.read()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file.") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: cannot be read ({why(error)}).") from None
    if data is None:  # a file of the system that would have to be waited for
        raise InputError(f"{path}: not a regular file.")
    return data


def read_text(path: Path, most: int = MOST_INPUT) -> str:
    """Read a text that a user names, a pipe too; what has no end is refused, as devices are.

    Example:
        >>> read_text(Path("/dev/zero"), 1000)
        Traceback (most recent call last):
        lengthwise.core.errors.InputError: /dev/zero: more than 1,000 bytes.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        os.set_blocking(descriptor, True)  # a pipe that nobody writes to is empty by now
        with open(descriptor, "rb") as handle:
            data = handle.read(most + 1)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({why(error)}).") from None
    if len(data) > most:
        raise InputError(f"{path}: more than {most:,} bytes.")
    try:
        return data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a text file in UTF-8.") from None


def why(error: Exception) -> str:
    """Say in a few words what went wrong with a file."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def read_json(path: Path) -> Any:
    """Read a JSON file; a missing or damaged one is named."""
    data = read_bytes(path, MOST_INPUT)
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not readable as JSON ({error}).") from None


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
    return InputError(f"{path}: cannot write ({why(error)}).")


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
