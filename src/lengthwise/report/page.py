"""A self-contained HTML page: no network, from disk or out of an e-mail."""

from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from lengthwise._version import __version__
from lengthwise.core.files import explain, write_bytes
from lengthwise.report.bundle import vega_bundle
from lengthwise.report.charts import curve_template, styles
from lengthwise.report.curves import best, pool_runs
from lengthwise.report.document import Chart, Document, Panel, Panels, Section
from lengthwise.report.measured import Measured, from_result
from lengthwise.report.panels import (
    accuracy_tables,
    encodings_of,
    overview,
    panels,
    runs_section,
)
from lengthwise.report.predicted import Verdicts, verdicts

if TYPE_CHECKING:
    from lengthwise.records.result import RunResult


def runs_document(
    runs: Sequence[Measured],
    title: str,
    *,
    found: Verdicts | None = None,
    only_best: bool = False,
    facts: Sequence[tuple[str, str]] = (),
) -> Document:
    """Lay out runs: overview, curves beside predictions, tables, every run."""
    drawn = pool_runs(runs)
    shown = best(drawn) if only_best else drawn
    listed, opened = runs_section(runs)
    return Document(
        title=title,
        facts=[("runs", str(len(runs))), *facts],
        sections=[*curve_sections(shown, found or {}), listed],
        encodings=encodings_of(shown),
        runs=opened,
    )


def curve_sections(drawn: Sequence[Any], found: Verdicts) -> list[Section]:
    """Return the sections that show curves: at a glance, against length, as numbers."""
    glance = overview(drawn, found)
    predicted = (
        " Below each: what the theory predicts for the encoding, and what was measured on the "
        "longest lengths."
    )
    note = (
        "Exact match against length. Shaded: lengths seen in training. Bands: 95% Wilson intervals "
        f"over test instances, seeds pooled.{predicted if found else ''}"
    )
    return [
        *([Section("At a glance", [glance])] if glance else []),
        Section("Accuracy against length", [Panels(panels(drawn, found))], note),
        Section("Accuracy by range of lengths", accuracy_tables(drawn)),
    ]


def save_page(
    results: "Sequence[RunResult]",
    path: Path,
    title: str,
    *,
    found: Verdicts | None = None,
    cache: Path | None = None,
) -> None:
    """Write one file with figures, tables and every run's specification and command.

    Predictions are made unless they are given, and remembered in the folder ``cache``.
    """
    runs = [from_result(result) for result in results]
    if found is None:
        found = verdicts(wanted(runs), cache=cache)
    save(runs_document(runs, title, found=found), path)


def wanted(runs: Sequence[Measured]) -> dict[str, list[str]]:
    """Return the encodings of each task, for prediction."""
    encodings: dict[str, list[str]] = {}
    for run in runs:
        encodings.setdefault(run.task, []).append(run.encoding)
    return encodings


def save(document: Document, path: Path) -> None:
    """Write a page, whole or not at all."""
    data = render(document).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explain(path, error) from error
    write_bytes(path, data)


def render(document: Document) -> str:
    """Return a page as HTML; everything a user named is escaped.

    Example:
        >>> page = render(Document("a <b> title"))
        >>> "a &lt;b&gt; title" in page, "<b>" in page
        (True, False)
    """
    charts: list[Chart] = []
    drawn: list[Panel] = []
    for part in (part for section in document.sections for part in section.parts):
        if isinstance(part, Chart):
            charts.append(part)
        elif isinstance(part, Panels):
            drawn.extend(part.panels)
    data = {
        "styles": styles(document.encodings),
        "curve": curve_template(document.encodings) if drawn else None,
        "panels": [_panel_data(panel) for panel in drawn],
        "charts": [{"title": chart.title, "spec": chart.spec} for chart in charts],
        "runs": list(document.runs),
    }
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=document,
            data=data,
            panel_number=_numbering(drawn),
            chart_number=_numbering(charts),
            vega=Markup(vega_bundle()) if drawn or charts else "",
            version=__version__,
        )
    )


def _numbering(things: Sequence[Any]) -> Callable[[Any], int]:
    numbers = {id(thing): number for number, thing in enumerate(things)}
    return lambda thing: numbers[id(thing)]


def _panel_data(panel: Panel) -> dict[str, Any]:
    return {
        "title": f"{panel.title} ({panel.note})",
        "trained": panel.trained,
        "series": list(panel.series),
    }


def _environment() -> Environment:
    made = Environment(loader=PackageLoader("lengthwise.report"), autoescape=True)
    made.trim_blocks = made.lstrip_blocks = True
    made.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    made.globals["asset"] = _asset
    return made


def _asset(name: str) -> Markup:
    """Return a script or style sheet of ours, to be written into the page as it is."""
    return Markup((files("lengthwise.report") / "templates" / name).read_text(encoding="utf-8"))
