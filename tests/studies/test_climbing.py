"""Every seed climbs by itself, stops at its first fit, and the run that fitted counts."""

import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lengthwise.studies.climbing import Climb
from lengthwise.studies.evidence import Cell, StudyEvidence, StudyRun
from lengthwise.studies.study import cell_claim
from tests.studies.synthetic import record

PROBLEM = Climb(
    group="cell", task="parity", encoding="nope", trained=(1, 3), tests=((4, 6), (7, 9)), rungs=3
)


def played(first_fit: list[int], far: list[float]) -> StudyEvidence:
    """Make every run that is planned; seed s fits from rung ``first_fit[s]`` on."""
    evidence = StudyEvidence("laptop")
    while True:
        known = {r.spec.id for r in evidence.records}
        planned = replace(PROBLEM, seeds=len(first_fit)).runs(evidence)
        new = [p for p in planned if p.spec.id not in known]
        if not new:
            return evidence
        made: list[StudyRun] = []
        for p in new:
            seed = p.spec.seed
            near = 1.0 if p.rung >= first_fit[seed] else 0.5
            one = record("cell", p.spec, near, far[seed], far[seed])
            made.append(StudyRun(**{**vars(one), "rung": p.rung}))
        evidence = StudyEvidence("laptop", (*evidence.records, *made))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_runs_are_made_up_to_the_first_fit_of_every_seed(first_fit):
    evidence = played(first_fit, [1.0] * len(first_fit))
    rungs = {s: [r.rung for r in evidence.records if r.spec.seed == s] for s in range(5)}
    for seed, fit in enumerate(first_fit):
        assert sorted(rungs[seed]) == list(range(min(fit, 2) + 1))
    cell = Cell.of(evidence.records)
    assert cell is not None
    assert [run.rung for run in cell.runs] == [min(fit, 2) for fit in first_fit]
    assert len(cell.fitted) == sum(fit < 3 for fit in first_fit)
    assert cell.tried == len(evidence.records)


def test_all_seeds_are_shown_and_those_that_did_not_fit_have_no_say():
    cell = Cell.of(played([0, 1, 3, 0], [0.9, 0.8, 0.1, 1.0]).records)
    assert cell is not None
    assert (cell.outcome, cell.by_seed, cell.rungs) == ("holds", "90 80 (10) 100", "1 2 3 1")
    assert cell.reason == "1 of 4 seeds not fitted"
    assert cell.shown == "100.0 / 90.0 / 90.0 (90 80 (10) 100)"
    mixed = Cell.of(played([0, 0], [0.9, 0.1]).records)
    assert mixed is not None
    assert (mixed.outcome, mixed.reason) == ("mixed", "mixed: 1 of 2 fitted seeds hold")


def test_a_claim_about_a_cell_needs_seeds_that_fit_and_agree():
    def status(first_fit, far, holds, seeds=3):
        return cell_claim(Cell.of(played(first_fit, far).records), holds, seeds).status

    assert status([0, 0, 1], [0.9, 0.8, 1.0], True) == "held"
    assert status([0, 0, 1], [0.9, 0.8, 1.0], False) == "not held"
    for holds in (True, False):
        assert status([0, 0, 0], [0.9, 0.1, 1.0], holds) == "not held"
        assert status([3, 3, 0], [0.1, 0.1, 0.1], holds) == "inconclusive"
        assert status([0, 0], [0.9, 0.9], holds) == "inconclusive"
    assert cell_claim(None, True, 3).status == "not run"


def test_the_order_of_records_does_not_matter():
    records = played([1, 2], [0.9, 0.1]).records
    cells = [Cell.of(order) for order in itertools.permutations(records)]
    assert all(cell == cells[0] for cell in cells)
