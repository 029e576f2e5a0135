"""Files as one array of bytes with boundaries, read once and split by file."""

import sysconfig
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError

_SKIPPED = {"site-packages", "test", "tests", "__pycache__", "idlelib", "lib2to3", "turtledemo"}


@dataclass(frozen=True, eq=False)
class Corpus:
    """Token ids of several documents in a row; document d is ``ids[start[d]:start[d + 1]]``."""

    ids: Int[np.ndarray, "n"]
    start: Int[np.ndarray, "d1"]

    @property
    def sizes(self) -> Int[np.ndarray, "d"]:
        """Number of tokens of each document."""
        return np.diff(self.start)

    def documents(self) -> list[Int[np.ndarray, "n"]]:
        """Return every document's ids."""
        return np.split(self.ids, self.start[1:-1])


def corpus_of(documents: list[Int[np.ndarray, "n"]]) -> Corpus:
    """Put documents in a row."""
    start = np.cumsum([0, *(len(document) for document in documents)])
    ids = np.concatenate(documents) if documents else np.zeros(0, dtype=np.int64)
    return Corpus(ids, start)


def standard_library() -> dict[str, Path]:
    """Map names of the running Python's standard library modules, without tests, to files."""
    root = Path(sysconfig.get_paths()["stdlib"])
    paths = (path.relative_to(root) for path in sorted(root.rglob("*.py")))
    return {path.as_posix(): root / path for path in paths if not _SKIPPED & set(path.parts)}


def is_test_file(name: str) -> bool:
    """Put about one file in ten aside for testing, by a checksum of its name.

    Example:
        >>> is_test_file("json/decoder.py"), is_test_file("ast.py")
        (False, False)
    """
    return zlib.crc32(name.encode()) % 10 == 0


def read_bytes(paths: tuple[Path, ...]) -> tuple[bytes, ...]:
    """Read UTF-8 files; an empty, missing or differently encoded one is refused by name."""
    return tuple(_read(path) for path in paths)


def _read(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"text file {str(path)!r}: {error.strerror or error}.") from error
    if not content:
        raise InputError(f"text file {str(path)!r} is empty.")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte {error.start} is {content[error.start]:#x}"
        raise InputError(f"text file {str(path)!r} is not UTF-8: {found}.") from error
    return content
