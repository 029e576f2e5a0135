"""Tables and figures of the Huang et al. (2024) study."""

from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.huang2024.claims import agrees, best, held_far, measured, published, shown
from lengthwise.studies.huang2024.problems import ENCODINGS, PROBLEMS, cell
from lengthwise.studies.study import StudyFigure, StudyTable


def tables(evidence: StudyEvidence) -> list[StudyTable]:
    """Return predicted against measured, the regulariser, and what was computed besides."""
    found = [_cells(evidence), _regularised(evidence), _positional(evidence), _parity(evidence)]
    return [table for table in found if table.rows]


def _cells(evidence: StudyEvidence) -> StudyTable:
    rows = [
        [
            problem,
            encoding,
            " / ".join(f"{v:g}" for v in published(problem, encoding)),
            shown(record),
            answer,
            "yes" if held_far(record) else "no",
            "yes" if agrees(answer, record) else "no",
            record.model,
        ]
        for problem, encoding, answer, record in measured(evidence)
    ]
    columns = ["problem", "encoding", "paper", "ours", "predicted", "holds", "agrees", "model"]
    return StudyTable(
        "Exact match in percent: in distribution / to twice / to three times the length",
        columns,
        rows,
        "holds: at least 70% between two and three times the training length",
    )


def _regularised(evidence: StudyEvidence) -> StudyTable:
    rows: list[list[str]] = []
    for problem in PROBLEMS:
        without, with_it = (
            best(evidence, cell(problem, "ape", kind)) for kind in ("cell", "regularised")
        )
        if without is not None and with_it is not None:
            rows.append([problem, shown(without), shown(with_it)])
    return StudyTable("The regulariser (weight 1e-4)", ["problem", "without", "with"], rows)


def _positional(evidence: StudyEvidence) -> StudyTable:
    rows = [
        [fit["relation"], fit["width"], *(f"{e:.3g} ({b:.3g})" for e, b in pairs)]
        for fit in evidence.measures.get("positional", ())
        for pairs in [list(zip(fit["error"], fit["baseline"], strict=True))]
    ]
    columns = ["relation", "width", "training length", "twice", "three times"]
    return StudyTable("Fitting positional relations: squared error (of a constant)", columns, rows)


def _parity(evidence: StudyEvidence) -> StudyTable:
    rows = [
        [row["encoding"], f"{row['low']}-{row['high']}", *(_share(row[k]) for k in ("few", "many"))]
        for row in evidence.measures.get("parity-ones", ())
    ]
    columns = ["encoding", "length", "as few ones as trained", "more ones"]
    return StudyTable("Parity by the number of ones", columns, rows)


def _share(counts: list[int]) -> str:
    return f"{100 * counts[0] / counts[1]:.1f} (of {counts[1]})" if counts[1] else "-"


def figures(evidence: StudyEvidence) -> list[StudyFigure]:
    """Return exact match by bin for every problem, both encodings."""
    data = [
        {
            "problem": problem,
            "bin": bin_ + 1,
            "accuracy": accuracy,
            "series": f"{encoding}, {source}",
        }
        for problem in PROBLEMS
        for encoding in ENCODINGS
        for source, values in _sources(evidence, problem, encoding)
        for bin_, accuracy in enumerate(values)
    ]
    return [
        StudyFigure(
            "Predicted in (top) or out: exact match by bin",
            "line",
            "bin",
            "accuracy",
            data,
            "series",
            "bins: training lengths, to twice, to three times",
        )
    ]


def _sources(
    evidence: StudyEvidence, problem: str, encoding: str
) -> list[tuple[str, tuple[float, ...]]]:
    record = best(evidence, cell(problem, encoding))
    theirs = tuple(value / 100 for value in published(problem, encoding))
    return [("paper", theirs), *([("ours", record.accuracies)] if record else [])]
