"""What Chen, Liang and Lin (2025) claim about trained models, as predicates over evidence.

Every predicate looks at the checkpoint that the paper's rule chooses. *Generalizes* means at least
90% exact match at scales 16-20. A claim that something fails to generalize is tested only where
the trained scales were fitted (95%). Only the captions, the abstract and the claims of Figure 1
are known to us first-hand; ``where`` says what each claim rests on.
"""

from collections.abc import Callable, Sequence
from functools import partial

from lengthwise.records.accuracy import pool
from lengthwise.studies.chen2025.cells import (
    TaskCell,
    cell,
    cells,
    name_of,
    reported,
    stepwise,
    verdict,
)
from lengthwise.studies.chen2025.runs import ARITHMETIC, CONTROL, RPE, SELECT, TASKS
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.study import Claim, ClaimOutcome, inconclusive, not_run, outcome

STATED, FOLLOWS, READING = "stated", "follows from what is stated", "our reading"
UNKNOWN = "values not known to us"
PARITY = "parity-steps"
NOT_RUN = "not run at this size"


def empirical_claims() -> list[Claim]:
    """Return the claims that runs decide."""
    return [*_parity(), *_six_tasks(), *_hint(), *_learned(), *_conjecture()]


# ---- Figures 1 and 2: parity with steps ----


def _parity() -> list[Claim]:
    return [
        Claim(
            "parity-ipe",
            f"Figures 1, 2 ({STATED})",
            "parity with steps: IPE generalizes from scales 1-5 to 20",
            f"yes ({UNKNOWN})",
            partial(_generalizes, group="encodings", task=PARITY, encoding="ipe"),
        ),
        Claim(
            "parity-rpe",
            f"Figures 1, 2 ({STATED})",
            "parity with steps: RPE generalizes from scales 1-5 to 20",
            f"yes ({UNKNOWN})",
            partial(_generalizes, group="encodings", task=PARITY, encoding=RPE),
        ),
        Claim(
            "parity-ape",
            f"Figures 1, 2 ({STATED})",
            "parity with steps: APE fails to generalize",
            f"fails ({UNKNOWN})",
            partial(_all_fail, choose=_parity_ape),
        ),
        Claim(
            "parity-order",
            f"Figures 1, 2 ({FOLLOWS})",
            "parity with steps: IPE and RPE are both better than APE at unseen scales",
            f"yes ({UNKNOWN})",
            _check_order,
        ),
    ]


def _parity_ape(evidence: StudyEvidence) -> list[TaskCell]:
    found = cell(evidence, "encodings", PARITY, "ape")
    return [] if found is None else [found]


def _generalizes(evidence: StudyEvidence, group: str, task: str, encoding: str) -> ClaimOutcome:
    found = cell(reported(evidence), group, task, encoding)
    if found is None:
        return not_run(NOT_RUN)
    return outcome(found.holds, found.shown, found.interval, _last(evidence, group, found))


def _last(evidence: StudyEvidence, group: str, found: TaskCell) -> str:
    """Say what the last checkpoint and other initial weights give, and whether it fitted at all."""
    last = cell(evidence, group, found.task, found.encoding)
    parts = [] if last is None else [f"last checkpoint {last.far:.2f}"]
    other = cell(reported(evidence), "variants", found.task, found.encoding)
    if other is not None:
        parts.append(f"from smaller initial weights {other.far:.2f}")
    if not found.fits:
        parts.append("trained scales not fitted")
    return "; ".join(parts)


def _check_order(evidence: StudyEvidence) -> ClaimOutcome:
    at = reported(evidence)
    found = [cell(at, "encodings", PARITY, encoding) for encoding in ("ipe", RPE, "ape")]
    known = [c for c in found if c is not None]
    if len(known) < 3:
        return not_run(NOT_RUN)
    if not all(c.fits for c in known):
        return inconclusive(_unfitted(known))
    scores = [pool(record.unseen for record in c.records).accuracy for c in known]
    ours = ", ".join(f"{name_of(c.encoding)} {s:.2f}" for c, s in zip(known, scores, strict=True))
    return outcome(min(scores[:2]) > scores[2], f"{ours} over 6-20")


