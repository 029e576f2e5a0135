"""The live view of a sweep: a table in a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Sequence
from typing import Any

from lengthwise.cli.console import console
from lengthwise.cli.sweeps import status_table
from lengthwise.records.spec import RunSpec
from lengthwise.runs.status import Status, status
from lengthwise.runs.store import Store


def watch_sweep(
    name: str, specs: Sequence[RunSpec], store: Store, *, once: bool, seconds: float
) -> None:
    """Show where a sweep stands until it is over; Ctrl-C ends the watching, not the sweep."""
    sys.stderr.write(f"sweep {name} in {str(store.root)!r}\n")
    now = status(store, specs)
    if once or now.over:
        table = status_table(now)
        console().print(table if table.row_count else table.title, highlight=False)
    elif sys.stdout.isatty():
        from rich.live import Live

        with Live(status_table(now), refresh_per_second=4) as live:
            while not now.over:
                time.sleep(seconds)
                now = status(store, specs)
                live.update(status_table(now))
    else:
        _lines(specs, store, now, seconds)


def _lines(specs: Sequence[RunSpec], store: Store, now: Status, seconds: float) -> None:
    before = None
    while True:
        if status_json(now) != before:
            before = status_json(now)
            console().print(status_table(now).title, highlight=False)
        if now.over:
            return
        time.sleep(seconds)
        now = status(store, specs)


def status_json(now: Status) -> dict[str, Any]:
    """Return the state of a sweep as plain data."""
    return {
        "total": now.total,
        "done": now.done,
        "waiting": now.waiting,
        "running": [{"id": spec.id, "step": step} for spec, step in now.running],
        "failed": [{"id": spec.id, "reason": reason} for spec, reason in now.failed],
        "damaged": [{"id": spec.id, "problem": problem} for spec, problem in now.damaged],
        "seconds_left": now.seconds_left,
    }
