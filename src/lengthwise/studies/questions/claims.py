"""What we ask beyond the papers, as rules; the questions stand in the study's frozen file."""

from collections.abc import Sequence
from statistics import fmean

from lengthwise.records.accuracy import pool, pool_seeds
from lengthwise.records.intervals import Interval
from lengthwise.records.outcomes import Status, all_of, any_of, at_most, not_below
from lengthwise.studies.evidence import Cell, StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.questions.runs import encoder_group, regularised_group
from lengthwise.studies.study import ClaimOutcome, Rule, cell_claim, inconclusive, not_run, outcome

LINES = frozen("questions").lines
SEEDS = int(LINES["seeds"])


def unseen(cell: Cell) -> tuple[float, Interval]:
    """Return exact match over unseen lengths, with its interval over seeds and instances."""
    found = pool(cell.bins[1:])
    return found.accuracy, found.interval


# ---- size ----


def leads(evidence: StudyEvidence, task: str, encodings: Sequence[str]) -> ClaimOutcome:
    """NoPE is not below any other encoding, at every size at which both fit."""
    parts: list[Status] = []
    texts: list[str] = []
    missing: list[str] = []
    sizes = dict.fromkeys(
        r.group.split("/")[2] for r in evidence.records if r.group.startswith(f"scale/{task}/")
    )
    if not sizes:
        return not_run()
    for label in sizes:
        cells = {e: evidence.cell(f"scale/{task}/{label}/{e}") for e in ("nope", *encodings)}
        ready = {e: c for e, c in cells.items() if c is not None and c.outcome != "not fitted"}
        if any(c is None for c in cells.values()):
            return not_run()
        if min(len(c.runs) for c in cells.values() if c) < SEEDS:
            return inconclusive(f"fewer than {SEEDS} seeds")
        missing += [f"{label} {e}" for e in cells if e not in ready]
        if "nope" in ready and len(ready) > 1:
            mine, around = unseen(ready["nope"])
            others = {e: unseen(c) for e, c in ready.items() if e != "nope"}
            parts.extend(not_below(around, other[1], LINES["close"]) for other in others.values())
            best = max(others, key=lambda e: others[e][0])
            texts.append(f"{label}: NoPE {mine:.2f}, next {best} {others[best][0]:.2f}")
    reason = f"not fitted: {', '.join(missing)}" if missing else ""
    if not parts:
        return inconclusive(reason)
    return outcome(all_of(parts), "; ".join(texts), None, reason)


# ---- the regulariser ----


def some_strength_helps(
    evidence: StudyEvidence, strengths: Sequence[float], plain: float = 0.0
) -> ClaimOutcome:
    """With some strength of the penalty the longest lengths come out better than without."""
    cells = {s: evidence.cell(regularised_group(s)) for s in (plain, *strengths)}
    known = {strength: cell for strength, cell in cells.items() if cell is not None}
    if len(known) < len(cells):
        return not_run()
    ours = "; ".join(f"{s:g}: {cell.shown}" for s, cell in known.items())
    if min(len(cell.runs) for cell in known.values()) < SEEDS:
        return inconclusive(f"fewer than {SEEDS} seeds", ours)
    if known[plain].outcome == "not fitted":
        return inconclusive("not fitted without penalty", ours)
    base = known[plain].bins[-1].interval
    parts: list[Status] = [
        _above(cell.bins[-1].interval, base)
        for strength, cell in known.items()
        if strength != plain and cell.outcome != "not fitted"
    ]
    return outcome(any_of(parts) if parts else "inconclusive", ours)


def _above(one: Interval, other: Interval) -> Status:
    if one[0] > other[1]:
        return "held"
    return "not held" if one[1] <= other[0] + LINES["close"] else "inconclusive"


# ---- encoders ----


def encoder(
    evidence: StudyEvidence, task: str, encodings: Sequence[str], direction: str, holds: bool
) -> ClaimOutcome:
    """Models of one direction carry a task over with each of some encodings, or with none."""
    cells = {e: evidence.cell(encoder_group(task, e, direction)) for e in encodings}
    found = {e: cell_claim(cell, holds, SEEDS) for e, cell in cells.items()}
    ours = "; ".join(f"{e}: {one.ours}" for e, one in found.items())
    reason = "; ".join(f"{e}: {one.reason}" for e, one in found.items() if one.reason)
    return outcome(all_of(one.status for one in found.values()), ours, None, reason)


def encoder_cannot_fit(
    evidence: StudyEvidence, task: str, encoding: str, direction: str, line: float
) -> ClaimOutcome:
    """Models do not even fit the training lengths: what they would need is invisible to them."""
    cell = evidence.cell(encoder_group(task, encoding, direction))
    if cell is None:
        return not_run()
    first = pool_seeds(run.bins for run in cell.runs)[0]  # of all seeds: fitting is the question
    ours = f"{first.accuracy:.2f} in distribution"
    if len(cell.runs) < SEEDS:
        return inconclusive(f"fewer than {SEEDS} seeds", ours)
    return outcome(at_most(first.interval, line), ours, first.interval)


# ---- impossible tasks ----


def begins_right(evidence: StudyEvidence, task: str) -> ClaimOutcome:
    """Wrong long answers begin with a right tenth, more often than not."""
    rows = [
        row
        for row in evidence.measures.get("first-errors", ())
        if row["task"] == task and row["wrong"]
    ]
    longest = max((row["high"] for row in rows), default=0)
    last = [row for row in rows if row["high"] == longest]
    if not last:
        return not_run("no errors to look at")
    later = fmean(1 - row["tenths"][0] / row["wrong"] for row in last)
    ours = f"{100 * later:.0f}% of wrong answers at {last[0]['low']}-{longest} have a right tenth"
    return outcome(later >= 0.5, ours)


RULES: dict[str, Rule] = {
    "leads": leads,
    "some_strength_helps": some_strength_helps,
    "encoder": encoder,
    "encoder_cannot_fit": encoder_cannot_fit,
    "begins_right": begins_right,
}