def _unfitted(found: Sequence[TaskCell]) -> str:
    names = ", ".join(f"{c.label} {c.trained:.2f}" for c in found if not c.fits)
    return f"did not fit the trained scales: {names}"


# ---- claims that something fails ----


def _all_fail(
    evidence: StudyEvidence, choose: Callable[[StudyEvidence], Sequence[TaskCell]]
) -> ClaimOutcome:
    """Hold if none of the chosen cells that fitted generalizes; not tested if none fitted."""
    every = choose(reported(evidence))
    if not every:
        return not_run(NOT_RUN)
    fitted = [c for c in every if c.fits]
    if not fitted:
        return inconclusive(_unfitted(every))
    most = max(fitted, key=lambda c: c.far)
    good = [c.label for c in fitted if c.holds]
    ours = f"{len(fitted) - len(good)} of {len(fitted)} fail; most {most.far:.2f} ({most.label})"
    reasons = [f"generalize: {', '.join(good)}"] if good else []
    if len(fitted) < len(every):
        reasons.append(_unfitted(every))
    return outcome(not good, ours, most.interval, "; ".join(reasons))


# ---- Figure 2: six tasks ----


def _six_tasks() -> list[Claim]:
    return [
        Claim(
            "ipe-six",
            f"Figure 2 ({FOLLOWS})",
            "IPE generalizes on all six tasks",
            f"yes ({UNKNOWN})",
            partial(_all_generalize, group="encodings", encoding="ipe", tasks=TASKS),
        ),
        Claim(
            "roles",
            f"abstract, Figure 2 ({FOLLOWS})",
            "an encoding under whose relation SRC grows fails beyond scale 5, though it fits 1-5",
            f"fails ({UNKNOWN})",
            partial(_all_fail, choose=_growing),
        ),
        Claim(
            "rpe-constant",
            f"Figure 2 ({READING})",
            "RPE fails on shift, multiplication and division: the distance to an operand grows",
            "not stated",
            partial(_all_fail, choose=_rpe_growing),
        ),
    ]


def _all_generalize(
    evidence: StudyEvidence, group: str, encoding: str, tasks: Sequence[str]
) -> ClaimOutcome:
    at = reported(evidence)
    found = [c for task in tasks if (c := cell(at, group, task, encoding)) is not None]
    if len(found) < len(tasks):
        return not_run(NOT_RUN)
    least = min(found, key=lambda c: c.far)
    ours = f"{sum(c.holds for c in found)} of {len(found)}; least {least.far:.2f} ({least.label})"
    short = [f"{c.label}: {c.shown}" for c in found if not c.holds]
    return outcome(not short, ours, least.interval, "; ".join(short))


def _growing(evidence: StudyEvidence) -> list[TaskCell]:
    """Return the step-by-step cells whose relation makes SRC grow."""
    rows = ((c, verdict(evidence, c)) for c in stepwise(evidence))
    return [c for c, row in rows if row is not None and row["answer"] == "no"]


def _rpe_growing(evidence: StudyEvidence) -> list[TaskCell]:
    return [c for c in _growing(evidence) if c.encoding == RPE]


# ---- Figure 3: scale hints ----


def _hint() -> list[Claim]:
    return [
        Claim(
            "hint",
            f"Figure 3 ({FOLLOWS}: the purpose of SH)",
            "IPE-SH generalizes without alignment on addition, multiplication and division",
            f"yes ({UNKNOWN})",
            partial(_all_generalize, group="hint", encoding="ipe-sh", tasks=ARITHMETIC),
        ),
    ]


# ---- Figures 4 and 5: learned relations ----


def _learned() -> list[Claim]:
    every = [
        Claim(
            f"lbpe-{task.removeprefix('select-')}",
            f"Figure 4 ({FOLLOWS}: the purpose of LBPE)",
            f"LBPE trained at scales 1-10 selects the {task.removeprefix('select-')} token to 20",
            f"yes ({UNKNOWN})",
            partial(_check_selects, task=task),
        )
        for task in SELECT
    ]
    relation = Claim(
        "lbpe-relation",
        f"Figure 5 ({READING})",
        "at trained scales the likeliest learned value tells the selected key from the others",
        "maps drawn, not described to us",
        _check_relations,
    )
    return [*every, relation]


