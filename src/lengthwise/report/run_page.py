"""Runs as a page: curves beside predictions, tables, every run."""

from collections.abc import Sequence
from pathlib import Path

from lengthwise.records.result import RunResult
from lengthwise.report.curve_parts import (
    accuracy_tables,
    encodings_of,
    overview,
    panels,
    runs_section,
)
from lengthwise.report.curves import Curve, best, pool_runs
from lengthwise.report.document import Document, Panels, Section
from lengthwise.report.html import save
from lengthwise.report.lead import lead
from lengthwise.report.measured import Measured, from_result
from lengthwise.report.predicted import Verdicts, verdicts


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
        subtitle=lead(drawn, found or {}),
        facts=[("runs", str(len(runs))), *facts],
        sections=[*curve_sections(shown, found or {}), listed],
        encodings=encodings_of(shown),
        runs=opened,
    )


def curve_sections(drawn: Sequence[Curve], found: Verdicts) -> list[Section]:
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
    results: Sequence[RunResult],
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
