"""Questions the papers leave open, as small studies of our own."""

from lengthwise.studies.evidence import Cell, StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.questions.claims import RULES, unseen
from lengthwise.studies.questions.endings import CAUSES, summary
from lengthwise.studies.questions.runs import plan
from lengthwise.studies.study import Study, StudyFigure, StudyTable, on_use


def groups(evidence: StudyEvidence, kind: str) -> dict[str, Cell]:
    """Return the cells of one question, by the rest of their names."""
    names = dict.fromkeys(r.group for r in evidence.records if r.group.startswith(f"{kind}/"))
    found = {name.removeprefix(f"{kind}/"): evidence.cell(name) for name in names}
    return {name: cell for name, cell in found.items() if cell is not None}


def tables(evidence: StudyEvidence) -> list[StudyTable]:
    """Return accuracies by size, strength and direction, the reach of runs, where errors lie."""
    found = [
        *(_cells(evidence, kind, title) for kind, title in _TITLES.items()),
        _reach(evidence),
        _errors(evidence),
    ]
    return [table for table in found if table.rows]


_TITLES = {
    "scale": "Does NoPE's lead hold with size? (task / layers x width / encoding)",
    "regularise": "Strength of the penalty on attention between positions (learned positions)",
    "encoder": "Models that look both ways, beside causal ones",
}


def _cells(evidence: StudyEvidence, kind: str, title: str) -> StudyTable:
    rows = [[name, cell.shown, cell.outcome] for name, cell in groups(evidence, kind).items()]
    note = "exact match in every range, trained first (last range of every seed; unfitted in "
    return StudyTable(title, ["cell", "accuracy, %", "outcome"], rows, note + "brackets)")


def _reach(evidence: StudyEvidence) -> StudyTable:
    rows = [
        [f"{kind}/{name}", *summary(cell.runs)]
        for kind in _TITLES
        for name, cell in groups(evidence, kind).items()
    ]
    columns = ["cell", *CAUSES, "reach of every seed / trained length"]
    note = "seeds by how they end; reach: the longest length up to which 70% are right"
    return StudyTable("Reach of successes, and failures by cause", columns, rows, note)


def _errors(evidence: StudyEvidence) -> StudyTable:
    rows = [
        [
            row["task"],
            row["encoding"],
            f"{row['low']}-{row['high']}",
            f"{row['wrong']} of {row['instances']}",
            f"{100 * row['symbols']:.1f}",
            " ".join(str(count) for count in row["tenths"]),
        ]
        for row in evidence.measures.get("first-errors", ())
    ]
    columns = ["task", "encoding", "length", "wrong", "right symbols, %", "first error by tenth"]
    return StudyTable("Impossible tasks: where the first error lies", columns, rows)


def figures(evidence: StudyEvidence) -> list[StudyFigure]:
    """Return unseen accuracy by model size."""
    data = []
    for name, cell in groups(evidence, "scale").items():
        _, size, encoding = name.split("/")
        value, (low, high) = unseen(cell)
        data.append({"size": size, "accuracy": value, "series": encoding, "low": low, "high": high})
    if not data:
        return []
    return [StudyFigure("Unseen lengths by model size", "bars", "size", "accuracy", data, "series")]


STUDY = Study(
    name="questions",
    title="Questions the papers leave open",
    source="our own",
    frozen=frozen("questions"),
    plan=plan,
    rules=RULES,
    measures=on_use("lengthwise.studies.questions.measures:measures"),
    tables=tables,
    figures=figures,
    notes={
        "smoke": "a few steps a run: exercises the machinery and decides nothing",
        "laptop": frozen("questions").of_size("laptop")["note"],
        "paper": frozen("questions").of_size("paper")["note"],
    },
)
