"""Tables and figures of the Kazemnejad et al. (2023) study."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from lengthwise.evaluation.ranks import TIES
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.kazemnejad2023 import scores
from lengthwise.studies.kazemnejad2023.claims import published
from lengthwise.studies.kazemnejad2023.scores import ENCODINGS
from lengthwise.studies.kazemnejad2023.splits import BY_TASK, GROUPS
from lengthwise.studies.study import StudyFigure, StudyTable

METHODS = ("jensen-shannon", "published")
"""Both formulas for the distance of attention maps."""


def tables(evidence: StudyEvidence) -> list[StudyTable]:
    """Return accuracy by split, ranks, scratchpads, attention, perplexity and cost."""
    found = [
        _splits(evidence),
        _ranks(evidence),
        _pads(evidence),
        _parts(evidence),
        _seeds("Distance of attention from NoPE's", evidence, "similarity", METHODS),
        _seeds("Attended distances of answers", evidence, "distances", ("near", "middle", "far")),
        _plain("Time (s) and memory (MB) by length", evidence, "cost"),
    ]
    return [table for table in found if table.rows]


def _splits(evidence: StudyEvidence) -> StudyTable:
    rows: list[list[str]] = []
    for task in BY_TASK:
        if all(scores.cell(evidence, task, name).runs for name in ENCODINGS):
            rows.append([task, published(task), *(_cell(evidence, task, n) for n in ENCODINGS)])
    columns = ["split", "paper (same order)", *ENCODINGS]
    return StudyTable(
        "Exact match over unseen lengths (in distribution) [every seed]",
        columns,
        rows,
        "paper: mean over unseen lengths as published, at larger size and twice the lengths; the "
        "mean is that of the seeds that fitted, seeds in brackets did not",
    )


def _cell(evidence: StudyEvidence, task: str, name: str, pad: str = "") -> str:
    found = scores.cell(evidence, task, name, pad)
    each = found.each(lambda run: f"{run.unseen.accuracy:.2f}")
    far, near = scores.unseen(evidence, task, name, pad), scores.trained(evidence, task, name, pad)
    return f"{far.accuracy:.2f} ({near.accuracy:.2f}) [{each}]"


def _ranks(evidence: StudyEvidence) -> StudyTable:
    rows: list[list[str]] = []
    for group in (None, *GROUPS):
        for ties in TIES:
            found = scores.reciprocal(evidence, ties, group)
            if found is not None:
                cells = [f"{scores.mean(found[name]):.2f}" for name in ENCODINGS]
                rows.append([group or "all", ties, *cells])
    note = "mean over seeds; splits that no encoding learned are left out"
    return StudyTable("Mean reciprocal rank", ["splits", "ties", *ENCODINGS], rows, note)


def _pads(evidence: StudyEvidence) -> StudyTable:
    known = {(scores.inner(t), scores.pad_of(t)): None for r in evidence.find("scratchpad")
             for t in [r.asked]}  # fmt: skip
    rows = [
        [task, pad, name, _cell(evidence, task, name), _cell(evidence, task, name, pad)]
        for task, pad in known
        for name in ENCODINGS
        if scores.cell(evidence, task, name).runs and scores.cell(evidence, task, name, pad).runs
    ]
    columns = ["task", "scratchpad", "encoding", "without", "with: final answers"]
    title = "Scratchpads: unseen lengths (in distribution) [every seed]"
    return StudyTable(title, columns, rows, "with a scratchpad the output is generated")


def _parts(evidence: StudyEvidence) -> StudyTable:
    cells: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in evidence.measures.get("scratchpads", ()):
        lengths = "{}-{}".format(*row["lengths"])
        cells.setdefault((row["task"], row["encoding"], lengths), []).append(row)
    parts = sorted({part for rows in cells.values() for row in rows for part in row["parts"]})
    rows = [
        [
            *key,
            f"{fmean(row['whole'] for row in found):.2f}",
            *(f"{fmean(row['parts'].get(p, 0.0) for row in found):.2f}" for p in parts),
        ]
        for key, found in cells.items()
    ]
    columns = ["task", "encoding", "lengths", "whole output", *parts]
    note = "parts: input, computation, output, variables, rest; share of steps right, over seeds"
    return StudyTable("Scratchpads: whole outputs and parts", columns, rows, note)


def _seeds(title: str, evidence: StudyEvidence, name: str, values: Sequence[str]) -> StudyTable:
    rows = [
        [row["encoding"], row["task"], *(" ".join(f"{v:.3f}" for v in row[key]) for key in values)]
        for row in evidence.measures.get(name, ())
    ]
    return StudyTable(title, ["encoding", "task", *values], rows, "every seed")


def _plain(title: str, evidence: StudyEvidence, name: str) -> StudyTable:
    rows = evidence.measures.get(name, ())
    columns = list(rows[0]) if rows else []
    return StudyTable(title, columns, [[_short(row[c]) for c in columns] for row in rows])


def _short(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def figures(evidence: StudyEvidence) -> list[StudyFigure]:
    """Return perplexity against context and histograms of attended distance."""
    perplexity = [
        {"context": int(context), "perplexity": value, "series": row["encoding"]}
        for row in evidence.measures.get("perplexity", ())
        if row["seed"] == 0
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
            "trained at the third context from the left; the first seed",
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
