"""``report`` and ``plot``: pages to look at, figures for papers."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.api.shown import PICTURES, Rows, Shown, writes
from lengthwise.api.verb import several, verb
from lengthwise.core.bounds import Count, Seconds
from lengthwise.core.text import printable

if TYPE_CHECKING:
    from lengthwise.report.document import Document
    from lengthwise.report.measured import Measured
    from lengthwise.report.predicted import Verdicts
    from lengthwise.report.run_sources import Source
    from lengthwise.report.static import Look, Plot
    from lengthwise.runs.store import Store


@dataclass(frozen=True)
class Page(Shown):
    """One self-contained page; it needs no network, works from disk and as an attachment."""

    document: "Document"
    source: "Source"

    def parts(self) -> Iterator[str | Rows]:
        """Yield nothing: the page is the output."""
        yield from ()

    def laid_out(self) -> "Document":
        """Return what the page shows before anything is unfolded."""
        from lengthwise.report.document import unfolded

        return unfolded(self.document)

    def to_json(self) -> dict[str, Any]:
        """Return what the page is about."""
        return {
            "title": self.document.title,
            "facts": dict(self.document.facts),
            "sections": [section.title for section in self.document.sections],
            "runs": [run.id for run in self.source.runs],
        }

    @property
    def damaged(self) -> Mapping[str, str]:
        """The runs that should be there and cannot be shown."""
        return self.source.damaged

    @writes(".html", ".htm", option="output", aliases=("-o",), usual="report.html")
    def save(self, path: Path) -> None:
        """The .html file to write."""
        from lengthwise.report.html import save

        save(self.document, path)


@verb()
def report(
    *run: str,
    task: str | None = None,
    encoding: Sequence[str] = (),
    title: str | None = None,
    best: bool = False,
    predict: bool = True,
    time_limit: Seconds = 5.0,
    store: Path | None = None,
) -> Page:
    """Write one self-contained page: curves, predictions beside them, tables, every run.

    The file needs no network, works from disk and as an attachment.

    Example: lengthwise report --task parity -o parity.html

    Args:
        run: Runs by their ids or the beginnings of them, or one .json file written by `lengthwise
            reproduce` or `lengthwise lab scoreboard`; by default all finished runs of the store.
        task: Only runs of this task.
        encoding: Only runs with this position encoding; give several to choose several.
        title: The page's title.
        best: Draw only the best configuration of each task and encoding: one that learned its
            training lengths, then the most accurate on the next range.
        predict: Put the theory's prediction beside each curve.
        time_limit: Seconds for the prediction of each task; they are remembered in the store.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    from lengthwise.report.run_sources import find
    from lengthwise.runs.store import Store

    where = Store(store)
    source = find(run, where, task=task, encodings=several(encoding))
    limit = time_limit if predict else None
    return Page(_document(source, where, title, best, limit), source)


@dataclass(frozen=True)
class PaperFigure(Shown):
    """Small multiples for a paper."""

    plots: Sequence["Plot"]
    look: "Look"
    source: "Source"

    def parts(self) -> Iterator[str | Rows]:
        """Yield nothing: the figure is the output."""
        yield from ()

    def _repr_svg_(self) -> str:
        return self.save().svg

    def _repr_html_(self) -> None:
        return None  # the picture is all there is

    def to_json(self) -> dict[str, Any]:
        """Return what the figure is about."""
        rows, columns = self.look.grid(len(self.plots))
        return {
            "panels": len(self.plots),
            "rows": rows,
            "columns": columns,
            "runs": [run.id for run in self.source.runs],
        }

    @property
    def damaged(self) -> Mapping[str, str]:
        """The runs that should be there and cannot be shown."""
        return self.source.damaged

    @writes(*PICTURES, option="output", aliases=("-o",), usual="figure.pdf")
    def save(self, path: Path) -> None:
        """The .pdf, .svg or .png file to write."""
        from lengthwise.core.outputs import save_bytes
        from lengthwise.report.output import check_format
        from lengthwise.report.static import plots_bytes

        save_bytes(path, plots_bytes(self.plots, check_format(path), self.look))


@verb()
def plot(
    *run: str,
    task: str | None = None,
    encoding: Sequence[str] = (),
    figure: str | None = None,
    width: Literal["column", "text"] = "text",
    columns: Count | None = None,
    font: Literal["sans", "serif"] = "sans",
    log: bool = False,
    best: bool = False,
    store: Path | None = None,
) -> PaperFigure:
    """Draw a figure for a paper: PDF, SVG or PNG, small multiples, colour-blind-safe.

    Example: lengthwise plot --task parity --width column -o parity.pdf

    Args:
        run: Runs by their ids or the beginnings of them, or one .json file written by `lengthwise
            reproduce` or `lengthwise lab scoreboard`; by default all finished runs of the store.
        task: Only runs of this task.
        encoding: Only runs with this position encoding; give several to choose several.
        figure: A study's figure by its title, or `curves` for its runs.
        width: As wide as a column (3.3 in) or the text (6.8 in) of a two-column page.
        columns: Panels beside each other; by default 2 in a column and 3 in the text.
        font: The typeface; its glyphs are inside the file.
        log: Logarithmic lengths.
        best: Draw only the best configuration of each task and encoding.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    from lengthwise.report.run_sources import find
    from lengthwise.report.static import Look
    from lengthwise.report.static_panels import source_plots
    from lengthwise.runs.store import Store

    look = Look(width, columns, font, log)
    source = find(run, Store(store), task=task, encodings=several(encoding))
    return PaperFigure(source_plots(source, look, figure=figure, only_best=best), look, source)


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
        left += [("damaged, not shown", ", ".join(source.damaged))] if source.damaged else []
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
    sys.stderr.write(f"predicting {printable(task)}\n")
