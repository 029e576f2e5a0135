"""What was measured before, as plain rows for a prediction: runs of the store, a scoreboard."""

import json
from pathlib import Path
from typing import Any

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.runs.store import Store
from lengthwise.studies.catalogue import data_folder
from lengthwise.subjects import name_subject
from lengthwise.tasks import TASKS

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


def known_measurements(
    store: Path | None, subject: str | None, scoreboard: Path | None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the runs of a subject and the rows of a measured suite, where there are any."""
    where = Store(store)
    named = None if subject is None else name_subject(subject)
    measured = measured_rows(where, named.text) if named and named.kind == "task" else []
    default = where.root / FILE
    path = scoreboard or (default if default.is_file() else KEPT)
    return measured, suite_rows(path)


def measured_rows(store: Store, task: str) -> list[dict[str, Any]]:
    """Return the finished runs of one task as plain rows for a prediction."""
    rows: list[dict[str, Any]] = []
    wanted = Component.parse(task, TASKS)
    for record in store.records():
        if record.spec is None or record.result is None or record.spec.task != wanted:
            continue
        bins = [(bin_.low, bin_.high, bin_.accuracy) for bin_ in record.bins]
        rows.append(
            {
                "task": task,
                "encoding": str(record.spec.position),
                "run": record.id,
                "trained": record.spec.training.length[1],
                "bins": bins,
            }
        )
    return rows
