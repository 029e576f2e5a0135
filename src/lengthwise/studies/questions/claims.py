"""What we ask beyond the papers, as predicates with no published number."""

from functools import partial
from statistics import fmean

from lengthwise.records.thresholds import LINE
from lengthwise.studies.evidence import StudyEvidence, StudyRun
from lengthwise.studies.questions.runs import FAILING, IMPOSSIBLE, SCALED, VARIANTS
from lengthwise.studies.study import Claim, ClaimOutcome, inconclusive, not_run, outcome

FITS = 0.9
"""Exact match at the training lengths from which a run says something about longer ones."""


def claims(size: str) -> list[Claim]:
    """Return all questions."""
    lead = [
        Claim(
            f"scale-{task}",
            "our question",
            f"{task}: NoPE is the best of the encodings at every model size that fits",
            "not reported",
            partial(_check_scale, task=task),
        )
        for task in SCALED
    ]
    causes = [
        Claim(
            f"failure-{name}",
            "our question",
            f"{name} with learned positions falls short of its prediction by chance of the seed "
            "or lack of training, not for every variation",
            "the paper's own runs carry over",
            partial(_check_failure, name=name),
        )
        for name in FAILING
    ]
    late = [
        Claim(
            f"impossible-{name}",
            "our question",
            f"{name}: long answers begin right and go wrong later",
            "not reported",
            partial(_check_impossible, name=name),
        )
        for name in IMPOSSIBLE
    ]
    return [*lead, *causes, *late]


def sizes(evidence: StudyEvidence) -> list[str]:
    """Return the model sizes in the order they were run."""
    groups = dict.fromkeys(r.group for r in evidence.records if r.group.startswith("scale/"))
    return [group.removeprefix("scale/") for group in groups]


def by_encoding(evidence: StudyEvidence, size: str, task: str) -> dict[str, tuple[float, float]]:
    """Return exact match (trained, unseen) of every encoding at one model size."""
    return {
        record.encoding: (record.accuracies[0], record.unseen.accuracy)
        for record in evidence.find(f"scale/{size}", task)
    }


def _check_scale(evidence: StudyEvidence, task: str) -> ClaimOutcome:
    best: list[str] = []
    unfitted: list[str] = []
    lead = True
    for size in sizes(evidence):
        values = by_encoding(evidence, size, task)
        if "nope" not in values:
            continue
        if values["nope"][0] < FITS:
            unfitted.append(size)
            continue
        top = max(values, key=lambda name: values[name][1])
        lead = lead and values["nope"][1] >= values[top][1] - 0.02
        best.append(f"{size}: NoPE {values['nope'][1]:.2f}, best {top} {values[top][1]:.2f}")
    reason = f"NoPE did not fit the training lengths: {', '.join(unfitted)}" if unfitted else ""
    if not best:
        return inconclusive(reason) if reason else not_run()
    return outcome(lead, "; ".join(best), None, reason)


def variants(evidence: StudyEvidence, name: str) -> dict[str, StudyRun]:
    """Return the run of every variation of a problem."""
    found = {v: evidence.find(f"failure/{name}/{v}") for v in VARIANTS}
    return {variant: records[0] for variant, records in found.items() if records}


def _check_failure(evidence: StudyEvidence, name: str) -> ClaimOutcome:
    found = variants(evidence, name)
    if len(found) < len(VARIANTS):
        return not_run("not run")
    last = {variant: record.accuracies[-1] for variant, record in found.items()}
    ours = ", ".join(f"{variant} {100 * value:.0f}" for variant, value in last.items())
    return outcome(max(last.values()) >= LINE, f"longest bin: {ours}")


def _check_impossible(evidence: StudyEvidence, name: str) -> ClaimOutcome:
    rows = [
        row
        for row in evidence.measures.get("first-errors", ())
        if row["task"] == name and row["wrong"] and row is not None
    ]
    longest = max((row["high"] for row in rows), default=0)
    last = [row for row in rows if row["high"] == longest]
    if not last:
        return not_run("no errors to look at")
    later = fmean(1 - row["tenths"][0] / row["wrong"] for row in last)
    ours = f"{100 * later:.0f}% of wrong answers at {last[0]['low']}-{longest} have a right tenth"
    return outcome(later >= 0.5, ours)
