"""Files that a user names for results: the one way in which commands write them.

A link is followed and stays, its target is replaced in one step; a device or a pipe is written to
and never replaced; nothing half-written and no temporary is left behind. Files inside a store are
not written like this (``core.files``): there a link is somebody's mistake, and is replaced.
"""

import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from lengthwise.core.errors import InputError
from lengthwise.core.files import explain, json_bytes, remove, replace_file, temporary_name

MOST_LINKS = 40
"""As many as Linux follows before it calls them a loop."""


def save_bytes(path: Path, data: bytes) -> None:
    """Write a result to the file that the user named, with the folders above it."""
    with saved(path) as temporary:
        temporary.write_bytes(data)


def save_text(path: Path, text: str) -> None:
    """Write text as UTF-8 to the file that the user named."""
    save_bytes(path, text.encode())


def save_json(path: Path, value: Any) -> None:
    """Write plain data to the file that the user named."""
    save_bytes(path, json_bytes(value))


@contextmanager
def saved(path: Path) -> Iterator[Path]:
    """Yield the name of a file to write; when the block ends well, it becomes the result.

    Example:
        >>> folder = Path(tempfile.mkdtemp())
        >>> (folder / "link").symlink_to("page.html")
        >>> save_text(folder / "link", "new")
        >>> (folder / "page.html").read_text(), (folder / "link").is_symlink()
        ('new', True)
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = _target(path)
        if isinstance(target, Path):
            with _beside(target) as temporary:
                yield temporary
            return
        with tempfile.TemporaryDirectory() as folder, target:
            temporary = Path(folder, "output")
            yield temporary
            with temporary.open("rb") as made:
                shutil.copyfileobj(made, target)
    except OSError as error:
        raise explain(path, error) from error


def check_output(
    option: str, path: Path, suffixes: tuple[str, ...] = (), *, folder: bool = False
) -> None:
    """Refuse a file, or folder, that could not be written, before anything is computed.

    Example:
        >>> check_output("--csv", Path("/"), (".csv",))
        Traceback (most recent call last):
        lengthwise.core.errors.InputError: --csv /: this is a directory.
    """
    try:
        if folder and path.exists() and not path.is_dir():
            raise InputError(f"{option} {path}: this is a file; name a folder.")
        if path.is_dir() and not folder:
            raise InputError(f"{option} {path}: this is a directory.")
        if suffixes and path.suffix.lower() not in suffixes and not is_special(path):
            *first, last = suffixes
            allowed = f"{', '.join(first)} or {last}" if first else last
            raise InputError(f"{option} {path}: use a name that ends in {allowed}.")
        above = next(parent for parent in path.absolute().parents if parent.exists())
        if not above.is_dir():
            raise InputError(f"{option} {path}: cannot write ({above.name} is not a directory).")
        if path.is_symlink():
            _follow(path)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{option} {path}: cannot write ({why}).") from None


def is_special(path: Path) -> bool:
    """Whether a path is there and neither a file nor a folder, as ``/dev/stdout``."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return _open_here(path) is not None or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _target(path: Path) -> Path | IO[bytes]:
    """Return the file that a path leads to, or what is open to be written to."""
    end = _follow(path)
    if (descriptor := _open_here(end)) is not None:
        sys.stdout.flush()
        return os.fdopen(os.dup(descriptor), "wb")
    try:
        mode = end.stat().st_mode
    except FileNotFoundError:
        return end
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "this is a directory")
    if stat.S_ISREG(mode):
        return end
    if stat.S_ISBLK(mode):
        raise OSError(errno.ENOTSUP, "this is a disk")
    try:
        descriptor = os.open(end, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO and stat.S_ISFIFO(mode):
            raise OSError(errno.ENXIO, "nobody reads this pipe") from None
        raise
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "wb")


def _follow(path: Path) -> Path:
    """Return where links lead; what this process has open (``/dev/stdout``) is an end."""
    for _ in range(MOST_LINKS):
        if not path.is_symlink() or _open_here(path) is not None:
            return path
        path = path.parent / os.readlink(path)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _open_here(path: Path) -> int | None:
    """Return the descriptor that a path such as ``/dev/stdout`` or ``/dev/fd/3`` stands for.

    Opening it anew would write from the beginning of a file to which standard output goes.
    """
    for _ in range(MOST_LINKS):
        folder = os.path.realpath(path.parent)
        if folder == f"/proc/{os.getpid()}/fd" and path.name.isdecimal():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / os.readlink(path)
    return None


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    temporary = temporary_name(path)
    try:
        yield temporary
        if path.exists():
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        replace_file(temporary, path)
    finally:
        remove(temporary)
