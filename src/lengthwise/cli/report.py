"""``lengthwise report`` and ``lengthwise plot``: pages to look at, figures for papers."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.report.document import Document
    from lengthwise.report.measured import Measured
    from lengthwise.report.predicted import Verdicts
    from lengthwise.report.run_sources import Source
    from lengthwise.runs.store import Store

Flag = Parameter(negative="")
Output = Annotated[Path, Parameter(name=["--output", "-o"])]


def report(
    *runs: str,
    output: Output = Path("report.html"),
    task: str | None = None,
    pe: str | None = None,
    title: str | None = None,
    best: Annotated[bool, Flag] = False,
    predict: Annotated[bool, Parameter(negative="--no-predict")] = True,
    time_limit: float = 5.0,
    store: Path | None = None,
) -> None:
    """Write one self-contained page: curves, predictions beside them, tables, every run.

    The file needs no network, works from disk and as an attachment.

    Example: lengthwise report --task parity -o parity.html

    Parameters
    ----------
    runs
        Runs by their ids or the beginnings of them, or one .json file written by `lengthwise
        reproduce` or `lengthwise scoreboard --output`; by default all finished runs of the store.
    output
        The .html file to write.
    task
        Only runs of this task.
    pe
        Only runs with this position encoding.
    title
        The page's title.
    best
        Draw only the best configuration of each task and encoding: one that learned its training
        lengths, then the most accurate on the next range.
    predict
        Put the theory's prediction beside each curve.
    time_limit
        Seconds for the prediction of each task; they are remembered in the store.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    from lengthwise.report.html import save
    from lengthwise.report.run_sources import find
    from lengthwise.runs.store import Store

    if output.suffix not in (".html", ".htm"):
        raise InputError(f"--output {str(output)!r}: use a name that ends in .html.")
    where = Store(store)
    source = find(runs, where, task=task, pe=pe)
    document = _document(source, where, title, best, time_limit if predict else None)
    save(document, output)
    sys.stderr.write(f"page: {output}\n")


def plot(
    *runs: str,
    output: Output = Path("figure.pdf"),
    task: str | None = None,
    pe: str | None = None,
    figure: str | None = None,
    width: Literal["column", "text"] = "text",
    columns: Count | None = None,
    font: Literal["sans", "serif"] = "sans",
    log: Annotated[bool, Flag] = False,
    best: Annotated[bool, Flag] = False,
    store: Path | None = None,
) -> None:
    """Draw a figure for a paper: PDF, SVG or PNG, small multiples, colour-blind-safe.

    Example: lengthwise plot --task parity --width column -o parity.pdf

    Parameters
    ----------
    runs
        Runs by their ids or the beginnings of them, or one .json file written by `lengthwise
        reproduce` or `lengthwise scoreboard --output`; by default all finished runs of the store.
    output
        The .pdf, .svg or .png file to write.
    task
        Only runs of this task.
    pe
        Only runs with this position encoding.
    figure
        A study's figure by its title, or `curves` for its runs.
    width
        As wide as a column (3.3 in) or the text (6.8 in) of a two-column page.
    columns
        Panels beside each other; by default 2 in a column and 3 in the text.
    font
        The typeface; its glyphs are inside the file.
    log
        Logarithmic lengths.
    best
        Draw only the best configuration of each task and encoding.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    from lengthwise.report.output import check_format, save_bytes
    from lengthwise.report.run_sources import find
    from lengthwise.report.static import Look, plots_bytes
    from lengthwise.report.static_panels import source_plots
    from lengthwise.runs.store import Store

    suffix = check_format(output)
    look = Look(width, columns, font, log)
    source = find(runs, Store(store), task=task, pe=pe)
    plots = source_plots(source, look, figure=figure, only_best=best)
    save_bytes(output, plots_bytes(plots, suffix, look))
    sys.stderr.write(f"figure: {output}\n")


def _document(
    source: "Source", store: "Store", title: str | None, best: bool, limit: float | None
) -> "Document":
    from dataclasses import replace

    from lengthwise.report.board_page import board_document
    from lengthwise.report.run_page import runs_document
    from lengthwise.report.run_sources import BOARD
    from lengthwise.report.study_page import study_document, study_runs

    if source.file is not None and source.file["format"] == BOARD:
        made = board_document(source.file, store)
    elif source.file is not None:
        made = study_document(source.file)  # damage shows before anything is predicted
        found = _predicted(study_runs(source.file), store, limit)
        made = study_document(source.file, found) if found else made
    else:
        found = _predicted(source.runs, store, limit)
        left = [("not finished", str(source.left_out))] if source.left_out else []
        made = runs_document(
            source.runs, "Exact match against length", found=found, only_best=best, facts=left
        )
    return made if title is None else replace(made, title=title)


def _predicted(runs: "Sequence[Measured]", store: "Store", limit: float | None) -> "Verdicts":
    from lengthwise.report.predicted import verdicts
    from lengthwise.report.run_page import wanted

    if limit is None:
        return {}
    cache = store.root / ".cache" if store.root.is_dir() else None
    return verdicts(wanted(runs), time_limit=limit, cache=cache, announce=_announce)


def _announce(task: str) -> None:
    sys.stderr.write(f"predicting {task}\n")
