"""Scoreboards as plain rows, for the expected reach of a prediction."""

import json
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_text
from lengthwise.records.outcomes import BOARD
from lengthwise.runs import store_root
from lengthwise.studies.catalogue import data_folder

FILE = "scoreboard.json"
SUITES = {"huang2024": "edition-1/scoreboard-laptop.json", "blind": None}
"""Studies whose results hold a scoreboard of predictions, and what stands for them until they are
run: of the 25 published problems edition 1, one seed for most."""


def suite_rows(path: Path) -> list[dict[str, Any]]:
    """Read the cells of a saved scoreboard, or of a study that has one, for the expected reach."""
    try:
        found = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError):
        raise InputError(f"scoreboard {path}: not JSON.") from None
    if isinstance(found, dict) and isinstance(found.get("board"), dict):
        found = found["board"]
    if not isinstance(found, dict) or found.get("format") != BOARD:
        raise InputError(f"scoreboard {path}: not written by `lengthwise lab scoreboard`.")
    if found.get("version") != 2:
        raise InputError(f"scoreboard {path}: written by an earlier version; make it again.")
    return list(found["cells"])


def kept_boards() -> list[Path]:
    """Return the files that come with the library and hold measured predictions."""
    found: list[Path] = []
    for name, earlier in SUITES.items():
        path = data_folder() / f"{name}-laptop.json"
        if path.is_file():
            found.append(path)
        elif earlier is not None:
            found.append(data_folder() / earlier)
    return found


def known_suite(store: Path | None, scoreboard: Path | None = None) -> list[dict[str, Any]]:
    """Return the cells of a scoreboard: the one named, the store's, or the library's."""
    default = store_root(store) / FILE
    if scoreboard is not None or default.is_file():
        return suite_rows(scoreboard or default)
    return [row for path in kept_boards() for row in suite_rows(path)]
