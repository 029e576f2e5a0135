"""Scoreboards as plain rows, for the expected reach of a prediction."""

import json
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.runs import store_root
from lengthwise.studies.catalogue import data_folder

BOARD = "lengthwise-scoreboard"
"""The format of a scoreboard's file."""
FILE = "scoreboard.json"
KEPT = data_folder() / "scoreboard-laptop.json"
"""The scoreboard that comes with the library: 25 published problems at laptop size."""


def suite_rows(path: Path) -> list[dict[str, Any]]:
    """Read the cells of a saved scoreboard, for the expected reach."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"scoreboard {path}: {error.strerror}.") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise InputError(f"scoreboard {path}: not JSON.") from None
    if not isinstance(found, dict) or found.get("format") != BOARD:
        raise InputError(f"scoreboard {path}: not written by `lengthwise lab scoreboard`.")
    return list(found["cells"])


def known_suite(store: Path | None, scoreboard: Path | None = None) -> list[dict[str, Any]]:
    """Return the cells of a scoreboard: the one named, the store's, or the library's."""
    default = store_root(store) / FILE
    return suite_rows(scoreboard or (default if default.is_file() else KEPT))
