"""Figures 2 to 5 of Chen, Liang and Lin (2025) from our runs, and the tables behind the claims."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from lengthwise.records.accuracy import pool
from lengthwise.studies.chen2025.cells import (
    FAR,
    TaskCell,
    at_scales,
    cell,
    cells,
    name_of,
    reported,
    task_of,
    verdict,
)
from lengthwise.studies.chen2025.runs import ARITHMETIC, IPE, IPE_SH, SELECT, TASKS
from lengthwise.studies.evidence import StudyEvidence, StudyRun
from lengthwise.studies.study import StudyFigure, StudyTable

MATCH = "exact match"
CHOSEN = "at the checkpoint with the best average over all scales, the paper's rule"


def figures(evidence: StudyEvidence) -> list[StudyFigure]:
    """Return accuracy by scale for every task, and the learned relations."""
    at = reported(evidence)
    found = [
        *(_curves(f"Figure 2: {task}", list(cells(at, "encodings")), task) for task in TASKS),
        *(_hinted(at, task) for task in ARITHMETIC),
        *(_seeds(at, task) for task in SELECT),
        _curves("Control: parity without steps", list(cells(at, "control"))),
        *_relations(at),
    ]
    return [figure for figure in found if figure.data]


def by_scale(records: Sequence[StudyRun]) -> list[tuple[int, float]]:
    """Return exact match at every scale, over all records."""
    found = pool(bin_ for record in records for bin_ in record.bins)
    return [(n, found.between(n, n).accuracy) for n in found.lengths]


def _line(
    title: str, lines: Sequence[tuple[str, Sequence[StudyRun]]], note: str = ""
) -> StudyFigure:
    data = [
        {"scale": n, MATCH: value, "series": name}
        for name, records in lines
        for n, value in by_scale(records)
    ]
    return StudyFigure(title, "line", "scale", MATCH, data, "series", note)


def _curves(title: str, found: Sequence[TaskCell], task: str | None = None) -> StudyFigure:
    lines = [(name_of(c.encoding), c.runs) for c in found if task in (None, c.task)]
    return _line(title, lines, f"trained at scales 1-5; {CHOSEN}")


def _hinted(at: StudyEvidence, task: str) -> StudyFigure:
    pairs = (
        ("IPE, aligned", cell(at, "encodings", task, IPE)),
        ("IPE-SH, not aligned", cell(at, "hint", task, IPE_SH)),
    )
    lines = [(name, found.runs) for name, found in pairs if found is not None]
    return _line(f"Figure 3: {task}", lines, f"trained at scales 1-5; {CHOSEN}")


def _seeds(at: StudyEvidence, task: str) -> StudyFigure:
    found = cell(at, "relations", task, "lbpe")
    records = () if found is None else found.runs
    lines = [(f"seed {record.spec.seed}", [record]) for record in records]
    return _line(f"Figure 4: LBPE, {task}", lines, f"trained at scales 1-10; {CHOSEN}")


def _relations(at: StudyEvidence) -> list[StudyFigure]:
    """Draw the three likeliest values of every pair, from the best seed of each task."""
    learned = {row["run"]: row["ranks"] for row in at.measures.get("learned-relations", ())}
    drawn = []
    for task in SELECT:
        found = cell(at, "relations", task, "lbpe")
        if found is None:
            continue
        best = max(found.runs, key=lambda record: fmean(v for _, v in by_scale([record])))
        for rank, rows in enumerate(learned.get(best.spec.id, ()), 1):
            title = f"Figure 5: {task}, rank {rank}"
            note = f"seed {best.spec.seed}; at the last checkpoint, whose weights are kept"
            drawn.append(StudyFigure(title, "map", "key", "query", _points(rows), "value", note))
    return drawn


def _points(rows: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"query": i, "key": j, "value": value}
        for i, row in enumerate(rows, 1)
        for j, value in enumerate(row, 1)
    ]


# ---- tables ----


def tables(evidence: StudyEvidence) -> list[StudyTable]:
    """Return predicted against measured, other realisations of IPE, LBPE and the linear targets."""
    found = [
        _predicted(evidence),
        _variants(evidence),
        _plateau(evidence),
        _learned(evidence),
        _linear(evidence),
    ]
    return [table for table in found if table.rows]


def _predicted(evidence: StudyEvidence) -> StudyTable:
    at = reported(evidence)
    rows = [
        _predicted_row(at, evidence, group, found)
        for group in ("encodings", "hint", "control")
        for found in cells(at, group)
    ]
    columns = ["task", "encoding", "SRC 5 / 20", "predicted"]
    columns += ["trained", "16-20", "last checkpoint", "generalizes", "agree"]
    note = (
        "predicted: does SRC under the encoding's relation stay the same (undecided if the "
        "relation does not tell arguments apart); a run that did not fit decides nothing"
    )
    return StudyTable("SRC against measured generalization", columns, rows, note)


def _predicted_row(
    at: StudyEvidence, evidence: StudyEvidence, group: str, found: TaskCell
) -> list[Any]:
    row = verdict(at, found)
    last = cell(evidence, group, found.task, found.encoding)
    answer = "-" if row is None else row["answer"]
    measured = "yes" if found.holds else "no"
    agree = "-"
    if found.mostly_fitted and answer in ("yes", "no"):
        agree = "yes" if answer == measured else "no"
    return [
        found.task,
        name_of(found.encoding),
        "-" if row is None else f"{row['src'][0]} / {row['src'][-1]}",
        answer,
        f"{found.trained:.3f}",
        f"{found.far:.3f}",
        "-" if last is None else f"{last.far:.3f}",
        measured if found.mostly_fitted else "did not fit",
        agree,
    ]


def _variants(evidence: StudyEvidence) -> StudyTable:
    at = reported(evidence)
    rows = [
        [
            c.runs[0].task,
            name_of(c.encoding),
            c.runs[0].spec.model.init,
            *(f"{value:.3f}" for value in _ranges(c)),
        ]
        for c in cells(at, "variants")
    ]
    columns = ["task", "encoding", "initial weights", "1-5", "6-10", "11-15", "16-20"]
    title = "Variants: IPE with a gap or hiding irrelevant keys, smaller initial weights"
    return StudyTable(title, columns, rows, CHOSEN)


def _plateau(evidence: StudyEvidence) -> StudyTable:
    names = ("as it is", "operands hidden", "both hidden")
    rows = [
        [row["seed"], *(f"{row[name]:.3f}" for name in names)]
        for row in evidence.measures.get("plateau", ())
    ]
    note = (
        "share of right steps, from the sixth on, at scales 16-20 with the right outputs before: "
        "as it is, with all but five digits around the one that is read replaced by padding, and "
        "with older outputs replaced too"
    )
    return StudyTable("RPE on parity: what stands in the way", ["seed", *names], rows, note)


def _ranges(found: TaskCell) -> list[float]:
    return [at_scales(found.runs, low, low + 4).accuracy for low in (1, 6, 11, FAR[0])]


def _learned(evidence: StudyEvidence) -> StudyTable:
    at = reported(evidence)
    learned = {row["run"]: row for row in at.measures.get("learned-relations", ())}
    rows = []
    for record in sorted(
        at.find("relations"), key=lambda r: (SELECT.index(task_of(r)), r.spec.seed)
    ):
        found = learned.get(record.spec.id, {})
        shares = [at_scales([record], *scales).accuracy for scales in ((1, 10), (11, 15), FAR)]
        rows.append(
            [
                task_of(record),
                record.spec.seed,
                *(f"{share:.3f}" for share in shares),
                *(_standing(found.get(where)) for where in ("trained", "beyond")),
            ]
        )
    columns = ["task", "seed", "1-10", "11-15", "16-20", "relation, trained", "relation, longer"]
    note = (
        "relation: the likeliest value against the ideal relation, over asked queries: equal up "
        "to renaming, determines it, or the share of pairs that agree"
    )
    return StudyTable("LBPE on the selections", columns, rows, note)


def _standing(found: dict[str, Any] | None) -> str:
    if not found:
        return "-"
    if found["equal"]:
        return "equal"
    return "determines it" if found["refines"] else f"{found['agreement']:.3f}"


def _linear(evidence: StudyEvidence) -> StudyTable:
    rows = [
        [
            row["target"],
            *row["lrc"],
            "yes" if row["predicted"] else "no",
            *(_fit(row["fits"][name]) for name in row["fits"]),
        ]
        for row in evidence.measures.get("linear", ())
    ]
    names = list(evidence.measures["linear"][0]["fits"]) if rows else []
    columns = ["target", "LRC(4)", "LRC(10)", "extrapolable", *names]
    note = "largest entry error to scale 10; in brackets where the training data are not fitted"
    return StudyTable("Position-only linear attention, trained to scale 4", columns, rows, note)


def _fit(fit: dict[str, Any]) -> str:
    if fit["right"]:
        return "0"
    return f"{fit['error']:.3g}" if fit["residual"] < 1e-6 else f"({fit['error']:.3g})"