def _check_selects(evidence: StudyEvidence, task: str) -> ClaimOutcome:
    """Hold if the best seed generalizes: the paper reports its best checkpoint."""
    whole = cell(reported(evidence), "relations", task, "lbpe")
    if whole is None:
        return not_run(NOT_RUN)
    seeds = [TaskCell(whole.task, whole.encoding, (record,)) for record in whole.records]
    best = max(seeds, key=lambda c: c.far)
    good = sum(c.holds for c in seeds)
    ours = f"best seed {best.far:.2f} at 16-20"
    every = ", ".join(f"{c.far:.2f}" for c in seeds)
    return outcome(best.holds, ours, best.interval, f"{good} of {len(seeds)} seeds: {every}")


def _check_relations(evidence: StudyEvidence) -> ClaimOutcome:
    """Hold if in every task the relation of some seed determines the ideal one."""
    tasks = {r.spec.id: t for t in SELECT for c in [cell(evidence, "relations", t, "lbpe")] if c
             for r in c.records}  # fmt: skip
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


def _conjecture() -> list[Claim]:
    return [
        Claim(
            "growing-src",
            f"abstract ({STATED}; the task is our choice)",
            "no encoding generalizes on parity without steps, whose SRC grows",
            f"fails ({UNKNOWN})",
            partial(_all_fail, choose=lambda evidence: list(cells(evidence, "control"))),
        ),
        Claim(
            "conjecture",
            f"section V-A ({STATED} as a conjecture)",
            "some encoding generalizes on a task if and only if SRC does not grow",
            "conjectured",
            _check_conjecture,
        ),
        Claim(
            "conjecture-relations",
            f"section V-A ({READING}, encoding by encoding)",
            "an encoding generalizes if and only if SRC under its own relation does not grow",
            "not stated",
            _check_agreement,
        ),
    ]


def _check_conjecture(evidence: StudyEvidence) -> ClaimOutcome:
    """Compare, task by task, SRC under the ideal relation with the best encoding."""
    at = reported(evidence)
    every = [*stepwise(at), *cells(at, "control")]
    rows = []
    for task in (*TASKS, CONTROL):
        fitted = [c for c in every if c.task == task and c.fits]
        ideal = [row for c in every if c.task == task and "ipe" in c.encoding
                 if (row := verdict(at, c)) is not None]  # fmt: skip
        if fitted and ideal:
            rows.append((task, any(c.holds for c in fitted), ideal[0]["invariant"]))
    if not rows:
        return inconclusive("no task's trained scales were fitted")
    wrong = [task for task, holds, invariant in rows if holds != invariant]
    missing = len(TASKS) + 1 - len(rows)
    reasons = [f"disagree: {', '.join(wrong)}"] if wrong else []
    reasons += [f"{missing} tasks fitted by no encoding"] if missing else []
    ours = f"{len(rows) - len(wrong)} of {len(rows)} tasks agree"
    return outcome(not wrong, ours, None, "; ".join(reasons))


def decided(evidence: StudyEvidence) -> list[tuple[TaskCell, bool]]:
    """Return the fitted cells about which SRC says yes or no, and whether that is measured."""
    at = reported(evidence)
    rows = ((c, verdict(at, c)) for g in ("encodings", "hint", "control") for c in cells(at, g))
    return [
        (c, (row["answer"] == "yes") == c.holds)
        for c, row in rows
        if c.fits and row is not None and row["answer"] != "undecided"
    ]


def _check_agreement(evidence: StudyEvidence) -> ClaimOutcome:
    rows = decided(evidence)
    if not rows:
        return inconclusive("no cell's trained scales were fitted")
    wrong = [f"{c.label} {c.far:.2f}" for c, agrees in rows if not agrees]
    ours = f"{len(rows) - len(wrong)} of {len(rows)} fitted cells agree"
    return outcome(not wrong, ours, None, f"disagree: {', '.join(wrong)}" if wrong else "")
