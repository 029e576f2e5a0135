"""``verify``: certificates, checked independently of the search that found them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.api.shown import Rows, Shown
from lengthwise.api.verb import verb

COLUMNS = ("automaton", "proved", "basis", "claimed", "regex", "program", "steps")


@dataclass(frozen=True)
class Verified(Shown):
    """What the certificates of a file prove; all of them were accepted."""

    path: Path
    rows: Sequence[dict[str, Any]]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per certificate, without columns that say nothing."""
        used = [name for name in COLUMNS if any(row[name] != "none" for row in self.rows)]
        shown = [{name: row[name] for name in used} for row in self.rows]
        yield Rows(shown, f"{self.path}: {len(self.rows)} certificates accepted")

    def to_json(self) -> list[dict[str, Any]]:
        """Return what was checked, one row per certificate."""
        return list(self.rows)


@verb()
def verify(path: Path | str) -> Verified:
    """Check certificates of `decide` and `crasp compare`, independently of the search.

    Example: lengthwise verify out.json

    Args:
        path: The certificate file.
    """
    from lengthwise.theory.decide.certificate_files import verify_file

    return Verified(Path(path), verify_file(Path(path)))
