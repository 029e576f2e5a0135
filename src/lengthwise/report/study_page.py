"""A study's file as a page: claims beside evidence, figures, tables, curves, runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.core.text import duration
from lengthwise.records.outcomes import STATUSES, TONES, headline
from lengthwise.report.curve_parts import (
    accuracy_tables,
    dense,
    encodings_of,
    overview,
    panels,
    runs_section,
)
from lengthwise.report.curves import Curve, pool_runs
from lengthwise.report.document import (
    Chart,
    Document,
    Panels,
    Prose,
    Section,
    Table,
    TableCell,
    words,
)
from lengthwise.report.guessing import with_chance
from lengthwise.report.html import render, save
from lengthwise.report.measured import Measured, from_cell
from lengthwise.report.predicted import Verdicts
from lengthwise.report.run_page import note
from lengthwise.report.study_figures import chart
from lengthwise.studies.verdict import by_section, verdict

CELL_MARKS = {"held": "right", "not held": "wrong", "inconclusive": "open"}
"""How a claim about one cell is marked in the matrix."""
SAYS_NOTHING = ("no paper", "our question", "")
"""What the columns of paper and section hold where a study has no paper."""
MOST = 16
"""Claims that did not hold and are seen at once."""


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
    """Lay out a study: how it came out, the matrix, what did not hold, and folded all the rest."""
    runs, claims = study_runs(data), list(data.get("claims") or [])
    drawn = with_chance(pool_runs(runs))
    opened: list[dict[str, Any]] = []
    sections = _matrices(drawn, found or {}, claims)
    sections += _not_held(claims) + _claims(claims)
    sections += _figures(data.get("figures") or []) + _tables(data.get("tables") or [])
    if runs:
        listed, opened = runs_section(runs)
        sections += [*_curves(drawn, found or {}), listed]
    if data.get("command"):
        made = [Prose(str(data["command"]), code=True)]
        sections.append(Section("How it was made", made, folded=True))
    return Document(
        title=str(data.get("title") or data.get("study") or "Study"),
        subtitle=" ".join(filter(None, [verdict(claims), _note(data)])),
        facts=_facts(data, len(runs)),
        sections=sections,
        encodings=encodings_of(drawn),
        runs=opened,
    )


def _note(data: Mapping[str, Any]) -> str:
    """Say what the size of a study means."""
    text = str(data.get("note") or "").rstrip(".")
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _parts(drawn: Sequence[Curve]) -> dict[str, list[Curve]]:
    """Return the curves of each part of a study."""
    found: dict[str, list[Curve]] = {}
    for curve in drawn:
        found.setdefault(curve.group, []).append(curve)
    return found


def _matrices(
    drawn: Sequence[Curve], found: Verdicts, claims: Sequence[Mapping[str, Any]]
) -> list[Section]:
    """Return problems against encodings, one matrix a part; only the first is seen at once."""
    return [
        Section(
            _title("What was measured", part if number else ""),
            [overview(members, found, {} if number else _claimed(members, claims))],
            folded=number > 0,
        )
        for number, (part, members) in enumerate(_parts(drawn).items())
    ]


def _claimed(
    drawn: Sequence[Curve], claims: Sequence[Mapping[str, Any]]
) -> dict[tuple[str, str], str]:
    """Return the mark of every cell that has a claim of its own, named TASK-ENCODING."""
    by = {str(claim.get("id")): str(claim.get("status")) for claim in claims}
    found = {}
    for curve in drawn:
        status = by.get(f"{curve.task.partition(':')[0]}-{curve.encoding}")
        if status in CELL_MARKS:
            found[curve.task, curve.encoding] = CELL_MARKS[status]
    return found


def _curves(drawn: Sequence[Curve], found: Verdicts) -> list[Section]:
    every = [
        Section(_title("Curves", part), [Panels(panels(members, found))], note(members), True)
        for part, members in _parts(drawn).items()
    ]
    return [*every, Section("Accuracy by range of lengths", accuracy_tables(drawn), folded=True)]


def _title(what: str, part: str) -> str:
    return f"{what}: {part}" if part else what


def study_runs(data: Mapping[str, Any]) -> list[Measured]:
    """Return the runs of a study's file; a damaged one is named by its number."""
    runs = []
    for number, cell in enumerate(data.get("runs") or []):
        try:
            runs.append(_in_part(from_cell(cell)))
        except InputError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise InputError(f"study: run {number} is damaged ({error!r}).") from None
    return runs


def _in_part(run: Measured) -> Measured:
    """Name the part of a study that a run belongs to, without its own task and encoding.

    ``cell/majority/ape`` and ``cell/majority/nope`` are one part, so that they share a row.
    """
    own = {run.task, run.task.partition(":")[0], run.encoding, run.encoding.partition(":")[0]}
    return replace(run, group="/".join(part for part in run.group.split("/") if part not in own))


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


def _not_held(claims: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Return the claims that did not hold, then those that say nothing."""
    open_ = [claim for status in STATUSES[1:] for claim in claims if claim.get("status") == status]
    if not open_:
        return []
    first, rest = open_[:MOST], open_[MOST:]
    found = [Section("Not held, or not decided", [_claim_table(first)])]
    if rest:
        found.append(Section(f"{len(rest)} more of them", [_claim_table(rest)], folded=True))
    return found


def _claims(claims: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Return all claims, folded by section of the paper."""
    return [
        Section(
            f"{section}: {headline(str(c.get('status')) for c in members)}",
            [_claim_table(members)],
            folded=True,
        )
        for section, members in by_section(claims).items()
    ]


def _claim_table(claims: Sequence[Mapping[str, Any]]) -> Table:
    columns = ["claim", "outcome", "ours", "paper", "section"]
    rows = [_claim_cells(claim) for claim in claims]
    while columns[-1] != "ours" and all(row[len(columns) - 1].text in SAYS_NOTHING for row in rows):
        columns = columns[:-1]
    return replace(dense(columns, [row[: len(columns)] for row in rows]), prose=True)


def _claim_cells(claim: Mapping[str, Any]) -> list[TableCell]:
    ours = words(claim.get("ours")).text
    interval = claim.get("interval")
    if isinstance(interval, list | tuple) and len(interval) == 2:
        ours += " ({:.3g}\N{EN DASH}{:.3g})".format(*interval)
    status = str(claim.get("status") or "")
    said = words(claim.get("sentence") or claim.get("id"))
    return [
        replace(said, under=str(claim.get("reason") or "")),
        TableCell(status, tone=TONES.get(status, "")),
        TableCell(ours),
        words(claim.get("paper")),
        words(claim.get("section")),
    ]


def _figures(figures: Sequence[Mapping[str, Any]]) -> list[Section]:
    if not figures:
        return []
    drawn: list[Chart] = [chart(figure) for figure in figures]
    return [Section(f"Figures ({len(drawn)})", drawn, folded=True)]


def _tables(tables: Sequence[Mapping[str, Any]]) -> list[Section]:
    made = []
    for table in tables:
        rows = [[words(value) for value in row] for row in table.get("rows") or []]
        columns = [str(name) for name in table.get("columns") or []]
        if any(len(row) != len(columns) for row in rows):
            title = table.get("title", "")
            raise InputError(f"study: table {title!r} has rows of other lengths than its columns.")
        made.append(Table(str(table.get("title", "")), columns, rows, str(table.get("note") or "")))
    return [Section(f"Tables ({len(made)})", made, folded=True)] if made else []
