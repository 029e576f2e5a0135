"""A scoreboard's file as a page: who was right, where not, and the curves behind it."""

from collections.abc import Mapping, Sequence
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.records.outcomes import LINE, agreement_sentence
from lengthwise.records.outcomes import TONES as OUTCOME_TONES
from lengthwise.report.curve_parts import TONES, encodings_of, runs_section
from lengthwise.report.curves import pool_runs
from lengthwise.report.document import Document, Section, Table, TableCell, words
from lengthwise.report.measured import Measured, from_record
from lengthwise.report.run_page import curve_sections
from lengthwise.runs.store import Store

AGREES = {True: "yes", False: "no", None: "-"}


def board_document(data: Mapping[str, Any], store: Store | None = None) -> Document:
    """Lay out a scoreboard; the curves are added if its runs are in the store."""
    try:
        cells = list(data["cells"])
        rows = [_row(cell) for cell in cells]
        said = agreement_sentence([(str(c["predicted"]), c["outcome"]) for c in cells])
        section = _cells(cells, rows, float(data.get("line", LINE)))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"scoreboard: damaged ({error!r}).") from None
    runs = board_runs(cells, store)
    drawn = pool_runs(runs)
    curved = curve_sections(drawn, board_verdicts(cells)) if runs else []
    listed, opened = runs_section(runs) if runs else (None, [])
    return Document(
        title=f"Scoreboard: {data.get('suite', '')}, {data.get('size', '')}",
        subtitle=f"{said}.",
        facts=[("problems", str(len({c["subject"] for c in cells}))), ("cells", str(len(cells)))],
        sections=[*section, _confusion(data), *curved, *([listed] if listed else [])],
        encodings=encodings_of(drawn),
        runs=opened,
    )


def _row(cell: Mapping[str, Any]) -> list[TableCell]:
    agrees, outcome = cell["agrees"], str(cell["outcome"])
    accuracy = [float(value) for value in cell["accuracy"]]
    return [
        TableCell(str(cell["subject"])),
        TableCell(str(cell["encoding"])),
        TableCell(str(cell["predicted"]), tone=TONES.get(str(cell["predicted"]), "dim")),
        TableCell(str(cell.get("strength", ""))),
        TableCell(" / ".join(f"{value:.1%}" for value in accuracy), accuracy[-1]),
        TableCell(" ".join(f"{100 * float(value):.0f}" for value in cell.get("seeds") or ())),
        TableCell(outcome, tone=OUTCOME_TONES[outcome]),
        TableCell(f"{float(cell['margin']):.1%}", round(float(cell["margin"]), 6)),
        TableCell(AGREES[agrees], tone={True: "good", False: "bad", None: "dim"}[agrees]),
        TableCell(str(cell.get("source", ""))),
    ]


def _cells(
    cells: Sequence[Mapping[str, Any]], rows: Sequence[Sequence[TableCell]], line: float
) -> list[Section]:
    columns = ["problem", "encoding", "predicted", "strength", "exact match", "seeds", "measured"]
    columns += ["margin", "agrees", "source"]
    wrong = [row for row, cell in zip(rows, cells, strict=True) if _against(cell)]
    wrong.sort(key=lambda row: -float(row[7].value or 0))
    note = (
        "Exact match on every range of lengths, the trained one first, then the last range of "
        f"every seed. A cell holds if its fitted seeds have at least {line:.0%} on the last range, "
        "fails if none has, is mixed if they differ. Margin: the distance from that line."
    )
    found = [Section("At a glance", [_matrix(cells)])]
    if wrong:
        found.append(Section("Disagreements, clearest first", [Table("", columns, wrong)]))
    return [*found, Section("All problems", [Table("", columns, rows, note)])]


def _matrix(cells: Sequence[Mapping[str, Any]]) -> Table:
    """Return problems against encodings: accuracy on the last range, and the prediction."""
    encodings = list(dict.fromkeys(str(cell["encoding"]) for cell in cells))
    known = {(str(cell["subject"]), str(cell["encoding"])): _square(cell) for cell in cells}
    rows = [
        [TableCell(problem), *(known.get((problem, name), TableCell("")) for name in encodings)]
        for problem in dict.fromkeys(str(cell["subject"]) for cell in cells)
    ]
    note = (
        "Exact match on the last range of lengths. The chip is the predicted answer; a ring marks "
        "disagreement."
    )
    return Table("", ["problem", *encodings], rows, note)


def _against(cell: Mapping[str, Any]) -> bool:
    """Whether a cell was measured and is not what was predicted."""
    return cell["outcome"] != "not fitted" and cell["agrees"] is not True


def _square(cell: Mapping[str, Any]) -> TableCell:
    accuracy, answer = float(cell["accuracy"][-1]), str(cell["predicted"])
    ring = " ring" if _against(cell) else ""
    tone = TONES.get(answer, "dim") + ring
    return TableCell(f"{accuracy:.0%}", round(accuracy, 6), chip=answer, tone=tone, share=accuracy)


def _confusion(data: Mapping[str, Any]) -> Section:
    tables = list(data.get("confusion") or [])
    columns = list(tables[0]) if tables else []
    rows = [[_counted(table.get(name)) for name in columns] for table in tables]
    return Section("Predicted against measured", [Table("", columns, rows)])


def _counted(value: Any) -> TableCell:
    return TableCell(f"{value:.1%}", value) if isinstance(value, float) else words(value)


def board_verdicts(cells: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, str]]]:
    """Return the predictions that a scoreboard holds."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for cell in cells:
        found.setdefault(str(cell["subject"]), {})[str(cell["encoding"])] = {
            "answer": str(cell["predicted"]),
            "strength": str(cell.get("strength", "")),
            "because": "",
        }
    return found


def board_runs(cells: Sequence[Mapping[str, Any]], store: Store | None) -> list[Measured]:
    """Return the runs behind a scoreboard that are in the store."""
    if store is None:
        return []
    folders = {folder.name: folder for folder in store.folders()}
    named = dict.fromkeys(str(cell.get("source", "")) for cell in cells)
    records = [store.record(folders[name]) for name in named if name in folders]
    return [from_record(record) for record in records if record.state == "done"]
