"""One small file binds a finished run together: the digest of each of its files, written last.

While it is missing the run is not done. A file that does not have its digest is damaged, be it by
a disk, an editor or a copy that was cut short.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_sealed, write_sealed

MANIFEST = "manifest.json"
SPEC, EVENTS, RESULT, WEIGHTS = "spec.json", "events.jsonl", "result.json", "model.safetensors"
BOUND = (SPEC, EVENTS, RESULT, WEIGHTS)


class DamagedError(InputError):
    """A file of a run is not what was written; the message begins with its name."""


@dataclass(frozen=True)
class Digest:
    """What identifies the content of a file.

    Example:
        >>> Digest.of(b"").size
        0
    """

    size: int
    sha256: str

    @classmethod
    def of(cls, content: bytes) -> Self:
        """Return the digest of some content."""
        return cls(len(content), sha256(content).hexdigest())


@dataclass(frozen=True)
class Manifest:
    """The files of one run."""

    run: str
    files: Mapping[str, Digest]

    def check(self, name: str, content: bytes) -> None:
        """Refuse content that is not what was written under this name."""
        if Digest.of(content) != self.files[name]:
            raise DamagedError(f"{name}: not what was written (sha256)")

    def write(self, folder: Path) -> None:
        """Write the manifest in one step."""
        files = {name: asdict(digest) for name, digest in self.files.items()}
        write_sealed(folder / MANIFEST, {"run": self.run, "files": files})


def read_manifest(folder: Path) -> Manifest:
    """Read a run's manifest; one that was edited or belongs to another run is damage."""
    path = folder / MANIFEST
    try:
        found = _read(read_sealed(path))
    except InputError as error:
        what = str(error).removeprefix(f"{path}: ").rstrip(".")
        raise DamagedError(f"{MANIFEST}: {what}") from None
    if found.run != folder.name:
        raise DamagedError(f"{MANIFEST}: it belongs to run {found.run}")
    return found


def _read(value: Any) -> Manifest:
    try:
        run, files = value["run"], {name: Digest(**value["files"][name]) for name in BOUND}
    except (KeyError, TypeError) as error:
        raise InputError(f"of another form ({error!r})") from None
    plain = [(run, str), *((d.size, int) for d in files.values())]
    if not all(type(field) is kind for field, kind in plain):
        raise InputError("of another form (a field has another type)")
    return Manifest(run, files)
