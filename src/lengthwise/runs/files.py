"""Files that are either whole or absent: written beside their place, then moved there."""

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lengthwise.errors import InputError


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a file in one step; on a full disk the old content stays."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise _explain(path, error) from error


def write_json(path: Path, value: Any) -> None:
    """Replace a JSON file in one step."""
    write_bytes(path, (json.dumps(value, indent=1) + "\n").encode())


def append_line(path: Path, value: Any) -> None:
    """Append one JSON value as a line."""
    try:
        with path.open("a") as handle:
            handle.write(json.dumps(value) + "\n")
    except OSError as error:
        raise _explain(path, error) from error


def read_json(path: Path) -> Any:
    """Read a JSON file; a missing or damaged one is named."""
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file.") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not readable as JSON ({error}).") from None


def read_lines(path: Path) -> Iterator[Any]:
    """Read JSON lines; a last line that was cut short is left out."""
    if not path.exists():
        return
    with path.open() as handle:
        for line in handle:
            try:
                yield json.loads(line)
            except ValueError:
                return


def _explain(path: Path, error: OSError) -> InputError:
    if error.errno == errno.ENOSPC:
        return InputError(
            f"{path}: the disk is full. What was written before is intact; "
            "free some space and give the same command again to continue."
        )
    return InputError(f"{path}: cannot write ({error.strerror}).")
