"""Live progress of runs: bars in a terminal and in a notebook, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from lengthwise.records.progress import Progress as Report
from lengthwise.records.spec import RunSpec
from lengthwise.runs.distributed import leader
from lengthwise.runs.driver import OnProgress


def _name(spec: RunSpec) -> str:
    return f"{spec.task} {spec.position} seed {spec.seed}"


def _percent(report: Report) -> str:
    return " / ".join(f"{100 * value:.1f}%" for value in report.accuracy) or "-"


@dataclass(frozen=True)
class Listener:
    """Hears of the progress of runs and draws it, unless it is not ``shown``."""

    shown: bool
    draw: OnProgress = lambda spec, report: None

    def __call__(self, spec: RunSpec, report: Report) -> None:
        """Draw what a run reports."""
        self.draw(spec, report)


@contextmanager
def listening(progress: bool | None = None) -> Iterator[Listener]:
    """Yield the listener that draws progress on standard error.

    By default it draws in a terminal or a notebook; under ``torchrun`` one process speaks for all.
    """
    shown = sys.stderr.isatty() or in_notebook() if progress is None else progress
    if not shown or not leader():
        yield Listener(False)
    elif in_notebook():
        yield Listener(True, _notebook_bars())
    elif sys.stderr.isatty():
        with _bars() as bars:
            rows: dict[str, TaskID] = {}
            yield Listener(True, lambda spec, report: _update(bars, rows, spec, report))
    else:
        seen: dict[str, int] = {}
        yield Listener(True, lambda spec, report: _line(seen, spec, report))


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook."""
    return "ipykernel" in sys.modules


def _notebook_bars() -> OnProgress:
    """Return what draws bars below a notebook's cell, at most five times a second."""
    from html import escape

    notebook = import_module("IPython.display")  # there is one in every notebook
    html, display = notebook.HTML, notebook.display
    latest: dict[str, tuple[RunSpec, Report]] = {}
    shown = display(html(""), display_id=True)
    drawn = [0.0]

    def bar(spec: RunSpec, report: Report) -> str:
        share = f'<progress max="{report.steps}" value="{report.step}"></progress>'
        said = f"{report.step}/{report.steps}, exact match {_percent(report)}"
        return f"<tr><td>{escape(_name(spec))}</td><td>{share}</td><td>{said}</td></tr>"

    def draw(spec: RunSpec, report: Report) -> None:
        latest[spec.id] = spec, report
        ended = report.step >= report.steps
        if time.monotonic() - drawn[0] > 0.2 or ended:
            drawn[0] = time.monotonic()
            shown.update(html(f"<table>{''.join(bar(*one) for one in latest.values())}</table>"))

    return draw


def _bars() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TextColumn("loss {task.fields[loss]:.4f}"),
        TextColumn("exact match {task.fields[accuracy]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def _update(bars: Progress, rows: dict[str, TaskID], spec: RunSpec, report: Report) -> None:
    fields = {"loss": report.loss, "accuracy": _percent(report)}
    if spec.id not in rows:
        rows[spec.id] = bars.add_task(_name(spec), total=report.steps, **fields)
    bars.update(rows[spec.id], completed=report.step, **fields)


def _line(seen: dict[str, int], spec: RunSpec, report: Report) -> None:
    """Print a line whenever a run has been evaluated."""
    if report.evaluated == seen.get(spec.id, 0):
        return
    seen[spec.id] = report.evaluated
    left = report.seconds / max(1, report.step) * (report.steps - report.step)
    sys.stderr.write(
        f"{_name(spec)}: step {report.step}/{report.steps}, loss {report.loss:.4f}, "
        f"exact match {_percent(report)}, at most {left:.0f} s left\n"
    )
    sys.stderr.flush()
