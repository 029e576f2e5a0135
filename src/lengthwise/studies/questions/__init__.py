"""Questions the papers leave open, as small studies of our own."""

from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.questions import runs
from lengthwise.studies.questions.claims import by_encoding, claims, sizes, variants
from lengthwise.studies.questions.runs import FAILING, SCALED
from lengthwise.studies.study import Planned, Study, StudyFigure, StudyTable, on_use


def plan(size: str, evidence: StudyEvidence) -> list[Planned]:
    """Return every run; nothing depends on earlier outcomes."""
    return list(runs.plan(size))


def tables(evidence: StudyEvidence) -> list[StudyTable]:
    """Return accuracy by model size, by variation, and where answers go wrong."""
    scale = [
        [task, size, encoding, f"{fitted:.2f}", f"{far:.2f}"]
        for task in SCALED
        for size in sizes(evidence)
        for encoding, (fitted, far) in by_encoding(evidence, size, task).items()
    ]
    failing = [
        [name, variant, *(f"{100 * value:.1f}" for value in record.accuracies)]
        for name in FAILING
        for variant, record in variants(evidence, name).items()
    ]
    errors = [
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
    found = [
        StudyTable(
            "Does NoPE's lead hold with size? (layers x width)",
            ["task", "size", "encoding", "in distribution", "unseen lengths"],
            scale,
        ),
        StudyTable(
            "Predicted to carry over, and fell short: variations",
            ["problem", "variation", "trained", "to twice", "to three times"],
            failing,
        ),
        StudyTable(
            "Impossible tasks: where the first error lies",
            ["task", "encoding", "length", "wrong", "right symbols, %", "first error by tenth"],
            errors,
        ),
    ]
    return [table for table in found if table.rows]


def figures(evidence: StudyEvidence) -> list[StudyFigure]:
    """Return unseen accuracy by model size."""
    data = [
        {"size": size, "accuracy": far, "series": f"{task}, {encoding}"}
        for task in SCALED
        for size in sizes(evidence)
        for encoding, (_, far) in by_encoding(evidence, size, task).items()
    ]
    return [StudyFigure("Unseen lengths by model size", "bars", "size", "accuracy", data, "series")]


STUDY = Study(
    name="questions",
    title="Questions the papers leave open",
    source="our own",
    frozen=frozen("questions"),
    plan=plan,
    claims=claims,
    measures=on_use("lengthwise.studies.questions.measures:measures"),
    tables=tables,
    figures=figures,
    notes={
        "smoke": "a few steps a run: exercises the machinery and decides nothing",
        "laptop": "models of width 16 to 64, one seed unless the variation is the seed",
        "paper": "four sizes up to T5-base, published lengths; needs GPUs",
    },
)
