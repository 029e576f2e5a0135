"""Runs as a page: curves beside predictions, tables, every run."""

from collections.abc import Sequence
from pathlib import Path

from lengthwise.records.result import RunResult
from lengthwise.report.curve_parts import (
    WORTH,
    accuracy_tables,
    encodings_of,
    overview,
    panels,
    runs_section,
)
from lengthwise.report.curves import Curve, best, pool_runs
from lengthwise.report.document import Document, Panels, Section
from lengthwise.report.guessing import with_chance
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
    drawn = with_chance(pool_runs(runs))
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
    """Return the sections that show curves: the matrix, the curves, and folded the numbers."""
    title = "Predicted and measured" if found else "At a glance"
    return [
        Section(title, [overview(drawn, found)]),
        Section("Accuracy against length", [Panels(panels(drawn, found))], note(drawn)),
        Section("Accuracy by range of lengths", accuracy_tables(drawn), folded=True),
    ]


def note(drawn: Sequence[Curve]) -> str:
    """Say what lines, bands and shades of the panels are."""
    thin = " Thin lines: single seeds." if any(len(curve.by_seed) > 1 for curve in drawn) else ""
    guessed = any(one.accuracy >= WORTH for curve in drawn for one in curve.chance)
    dotted = (
        " Dotted: chance, where every input gets the answer that is commonest in training."
        if guessed
        else ""
    )
    return (
        "Exact match against length. Shaded: lengths seen in training. Bands: 95% intervals."
        f"{thin}{dotted}"
    )


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
