"""``lengthwise runs watch``: a live table of a sweep in a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lengthwise.cli.console import Json, console, print_json

if TYPE_CHECKING:
    from lengthwise.records.spec import RunSpec
    from lengthwise.runs.status import Status
    from lengthwise.runs.store import Store


def watch(
    sweep: str | None = None,
    *,
    once: Annotated[bool, Parameter(negative="")] = False,
    seconds: float = 2.0,
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Watch a sweep from any terminal: done, running, failed and why, time left.

    Example: lengthwise runs watch encodings

    Parameters
    ----------
    sweep
        How the sweep's name begins; by default the newest one of the store.
    once
        Look once and stop.
    seconds
        Time between looks.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Look once and print plain data.
    """
    from lengthwise.runs.status import status, sweep_of
    from lengthwise.runs.store import Store

    where = Store(store)
    name, specs = sweep_of(where, sweep)
    if as_json:
        print_json({"sweep": name, **_status_json(status(where, specs))})
        return
    _watch_sweep(name, specs, where, once=once, seconds=seconds)


def _watch_sweep(
    name: str, specs: Sequence["RunSpec"], store: "Store", *, once: bool, seconds: float
) -> None:
    """Show where a sweep stands until it is over; Ctrl-C ends the watching, not the sweep."""
    from lengthwise.api.live import status_table
    from lengthwise.runs.status import status

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


def _lines(specs: Sequence["RunSpec"], store: "Store", now: "Status", seconds: float) -> None:
    from lengthwise.api.live import status_table
    from lengthwise.runs.status import status

    before = None
    while True:
        if _status_json(now) != before:
            before = _status_json(now)
            console().print(status_table(now).title, highlight=False)
        if now.over:
            return
        time.sleep(seconds)
        now = status(store, specs)


def _status_json(now: "Status") -> dict[str, Any]:
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
