"""Which files a user's code reads: what it depends on has to be part of a run's identity."""

import ast
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_watched: dict[int, set[str]] = {}
_hooked: list[bool] = []


@contextmanager
def opened() -> Iterator[set[str]]:
    """Collect the data files that this thread opens to read; Python's own are left out.

    Example:
        >>> with opened() as files:
        ...     text = Path(__file__).with_name("py.typed").exists()
        >>> sorted(files)
        []
    """
    if not _hooked:  # hooks stay for good: one serves all
        sys.addaudithook(_listen)
        _hooked.append(True)
    thread, found = threading.get_ident(), set[str]()
    before = _watched.get(thread)
    _watched[thread] = found
    try:
        yield found
    finally:
        _watched.pop(thread)
        if before is not None:
            _watched[thread] = before
            before |= found


def _listen(event: str, details: tuple[Any, ...]) -> None:
    if event != "open" or not _watched:
        return
    found = _watched.get(threading.get_ident())
    path, _, flags = details
    if found is None or not isinstance(path, str | bytes | os.PathLike):
        return
    if (flags or 0) & (os.O_WRONLY | os.O_RDWR | getattr(os, "O_DIRECTORY", 0)):
        return
    name = os.path.realpath(os.fsdecode(path))
    made = f"{os.sep}__pycache__{os.sep}" in name or name.endswith((".py", ".so"))
    if not made and not name.startswith(_OWN):
        found.add(name)


_OWN = tuple(
    os.path.join(os.path.realpath(place), "")
    for place in (sys.prefix, sys.base_prefix, Path(__file__).parents[1], "/proc", "/sys", "/dev")
)


def imported_files(path: Path, known: dict[str, bytes] | None = None) -> dict[str, bytes]:
    """Return the files beside a Python file that it imports, and those that they import.

    Nothing is executed. Example: ``import helpers`` in ``tasks/mine.py`` is ``tasks/helpers.py``.
    """
    known = {} if known is None else known
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return known
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            place = path.parent.joinpath(*name.split("."))
            for file in (place.with_suffix(".py"), place / "__init__.py"):
                if str(file) not in known and file.is_file():
                    known[str(file)] = file.read_bytes()
                    imported_files(file, known)
    return known
