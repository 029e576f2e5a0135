"""Our own questions can be answered both ways."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.runs.experiment import check
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.questions import STUDY
from lengthwise.studies.questions.measures import TENTHS, _tenths
from tests.studies.synthetic import record


def outcomes(nope: float, other: float, far: float, tenths: list[int]) -> set[str]:
    records = []
    for planned in STUDY.plan("laptop", StudyEvidence("laptop")):
        if planned.group.startswith("scale"):
            value = nope if str(planned.spec.position) == "nope" else other
            records.append(record(planned.group, planned.spec, 1.0, value))
        elif planned.group.startswith("failure"):
            records.append(record(planned.group, planned.spec, 1.0, far, far))
    rows = [
        {"task": task, "low": 1, "high": 9, "wrong": sum(tenths), "tenths": tenths}
        for task in ("repeat-copy", "addition")
    ]
    found = StudyEvidence("laptop", tuple(records), {"first-errors": rows})
    return {claim.check(found).status for claim in STUDY.claims("laptop")}


def test_questions_are_answered_both_ways():
    assert outcomes(0.9, 0.1, 0.9, [1, 9]) == {"held"}
    assert outcomes(0.1, 0.9, 0.1, [9, 1]) == {"not held"}
    empty = {claim.check(StudyEvidence("laptop")).status for claim in STUDY.claims("laptop")}
    assert empty == {"not run"}


def test_the_runs_can_be_built():
    for size in ("smoke", "laptop"):
        for planned in STUDY.plan(size, StudyEvidence(size)):
            check(planned.spec)
    assert len(STUDY.plan("paper", StudyEvidence("paper"))) == 4 * 4 + 2 * 6 + 4


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=25), min_size=1, max_size=5))
def test_first_errors_match_a_slow_count(answers):
    width = max(map(len, answers))
    supervised = np.array([[i < len(row) for i in range(width)] for row in answers])
    wrong = np.array([value for row in answers for value in row])
    slow = [min(TENTHS - 1, TENTHS * row.index(True) // len(row)) for row in answers if any(row)]
    assert _tenths(wrong, supervised).tolist() == slow
