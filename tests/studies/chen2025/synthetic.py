"""Evidence made up for tests: what every run found is given, everything else follows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.spec import RunSpec
from lengthwise.runs.store import Store
from lengthwise.studies.chen2025.cells import task_of
from lengthwise.studies.chen2025.measures import (
    alignment,
    complexity,
    linear,
    theorem_1,
    theorem_2,
)
from lengthwise.studies.chen2025.runs import CONTROL, RPE, plan
from lengthwise.studies.evidence import StudyEvidence, StudyRun
from lengthwise.studies.study import Bench

Scores = Mapping[tuple[str, str, str], tuple[float, float]]
"""(group, task, encoding) to exact match at trained and at unseen scales."""

COUNT = 100
"""Instances at each scale."""


def record(group: str, spec: RunSpec, trained: float, unseen: float) -> StudyRun:
    """Return a run that is right at these shares of the instances of every scale."""
    bins = []
    for number, (low, high) in enumerate(spec.bins):
        share = unseen if number else trained
        correct = {n: round(share * COUNT) for n in range(low, high + 1)}
        bins.append(
            AccuracyByLength(
                low=low, high=high, correct=correct, total=dict.fromkeys(correct, COUNT)
            )
        )
    return StudyRun(group, spec, tuple(bins), spec.training.steps, 1.0)


def theory() -> dict[str, Any]:
    """Return what needs no runs, computed."""
    bench = Bench(Store(Path("unused")), StudyEvidence("laptop"))
    return {
        "complexity": complexity(bench),
        "alignment": alignment(bench),
        "linear": linear(bench),
        "theorem-1": theorem_1(bench),
        "theorem-2": theorem_2(bench),
    }


def as_predicted(
    size: str = "laptop", changes: Scores | None = None, *, known: Mapping[str, Any]
) -> StudyEvidence:
    """Return evidence in which every run does what SRC says; ``changes`` overrides cells."""
    answers = {(r["task"], r["layout"], r["relation"]): r["answer"] for r in known["complexity"]}
    relation = {"shaw": "rpe", "rope": "rpe", "alibi": "rpe", "ape": "ape", "nope": "nope"}
    records = []
    for planned in plan(size, StudyEvidence(size)):
        spec, group = planned.spec, planned.group
        one = record(group, spec, 1.0, 1.0)
        task, name = task_of(one), spec.position.name
        layout = "unaligned" if group == "hint" else "one answer" if task == CONTROL else "aligned"
        answer = answers.get((task, layout, relation.get(name, "ipe")), "yes")
        scores = (1.0, 1.0 if answer == "yes" else 0.1)
        scores = (changes or {}).get((group, task, str(spec.position)), scores)
        records.append(record(group, spec, *scores))
    found = StudyEvidence(size, tuple(records), known)
    measured = {"learned-relations": relations(found), "plateau": plateau(found)}
    return StudyEvidence(size, tuple(records), {**known, **measured})


def plateau(evidence: StudyEvidence, *, hidden: float = 1.0) -> list[dict[str, Any]]:
    """Return what RPE does on parity with digits hidden."""
    runs = [r for r in evidence.find("encodings", None, RPE) if task_of(r) == "parity-steps"]
    shares = {"as it is": 0.6, "operands hidden": hidden, "both hidden": hidden}
    return [{"run": r.spec.id, "seed": r.spec.seed, **shares} for r in runs]


def relations(evidence: StudyEvidence, *, refines: bool = True) -> list[dict[str, Any]]:
    """Return learned relations that tell the ideal one, or do not."""
    rows = ["0" * i for i in range(1, 22)]
    standing = {"distinct": 2, "distinct_given": 2, "equal": False, "refines": refines}
    found = {**standing, "agreement": 0.9}
    return [
        {"run": r.spec.id, "ranks": [rows, rows, rows], "trained": found, "beyond": found}
        for r in evidence.find("relations")
    ]
