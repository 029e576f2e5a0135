"""What Chen, Liang and Lin (2025) claim about trained models, as rules over evidence.

The claims stand in the study's frozen file. Every rule looks at the checkpoint that the paper's
rule chooses. *Generalizes* means at least 90% exact match at scales 16-20, by the interval over
seeds and instances. A seed that did not fit the trained scales has no say. Only the captions, the
abstract and the claims of Figure 1 are known to us first-hand; ``where`` says what each claim
rests on.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from lengthwise.records.intervals import mean_interval
from lengthwise.records.outcomes import Status, all_of, any_of, at_least, not_below
from lengthwise.studies.chen2025.cells import (
    LINES,
    TaskCell,
    at_scales,
    cell,
    cells,
    name_of,
    reported,
    stepwise,
    verdict,
)
from lengthwise.studies.chen2025.runs import CONTROL, IPE, RPE, SELECT, TASKS
from lengthwise.studies.chen2025.theory import THEORY
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.study import ClaimOutcome, Rule, inconclusive, not_run, outcome

PARITY = "parity-steps"
NOT_RUN = "not run at this size"


def _parity_ape(evidence: StudyEvidence) -> list[TaskCell]:
    found = cell(evidence, "encodings", PARITY, "ape")
    return [] if found is None else [found]


def _generalizes(evidence: StudyEvidence, group: str, task: str, encoding: str) -> ClaimOutcome:
    found = cell(reported(evidence), group, task, encoding)
    if found is None:
        return not_run(NOT_RUN)
    status, reason = found.status(holds=True), _last(evidence, group, found)
    return outcome(status, found.shown, found.interval, reason)


def _last(evidence: StudyEvidence, group: str, found: TaskCell) -> str:
    """Say what the last checkpoint and other initial weights give, and whether it fitted at all."""
    last = cell(evidence, group, found.task, found.encoding)
    parts = [] if last is None else [f"last checkpoint {last.far:.2f}"]
    other = cell(reported(evidence), "variants", found.task, found.encoding)
    if other is not None:
        parts.append(f"from smaller initial weights {other.far:.2f}")
    if not found.mostly_fitted:
        parts.append("trained scales not fitted")
    return "; ".join(parts)


def _check_order(evidence: StudyEvidence) -> ClaimOutcome:
    at = reported(evidence)
    found = [cell(at, "encodings", PARITY, encoding) for encoding in (IPE, RPE, "ape")]
    known = [c for c in found if c is not None]
    if len(known) < 3:
        return not_run(NOT_RUN)
    if not all(c.mostly_fitted for c in known):
        return inconclusive(_unfitted(known))
    if min(len(c.runs) for c in known) < LINES["seeds"]:
        return inconclusive("too few seeds")
    found_at = [at_scales(c.fitted, 6, 20) for c in known]
    ours = ", ".join(
        f"{name_of(c.encoding)} {a.accuracy:.2f}" for c, a in zip(known, found_at, strict=True)
    )
    parts: list[Status] = [not_below(one.interval, found_at[2].interval) for one in found_at[:2]]
    return outcome(all_of(parts), f"{ours} over 6-20")


def _unfitted(found: Sequence[TaskCell]) -> str:
    names = ", ".join(f"{c.label} {c.trained:.2f}" for c in found if not c.mostly_fitted)
    return f"did not fit the trained scales: {names}"


# ---- claims that something fails ----


def _all_fail(
    evidence: StudyEvidence, choose: Callable[[StudyEvidence], Sequence[TaskCell]]
) -> ClaimOutcome:
    """Hold if none of the chosen cells that fitted generalizes; not tested if none fitted."""
    every = choose(reported(evidence))
    if not every:
        return not_run(NOT_RUN)
    fitted = [c for c in every if c.mostly_fitted]
    if not fitted:
        return inconclusive(_unfitted(every))
    most = max(fitted, key=lambda c: c.far)
    statuses: dict[str, Status] = {c.label: c.status(holds=False) for c in fitted}
    fail = sum(status == "held" for status in statuses.values())
    ours = f"{fail} of {len(fitted)} fail; most {most.far:.2f} ({most.label}{most.by_seed})"
    reasons = [
        f"{what}: {', '.join(names)}"
        for what, kind in (("generalize", "not held"), ("open", "inconclusive"))
        if (names := [label for label, status in statuses.items() if status == kind])
    ]
    if len(fitted) < len(every):
        reasons.append(_unfitted(every))
    return outcome(all_of(statuses.values()), ours, most.interval, "; ".join(reasons))


# ---- Figure 2: six tasks ----


def _all_generalize(
    evidence: StudyEvidence, group: str, encoding: str, tasks: Sequence[str]
) -> ClaimOutcome:
    at = reported(evidence)
    found = [c for task in tasks if (c := cell(at, group, task, encoding)) is not None]
    if len(found) < len(tasks):
        return not_run(NOT_RUN)
    least = min(found, key=lambda c: c.far)
    ours = f"{sum(c.holds for c in found)} of {len(found)}; least {least.far:.2f} ({least.label})"
    short = [f"{c.label}: {c.shown}" for c in found if not c.holds or not c.mostly_fitted]
    statuses: list[Status] = [c.status(holds=True) for c in found]
    return outcome(all_of(statuses), ours, least.interval, "; ".join(short))


def _growing(evidence: StudyEvidence) -> list[TaskCell]:
    """Return the step-by-step cells whose relation makes SRC grow."""
    rows = ((c, verdict(evidence, c)) for c in stepwise(evidence))
    return [c for c, row in rows if row is not None and row["answer"] == "no"]


def _rpe_growing(evidence: StudyEvidence) -> list[TaskCell]:
    return [c for c in _growing(evidence) if c.encoding == RPE]


# ---- Figures 4 and 5: learned relations ----


def _check_selects(evidence: StudyEvidence, task: str) -> ClaimOutcome:
    """Hold if the best seed generalizes: the paper reports its best checkpoint."""
    whole = cell(reported(evidence), "relations", task, "lbpe")
    if whole is None:
        return not_run(NOT_RUN)
    seeds = [replace(whole, runs=(run,)) for run in whole.runs]
    best = max(seeds, key=lambda c: c.far)
    good = sum(c.mostly_fitted and c.holds for c in seeds)
    ours = f"best seed {best.far:.2f} at 16-20"
    every = ", ".join(f"{c.far:.2f}" for c in seeds)
    status = at_least(best.interval, LINES["generalizes"]) if best.mostly_fitted else "inconclusive"
    return outcome(status, ours, best.interval, f"{good} of {len(seeds)} seeds: {every}")


def _check_relations(evidence: StudyEvidence) -> ClaimOutcome:
    """Hold if in every task the relation of some seed determines the ideal one."""
    tasks = {r.spec.id: t for t in SELECT for c in [cell(evidence, "relations", t, "lbpe")] if c
             for r in c.runs}  # fmt: skip
    rows = [r for r in evidence.measures.get("learned-relations", ()) if r["run"] in tasks]
    if not rows:
        return not_run(NOT_RUN)
    good = {task: [0, 0] for task in SELECT}
    for row in rows:
        good[tasks[row["run"]]][0] += bool(row["trained"] and row["trained"]["refines"])
        good[tasks[row["run"]]][1] += 1
    ours = ", ".join(f"{task} {right} of {total}" for task, (right, total) in good.items())
    return outcome(all(right for right, _ in good.values()), f"{ours} seeds")


# ---- the conjecture ----


def _check_conjecture(evidence: StudyEvidence) -> ClaimOutcome:
    """Compare, task by task, SRC under the ideal relation with the best encoding."""
    at = reported(evidence)
    every = [*stepwise(at), *cells(at, "control")]
    parts: dict[str, Status] = {}
    for task in (*TASKS, CONTROL):
        fitted = [c for c in every if c.task == task and c.mostly_fitted]
        ideal = [row for c in every if c.task == task and "ipe" in c.encoding
                 if (row := verdict(at, c)) is not None]  # fmt: skip
        if fitted and ideal:
            some = any_of(c.status(holds=True) for c in fitted)
            none = all_of(c.status(holds=False) for c in fitted)
            parts[task] = some if ideal[0]["invariant"] else none
    if not parts:
        return inconclusive("no task's trained scales were fitted")
    missing = len(TASKS) + 1 - len(parts)
    reasons = [
        f"{what}: {', '.join(names)}"
        for what, kind in (("disagree", "not held"), ("open", "inconclusive"))
        if (names := [task for task, status in parts.items() if status == kind])
    ]
    reasons += [f"{missing} tasks fitted by no encoding"] if missing else []
    agree = sum(status == "held" for status in parts.values())
    ours = f"{agree} of {len(parts)} tasks agree"
    return outcome(all_of(parts.values()), ours, None, "; ".join(reasons))


def decided(evidence: StudyEvidence) -> list[tuple[TaskCell, Status]]:
    """Return the fitted cells about which SRC says yes or no, and whether that is measured."""
    at = reported(evidence)
    rows = ((c, verdict(at, c)) for g in ("encodings", "hint", "control") for c in cells(at, g))
    return [
        (c, c.status(holds=row["answer"] == "yes"))
        for c, row in rows
        if c.mostly_fitted and row is not None and row["answer"] != "undecided"
    ]


def _check_agreement(evidence: StudyEvidence) -> ClaimOutcome:
    rows = decided(evidence)
    if not rows:
        return not_run() if not evidence.records else inconclusive("no cell was fitted")
    wrong = [f"{c.label} {c.far:.2f}" for c, status in rows if status == "not held"]
    agree = sum(status == "held" for _, status in rows)
    ours = f"{agree} of {len(rows)} fitted cells agree"
    reason = f"disagree: {', '.join(wrong)}" if wrong else ""
    return outcome(all_of(status for _, status in rows), ours, None, reason)


# ---- why RPE stops ----


def _check_padding(evidence: StudyEvidence) -> ClaimOutcome:
    """Hold if steps are right once digits are hidden that stand where training had padding."""
    rows = evidence.measures.get("plateau", ())
    if not rows:
        return not_run(NOT_RUN)
    if len(rows) < LINES["seeds"]:
        return inconclusive(f"{len(rows)} of {LINES['seeds']:.0f} seeds")
    shares = {
        name: [row[name] for row in rows] for name in ("as it is", "operands hidden", "both hidden")
    }
    ours = ", ".join(f"{name} {fmean(values):.2f}" for name, values in shares.items())
    better = [b - a for a, b in zip(shares["as it is"], shares["operands hidden"], strict=True)]
    parts: list[Status] = [
        at_least(mean_interval(shares["operands hidden"]), LINES["step"]),
        at_least(mean_interval(better), 0.0),
    ]
    return outcome(all_of(parts), f"steps right at scales 16-20: {ours}")


RULES: dict[str, Rule] = {
    "generalizes": _generalizes,
    "all_generalize": _all_generalize,
    "parity-ape": partial(_all_fail, choose=_parity_ape),
    "parity-order": _check_order,
    "roles": partial(_all_fail, choose=_growing),
    "rpe-constant": partial(_all_fail, choose=_rpe_growing),
    "selects": _check_selects,
    "lbpe-relation": _check_relations,
    "growing-src": partial(_all_fail, choose=lambda evidence: list(cells(evidence, "control"))),
    "conjecture": _check_conjecture,
    "conjecture-relations": _check_agreement,
    "rpe-padding": _check_padding,
    **THEORY,
}
