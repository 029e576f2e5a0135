"""A study's file as a page: claims beside evidence, figures, tables, curves, runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.core.text import duration
from lengthwise.records.outcomes import TONES, headline
from lengthwise.report.curve_parts import dense, encodings_of, runs_section
from lengthwise.report.curves import pool_runs
from lengthwise.report.document import Chart, Document, Prose, Section, Table, TableCell, words
from lengthwise.report.html import render, save
from lengthwise.report.measured import Measured, from_cell
from lengthwise.report.predicted import Verdicts
from lengthwise.report.run_page import curve_sections
from lengthwise.report.study_figures import chart


def study_page(data: Mapping[str, Any], found: Verdicts | None = None) -> str:
    """Return the page of a study's plain data; keys that are missing are left out.

    Example:
        >>> page = study_page({"study": "chen2025", "claims": [{"id": "a", "status": "held"}]})
        >>> "1 of 1 held" in page
        True
    """
    return render(study_document(data, found))


def save_study_page(data: Mapping[str, Any], path: Path, found: Verdicts | None = None) -> None:
    """Write the page of a study's plain data, whole or not at all."""
    save(study_document(data, found), path)


def study_document(data: Mapping[str, Any], found: Verdicts | None = None) -> Document:
    """Lay out a study."""
    runs = study_runs(data)
    drawn = pool_runs(runs)
    sections = [_claims(data.get("claims") or [])] if data.get("claims") else []
    sections += _figures(data.get("figures") or []) + _tables(data.get("tables") or [])
    opened: list[dict[str, Any]] = []
    if runs:
        listed, opened = runs_section(runs)
        sections += [*curve_sections(drawn, found or {}), listed]
    if data.get("command"):
        sections.append(Section("How it was made", [Prose(str(data["command"]), code=True)]))
    return Document(
        title=str(data.get("title") or data.get("study") or "Study"),
        subtitle=str(data.get("note") or ""),
        facts=_facts(data, len(runs)),
        sections=sections,
        encodings=encodings_of(drawn),
        runs=opened,
    )


def study_runs(data: Mapping[str, Any]) -> list[Measured]:
    """Return the runs of a study's file; a damaged one is named by its number."""
    runs = []
    for number, cell in enumerate(data.get("runs") or []):
        try:
            runs.append(from_cell(cell))
        except InputError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise InputError(f"study: run {number} is damaged ({error!r}).") from None
    return runs


def _facts(data: Mapping[str, Any], runs: int) -> list[tuple[str, str]]:
    machine = data.get("machine")
    if isinstance(machine, Mapping):
        machine = ", ".join(f"{name} {value}" for name, value in machine.items())
    seconds = data.get("seconds")
    facts = [
        ("source", data.get("source")),
        ("size", data.get("size")),
        ("edition", _edition(data)),
        ("runs", runs or None),
        ("time", None if seconds is None else duration(float(seconds))),
        ("machine", machine),
    ]
    return [(name, str(value)) for name, value in facts if value]


def _edition(data: Mapping[str, Any]) -> str | None:
    """Name the edition of the study's file, and say so where not all of it was run."""
    if data.get("edition") is None:
        return None
    made = data.get("progress") or {"run": 0, "planned": 0}
    unfinished = made["run"] < made["planned"]
    part = f", {made['run']} of {made['planned']} cells run" if unfinished else ""
    return f"{data['edition']} ({data.get('frozen')}){part}"


def _claims(claims: Sequence[Mapping[str, Any]]) -> Section:
    note = headline(str(claim.get("status")) for claim in claims) + "."
    columns = ["claim", "section", "sentence", "paper", "ours", "status", "reason"]
    table = dense(columns, [_claim_cells(claim) for claim in claims], note)
    return Section("Claims", [table])


def _claim_cells(claim: Mapping[str, Any]) -> list[TableCell]:
    ours = words(claim.get("ours")).text
    interval = claim.get("interval")
    if isinstance(interval, list | tuple) and len(interval) == 2:
        ours += " ({:.3g}\N{EN DASH}{:.3g})".format(*interval)
    status = str(claim.get("status") or "")
    texts = [words(claim.get(name)) for name in ("id", "section", "sentence", "paper")]
    return [
        *texts,
        TableCell(ours),
        TableCell(status, tone=TONES.get(status, "")),
        words(claim.get("reason")),
    ]


def _figures(figures: Sequence[Mapping[str, Any]]) -> list[Section]:
    if not figures:
        return []
    drawn: list[Chart] = [chart(figure) for figure in figures]
    return [Section("Figures", drawn)]


def _tables(tables: Sequence[Mapping[str, Any]]) -> list[Section]:
    made = []
    for table in tables:
        rows = [[words(value) for value in row] for row in table.get("rows") or []]
        columns = [str(name) for name in table.get("columns") or []]
        if any(len(row) != len(columns) for row in rows):
            title = table.get("title", "")
            raise InputError(f"study: table {title!r} has rows of other lengths than its columns.")
        made.append(Table(str(table.get("title", "")), columns, rows, str(table.get("note") or "")))
    return [Section("Tables", made)] if made else []
