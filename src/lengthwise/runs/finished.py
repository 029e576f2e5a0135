"""The finished runs of one task as plain rows, for a prediction."""

from typing import Any

from lengthwise.core.components import Component
from lengthwise.runs.store import Store
from lengthwise.tasks import TASKS


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
