"""Live progress of a sweep: a line per finished run, or a table that is drawn again and again."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.table import Table

from lengthwise.core.text import duration
from lengthwise.records.spec import RunSpec
from lengthwise.runs.job import Message
from lengthwise.runs.status import Status, status
from lengthwise.runs.store import Store

LOOK_SECONDS = 1.0


@contextmanager
def follow(
    specs: Sequence[RunSpec], store: Store, *, watch: bool = False, progress: bool | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the listeners for ``drive``: a line per finished run, or a live table.

    By default they are silent unless standard error is a terminal.
    """
    if not (sys.stderr.isatty() if progress is None else progress):
        yield {}
    elif watch and sys.stderr.isatty():
        from rich.live import Live

        with Live(console=Console(stderr=True), refresh_per_second=4) as live:
            looked = 0.0

            def refresh(spec: RunSpec, news: Any) -> None:
                nonlocal looked
                if time.monotonic() - looked > LOOK_SECONDS:
                    live.update(status_table(status(store, specs)))
                    looked = time.monotonic()

            yield {"on_progress": refresh, "on_end": refresh}
            live.update(status_table(status(store, specs)))
    else:
        yield {"on_end": _line_per_run(specs, store)}


def _line_per_run(specs: Sequence[RunSpec], store: Store) -> Callable[[RunSpec, Message], None]:
    done = sum(store.record(store.folder(spec)).state == "done" for spec in specs)
    ended, started = 0, time.monotonic()

    def line(spec: RunSpec, message: Message) -> None:
        nonlocal done, ended
        done, ended = done + (message.kind == "done"), ended + 1
        left = (time.monotonic() - started) / ended * (len(specs) - done)
        what = {"done": "done", "lost": f"{message.reason}; started again"}
        sys.stderr.write(
            f"{done}/{len(specs)} {spec.id} {spec.task} {spec.position} seed {spec.seed}: "
            f"{what.get(message.kind, f'failed: {message.reason}')} "
            f"(about {duration(left)} left)\n"
        )
        sys.stderr.flush()

    return line


def status_table(now: Status) -> Table:
    """Draw the state of a sweep."""
    left = "" if now.seconds_left is None else f", about {duration(now.seconds_left)} left"
    title = (
        f"{now.done} of {now.total} done, {len(now.running)} running, {now.waiting} waiting, "
        f"{len(now.failed)} failed{f', {len(now.damaged)} damaged' if now.damaged else ''}{left}"
    )
    table = Table("run", "task", "encoding", "seed", "state", title=title, title_justify="left")
    for spec, step in now.running:
        table.add_row(*_words(spec), f"evaluated at step {step} of {spec.training.steps}")
    for spec, reason in now.failed:
        table.add_row(*_words(spec), f"failed: {reason}")
    for spec, problem in now.damaged:
        table.add_row(*_words(spec), f"damaged: {problem}")
    return table


def _words(spec: RunSpec) -> tuple[str, str, str, str]:
    return spec.id, str(spec.task), str(spec.position), str(spec.seed)
