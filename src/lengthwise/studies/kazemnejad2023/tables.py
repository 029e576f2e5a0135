"""Tables and figures of the Kazemnejad et al. (2023) study."""

from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.kazemnejad2023 import scores
from lengthwise.studies.kazemnejad2023.claims import pads, published
from lengthwise.studies.kazemnejad2023.splits import ENCODINGS, GROUPS, NAMES, STEPPED
from lengthwise.studies.study import StudyFigure, StudyTable


def tables(evidence: StudyEvidence) -> list[StudyTable]:
    """Return accuracy by split, ranks, scratchpads, attention, perplexity and cost."""
    found = [
        _splits(evidence),
        _ranks(evidence),
        _pads(evidence),
        _plain("Distance of attention from NoPE's on SCAN", evidence, "similarity"),
        _distances(evidence),
        _plain("Time (s) and memory (MB) by length", evidence, "cost"),
    ]
    return [table for table in found if table.rows]


def _splits(evidence: StudyEvidence) -> StudyTable:
    rows: list[list[str]] = []
    for task in scores.TASKS:
        known = scores.row(evidence, task)
        if known is not None:
            fitted = [scores.trained(evidence, task, name) or 0.0 for name in ENCODINGS]
            cells = [f"{known[n]:.2f} ({f:.2f})" for n, f in zip(ENCODINGS, fitted, strict=True)]
            rows.append([task, published(task), *cells])
    columns = ["split", "paper (same order)", *NAMES.values()]
    return StudyTable(
        "Exact match over unseen lengths (in distribution)",
        columns,
        rows,
        "paper: mean over unseen lengths as published, at larger size and twice the lengths",
    )


def _ranks(evidence: StudyEvidence) -> StudyTable:
    rows: list[list[str]] = []
    for group in (None, *GROUPS):
        for ties in ("fair", "published"):
            found = scores.reciprocal(evidence, ties, group)
            if found is not None:
                cells = [f"{found[name]:.2f}" for name in ENCODINGS]
                rows.append([group or "all", ties, *cells])
    return StudyTable("Mean reciprocal rank", ["splits", "ties", *NAMES.values()], rows)


def _pads(evidence: StudyEvidence) -> StudyTable:
    rows: list[list[str]] = []
    for task in STEPPED:
        for encoding in ENCODINGS:
            found = pads(evidence, task, encoding)
            plain = scores.unseen(evidence, task, encoding)
            if found and plain is not None:
                for kind, (fitted, far) in found.items():
                    cells = [f"{plain:.2f}", f"{far:.2f}", f"{fitted:.2f}"]
                    rows.append([task, NAMES[encoding], kind, *cells])
    columns = ["task", "encoding", "scratchpad", "without", "with", "with, in distribution"]
    return StudyTable("Scratchpads: exact match over unseen lengths", columns, rows)


def _plain(title: str, evidence: StudyEvidence, name: str) -> StudyTable:
    rows = evidence.measures.get(name, ())
    columns = list(rows[0]) if rows else []
    return StudyTable(title, columns, [[_short(row[c]) for c in columns] for row in rows])


def _short(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _distances(evidence: StudyEvidence) -> StudyTable:
    rows = [
        [row["encoding"], row["task"], row["near"], row["middle"], row["far"]]
        for row in evidence.measures.get("distances", ())
    ]
    columns = ["encoding", "task", "near", "middle", "far"]
    return StudyTable(
        "Shares of attended distances of answers, relative to the length", columns, rows
    )


def figures(evidence: StudyEvidence) -> list[StudyFigure]:
    """Return perplexity against context and histograms of attended distance."""
    perplexity = [
        {"context": int(context), "perplexity": value, "series": row["encoding"]}
        for row in evidence.measures.get("perplexity", ())
        for context, value in row["perplexity"].items()
    ]
    attended = [
        {"distance": round(0.05 * number, 2), "share": share, "series": row["encoding"]}
        for row in evidence.measures.get("distances", ())
        for number, share in enumerate(row["histogram"])
    ]
    found = [
        StudyFigure(
            "Perplexity against context (Python source)",
            "line",
            "context",
            "perplexity",
            perplexity,
            "series",
            "trained at the third context from the left",
        ),
        StudyFigure(
            "How far back answers look, relative to their position",
            "line",
            "distance",
            "share",
            attended,
            "series",
        ),
    ]
    return [figure for figure in found if figure.data]
