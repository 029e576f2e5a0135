"""What Chen, Liang and Lin (2025) prove about position-only linear attention, as predicates.

The theorems' names and roles are the paper's; their conclusions are our reconstruction.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lengthwise.studies.chen2025.runs import ARITHMETIC
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.study import ClaimOutcome, Rule, not_run, outcome

TOLERANCE = 1e-9


def _check_theorem_1(evidence: StudyEvidence) -> ClaimOutcome:
    found = evidence.measures.get("theorem-1")
    if found is None:
        return not_run("not measured")
    rows = [row for row in found["rows"] if row["counted share"] < 1]
    slope = _slope(rows)
    exact = all(math.isclose(row["counted share"], row["formula"]) for row in found["rows"])
    size = found["dimensions"]
    ours = f"slope {slope:.2f} for a codimension of {found['codimension']}"
    given = f"{size['generalizing_given_block']} of {size['concepts_given_block']}"
    held = exact and math.isclose(slope, -found["codimension"])
    return outcome(held, ours, None, f"dimension {given} for scales 5 and 20 by the same count")


def _slope(rows: Sequence[Mapping[str, Any]]) -> float:
    """Return the slope of log share against log resolution between the ends."""
    first, last = rows[0], rows[-1]
    rise = math.log(last["counted share"] / first["counted share"])
    return rise / math.log(last["levels"] / first["levels"])


def _check_theorem_2(evidence: StudyEvidence) -> ClaimOutcome:
    found = evidence.measures.get("theorem-2")
    if found is None:
        return not_run("not measured")
    wrong = sum(mismatches for mismatches, _ in found.values())
    targets = sum(total for _, total in found.values())
    return outcome(wrong == 0, f"{wrong} mismatches in {targets}", None, "every target of scale 3")


def _check_table(evidence: StudyEvidence) -> ClaimOutcome:
    rows = evidence.measures.get("linear")
    if not rows:
        return not_run("not measured")
    wrong = [row["target"] for row in rows if row["fits"]["ideal"]["right"] != row["predicted"]]
    reason = f"disagree: {', '.join(wrong)}" if wrong else ""
    return outcome(not wrong, f"{len(rows) - len(wrong)} of {len(rows)} targets", None, reason)


def _check_growing(evidence: StudyEvidence) -> ClaimOutcome:
    rows = {row["target"]: row for row in evidence.measures.get("linear", ())}
    if not {"mean", "decay"} <= set(rows):
        return not_run("not measured")
    expected = {"mean": 0.2, "decay": 0.5**4}
    errors = {name: rows[name]["fits"]["ideal"]["error"] for name in expected}
    exact = all(abs(errors[name] - value) < TOLERANCE for name, value in expected.items())
    growing = [row for row in rows.values() if row["lrc"][0] < row["lrc"][1]]
    right = [
        f"{row['target']} {name}" for row in growing for name, fit in row["fits"].items()
        if fit["right"]
    ]  # fmt: skip
    ours = f"{errors['mean']:.4g} and {errors['decay']:.4g}; {len(growing)} growing targets"
    reason = f"right all the same: {', '.join(right)}" if right else ""
    return outcome(exact and not right, ours, None, reason)


def _check_alignment(evidence: StudyEvidence) -> ClaimOutcome:
    rows = evidence.measures.get("alignment")
    if not rows:
        return not_run("not measured")
    found = {(row["task"], row["layout"]): row["conflicts"] for row in rows}
    held = all(found[task, "aligned"] == 0 and found[task, "unaligned"] > 0 for task in ARITHMETIC)
    pairs = ", ".join(
        f"{task.removesuffix('-steps')} {found[task, 'aligned']}/{found[task, 'unaligned']}"
        for task in ARITHMETIC
    )
    return outcome(held, f"{pairs} pairs in conflict with/without")


THEORY: dict[str, Rule] = {
    "theorem-1": _check_theorem_1,
    "theorem-2": _check_theorem_2,
    "lrc-table": _check_table,
    "lrc-grows": _check_growing,
    "alignment": _check_alignment,
}
"""Rules that are decided by numbers, without training a transformer."""
