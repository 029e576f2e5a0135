"""Survivors that are known to change nothing that matters, each with the reason."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from lengthwise.bench.mutation.mutant import Mutant
from lengthwise.core.errors import InputError

FILE = Path("tests") / "mutants.toml"
FIELDS = {"where", "line", "change", "why"}

Names = dict[tuple[str, str, str, str], str]
"""A mutant's name -> the reason why it may survive."""


def read_accepted(path: Path) -> Names:
    """Read the list: per file entries of function, text of the line, change or changes, reason.

    An entry holds only while its line reads as it did; ``stale`` names those that do not.
    """
    if not path.is_file():
        return {}
    found: Names = {}
    for file, entries in tomllib.loads(path.read_text(encoding="utf-8")).items():
        for entry in entries:
            if entry.keys() != FIELDS or not entry["why"].strip():
                raise InputError(f"{path}: an entry of {file} needs {', '.join(sorted(FIELDS))}.")
            changes = entry["change"]
            for change in [changes] if isinstance(changes, str) else changes:
                name = (file, entry["where"], entry["line"], change)
                if name in found:
                    raise InputError(f"{path}: {file}: {change!r} is listed twice.")
                found[name] = entry["why"]
    return found


def stale(accepted: Names, mutants: Iterable[Mutant]) -> list[str]:
    """Return what is listed and can no longer be made."""
    made = {mutant.name for mutant in mutants}
    return [f"{name[0]}: {name[1]}: {name[3]}" for name in accepted if name not in made]
