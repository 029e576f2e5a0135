"""Tables and figures of the Huang et al. (2024) study."""

from lengthwise.records.outcomes import agreement
from lengthwise.studies.evidence import Cell, StudyEvidence
from lengthwise.studies.huang2024.claims import measured
from lengthwise.studies.huang2024.problems import ENCODINGS, PROBLEMS, cell
from lengthwise.studies.huang2024.trained_cells import found, published
from lengthwise.studies.study import StudyFigure, StudyTable


def tables(evidence: StudyEvidence) -> list[StudyTable]:
    """Return predicted against measured, the regulariser, and what was computed besides."""
    every = [
        *(_cells(evidence), _words(evidence), _regularised(evidence)),
        *(_positional(evidence), _parity(evidence)),
    ]
    return [table for table in every if table.rows]


def _cells(evidence: StudyEvidence) -> StudyTable:
    rows = [
        [*_about(problem, encoding, answer, one), one.shown, one.rungs, one.tried]
        for problem, encoding, answer, one in measured(evidence)
    ]
    return StudyTable(
        "Uniform words: in distribution / to twice / to three times the training length, percent",
        COLUMNS,
        rows,
        f"{NOTE}; measured at two to three times the training length",
    )


COLUMNS = ["problem", "encoding", "paper", "predicted", "measured", "agrees"]
COLUMNS += ["ours (seeds)", "rungs", "runs"]
NOTE = (
    "means over fitted seeds, then every seed's last bin, in brackets where it did not fit; rungs: "
    "the setting of the recipe that counted for each seed; runs: all that were made"
)


def _about(problem: str, encoding: str, answer: str, one: Cell) -> list[str]:
    theirs = " / ".join(f"{v:g}" for v in published(problem, encoding))
    said = {True: "yes", False: "no", None: "-"}[agreement(answer, one.outcome)]
    return [problem, encoding, theirs, answer, one.outcome, said]


def _words(evidence: StudyEvidence) -> StudyTable:
    far = {(p, e): one for p, e, _, one in measured(evidence, "words")}
    rows = [
        [
            *_about(problem, encoding, answer, one),
            one.runs[0].bins[-1].name,
            one.shown,
            far[problem, encoding].outcome,
            far[problem, encoding].by_seed,
            one.rungs,
            one.tried,
        ]
        for problem, encoding, answer, one in measured(evidence, "words", "published")
    ]
    columns = [*COLUMNS[:6], "lengths", "ours (seeds)", "at three times", "seeds", *COLUMNS[7:]]
    return StudyTable(
        "The authors' words: bins up to the published ratio to the training length, percent",
        columns,
        rows,
        f"{NOTE}; measured on the last published bin, then at two to three times the length",
    )


def _regularised(evidence: StudyEvidence) -> StudyTable:
    rows: list[list[str]] = []
    for problem in PROBLEMS:
        without, with_it = (
            found(evidence, cell(problem, "ape", kind)) for kind in ("cell", "regularised")
        )
        if without is not None and with_it is not None:
            rows.append([problem, without.outcome, without.shown, with_it.outcome, with_it.shown])
    columns = ["problem", "without", "seeds", "with", "seeds"]
    return StudyTable("The regulariser (weight 1e-4)", columns, rows)


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
        [
            *(row["encoding"], row["seed"], f"{row['low']}-{row['high']}"),
            *(_share(row[kind]) for kind in ("few", "many")),
        ]
        for row in evidence.measures.get("parity-ones", ())
    ]
    columns = ["encoding", "seed", "length", "as few ones as trained", "more ones"]
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
    one = found(evidence, cell(problem, encoding))
    theirs = tuple(value / 100 for value in published(problem, encoding))
    return [("paper", theirs), *([("ours", one.accuracies)] if one else [])]
