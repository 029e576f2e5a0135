"""Our own questions can be answered both ways, and stay open where nothing is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.runs.experiment import check
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.questions import STUDY
from lengthwise.studies.questions.endings import cause, reach
from lengthwise.studies.questions.measures import TENTHS, _tenths
from tests.studies.synthetic import record

GOOD, BAD = 0.97, 0.1


def evidence(good: bool, *, trained: float = 1.0, seeds: int = 5) -> StudyEvidence:
    """Every run as the questions expect, or the opposite."""
    records = []
    for planned in STUDY.plan("laptop", StudyEvidence("laptop")):
        kind, *rest = planned.group.split("/")
        high = {
            "scale": rest[-1] == "nope",
            "regularise": planned.group == "regularise/0.001",
            "encoder": rest[0] != "parity",
            "impossible": False,
        }[kind]
        fit = trained
        if planned.group == "encoder/d-2/nope/both ways" and good:
            fit, high = 0.6, False
        if kind == "regularise" and not good:
            high = planned.group == "regularise/0"
        elif not good:
            high = not high
        values = [GOOD if high else BAD] * len(planned.spec.evaluation.lengths)
        if planned.spec.seed < seeds:
            records.append(record(planned.group, planned.spec, fit, *values))
    tenths = [1, 9] if good else [9, 1]
    rows = [
        {"task": task, "low": 1, "high": 9, "wrong": 10, "tenths": tenths}
        | {"encoding": "ape", "instances": 20, "symbols": 0.9}
        for task in ("repeat-copy", "addition")
    ]
    return StudyEvidence("laptop", tuple(records), {"first-errors": rows})


def statuses(found: StudyEvidence) -> dict[str, str]:
    return {claim.name: claim.check(found).status for claim in STUDY.claims}


def test_questions_are_answered_both_ways():
    assert set(statuses(evidence(True)).values()) == {"held"}
    assert set(statuses(evidence(False)).values()) == {"not held"}
    assert set(statuses(StudyEvidence("laptop")).values()) == {"not run"}


def test_fewer_seeds_or_models_that_did_not_fit_leave_them_open():
    measured = {"impossible-repeat-copy", "impossible-addition"}
    few = {n: s for n, s in statuses(evidence(True, seeds=4)).items() if n not in measured}
    assert set(few.values()) == {"inconclusive"}
    unfitted = statuses(evidence(True, trained=0.5))
    for name in ("scale-copy-v1-text", "regularise", "encoder-majority", "encoder-parity"):
        assert unfitted[name] == "inconclusive"


@pytest.mark.parametrize(
    ("trained", "curve", "far", "why"),
    [
        (1.0, lambda n: 0.9, 2.0, "carries over"),
        (1.0, lambda n: 0.9 if n <= 16 else 0.0, 1.6, "falls later"),
        (1.0, lambda n: 0.0, 1.0, "falls at once"),
        (0.5, lambda n: 0.9, 0.0, "not fitted"),
    ],
)
def test_reach_and_cause_are_read_off_the_counts(trained, curve, far, why):
    planned = STUDY.plan("laptop", StudyEvidence("laptop"))[0]
    run = record(planned.group, planned.spec, trained, curve)
    assert (reach(run), cause(run)) == (far, why)


def test_the_runs_can_be_built():
    for size in ("smoke", "laptop"):
        for planned in STUDY.plan(size, StudyEvidence(size)):
            if planned.spec.seed == 0:
                check(planned.spec)
    both = [p for p in STUDY.plan("laptop", StudyEvidence("laptop")) if p.spec.model.bidirectional]
    assert len(both) == 3 * 2 * 5
    assert all(p.spec.task.name == "label" for p in both)


def test_tables_show_every_seed():
    tables = {table.title: table for table in STUDY.tables(evidence(True))}
    assert len(tables) == 5
    (reached,) = (t for title, t in tables.items() if title.startswith("Reach"))
    assert all(len(row[-1].split()) == 5 for row in reached.rows)
    assert STUDY.figures(evidence(True))[0].data


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=25), min_size=1, max_size=5))
def test_first_errors_match_a_slow_count(answers):
    width = max(map(len, answers))
    supervised = np.array([[i < len(row) for i in range(width)] for row in answers])
    wrong = np.array([value for row in answers for value in row])
    slow = [min(TENTHS - 1, TENTHS * row.index(True) // len(row)) for row in answers if any(row)]
    assert _tenths(wrong, supervised).tolist() == slow
