"""Claims on made-up evidence: each holds where it should, and each can fail."""

import dataclasses

import pytest

from lengthwise.studies.chen2025 import STUDY
from lengthwise.studies.chen2025.cells import cell, name_of, reported
from lengthwise.studies.chen2025.claims import decided
from lengthwise.studies.chen2025.runs import CONTROL_IDEAL, ENCODINGS, IPE, IPE_SH, RPE, TASKS
from lengthwise.studies.chen2025.theory import THEORY
from lengthwise.studies.evidence import StudyEvidence
from tests.studies.chen2025.synthetic import as_predicted, plateau, relations, theory

CLAIMS = {claim.name: claim for claim in STUDY.claims if claim.name not in THEORY}
KNOWN = theory()


def status(name, changes=None, size="laptop"):
    return CLAIMS[name].check(as_predicted(size, changes, known=KNOWN)).status


@pytest.mark.parametrize("size", ["laptop", "paper"])
@pytest.mark.parametrize("name", CLAIMS)
def test_every_claim_holds_where_all_runs_do_what_src_says(name, size):
    assert status(name, size=size) == "held"


@pytest.mark.parametrize("name", CLAIMS)
def test_nothing_is_claimed_without_runs(name):
    assert CLAIMS[name].check(StudyEvidence("laptop")).status in ("not run", "inconclusive")


GOOD, BAD, UNFITTED = (1.0, 1.0), (1.0, 0.2), (0.5, 0.0)

SPOILED = {
    "parity-ipe": {("encodings", "parity-steps", IPE): BAD},
    "parity-rpe": {("encodings", "parity-steps", RPE): BAD},
    "parity-ape": {("encodings", "parity-steps", "ape"): GOOD},
    "parity-order": {("encodings", "parity-steps", RPE): (1.0, 0.05)},
    "ipe-six": {("encodings", "division-steps", IPE): BAD},
    "ipe-six-gap": {("variants", "copy-steps", "ipe:attention=gap"): BAD},
    "ipe-six-hard": {("variants", "shift-steps", "ipe:attention=hard"): BAD},
    "hint-gap": {("variants", "addition-steps", "ipe-sh:attention=gap"): BAD},
    "hint-hard": {("variants", "division-steps", "ipe-sh:attention=hard"): BAD},
    "roles": {("encodings", "shift-steps", "rope"): GOOD},
    "rpe-constant": {("encodings", "multiplication-steps", RPE): GOOD},
    "hint": {("hint", "addition-steps", IPE_SH): BAD},
    "lbpe-first": {("relations", "select-first", "lbpe"): BAD},
    "lbpe-middle": {("relations", "select-middle", "lbpe"): BAD},
    "lbpe-last": {("relations", "select-last", "lbpe"): BAD},
    "growing-src": {("control", "parity", CONTROL_IDEAL): GOOD},
    "conjecture": {("control", "parity", "rope"): GOOD},
    "conjecture-relations": {("encodings", "copy-steps", "alibi"): BAD},
}


@pytest.mark.parametrize("name", SPOILED)
def test_every_claim_about_runs_can_fail(name):
    assert status(name, SPOILED[name]) == "not held"


def test_every_claim_has_a_case_in_which_it_fails():
    assert set(SPOILED) | {"lbpe-relation", "rpe-padding"} == set(CLAIMS)


def test_the_conjecture_also_fails_where_no_encoding_carries_an_invariant_task():
    changes = {("encodings", "copy-steps", encoding): BAD for encoding in ENCODINGS}
    assert status("conjecture", changes) == "not held"


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("parity-ape", {("encodings", "parity-steps", "ape"): UNFITTED}),
        ("parity-order", {("encodings", "parity-steps", "ape"): UNFITTED}),
        ("growing-src", {("control", "parity", e): UNFITTED for e in (*ENCODINGS, CONTROL_IDEAL)}),
        ("rpe-constant", {("encodings", task, RPE): UNFITTED for task in TASKS}),
    ],
)
def test_failing_to_fit_is_no_evidence_of_failing_to_generalize(name, changes):
    found = CLAIMS[name].check(as_predicted(changes=changes, known=KNOWN))
    assert found.status == "inconclusive"
    assert "did not fit" in found.reason


def test_unfitted_cells_are_named_where_others_decide():
    changes = {("encodings", "shift-steps", "ape"): UNFITTED}
    found = CLAIMS["roles"].check(as_predicted(changes=changes, known=KNOWN))
    assert found.status == "held"
    assert "shift APE 0.50" in found.reason


def test_a_learned_relation_that_tells_nothing_does_not_hold():
    evidence = as_predicted(known=KNOWN)
    useless = {**evidence.measures, "learned-relations": relations(evidence, refines=False)}
    found = CLAIMS["lbpe-relation"].check(dataclasses.replace(evidence, measures=useless))
    assert found.status == "not held"


def test_one_seed_of_lbpe_is_enough_and_the_reason_counts_them():
    evidence = as_predicted(known=KNOWN, changes=SPOILED["lbpe-middle"])
    whole = as_predicted(known=KNOWN)
    lucky = next(r for r in whole.records if r.task == "select-middle" and r.spec.seed == 1)
    records = tuple(lucky if r.spec.id == lucky.spec.id else r for r in evidence.records)
    found = CLAIMS["lbpe-middle"].check(dataclasses.replace(evidence, records=records))
    assert found.status == "held"
    assert found.reason.startswith("1 of 4 seeds")


def test_hidden_digits_that_change_nothing_are_not_the_cause():
    evidence = as_predicted(known=KNOWN)
    same = {**evidence.measures, "plateau": plateau(evidence, hidden=0.6)}
    found = CLAIMS["rpe-padding"].check(dataclasses.replace(evidence, measures=same))
    assert found.status == "not held"


def test_a_seed_that_differs_leaves_a_claim_open():
    evidence = as_predicted(known=KNOWN)
    changed = as_predicted(known=KNOWN, changes=SPOILED["parity-ipe"])
    records = tuple(
        new if new.spec.seed == 0 else old
        for old, new in zip(evidence.records, changed.records, strict=True)
    )
    found = CLAIMS["parity-ipe"].check(dataclasses.replace(evidence, records=records))
    assert found.status == "inconclusive"
    assert found.ours.endswith("(0.20 1.00 1.00)")


def only(evidence, task, encoding):
    found = cell(evidence, "encodings", task, encoding)
    assert found is not None
    return found.runs


def test_claims_look_at_the_chosen_checkpoint_and_tell_the_last():
    evidence = as_predicted(known=KNOWN, changes=SPOILED["parity-rpe"])
    runs = only(evidence, "parity-steps", RPE)
    counts = [[n, 99, 100] for n in range(1, 21)]
    chosen = {run.spec.id: {"step": 40, "counts": counts} for run in runs}
    better = dataclasses.replace(evidence, measures={**evidence.measures, "checkpoints": chosen})
    found = CLAIMS["parity-rpe"].check(better)
    assert found.status == "held"
    assert found.ours == "0.99 trained, 0.99 at 16-20 (0.99 0.99 0.99)"
    assert found.reason == "last checkpoint 0.20; from smaller initial weights 1.00"
    assert {run.steps for run in only(reported(better), "parity-steps", RPE)} == {40}


def test_cells_that_src_leaves_undecided_are_not_counted():
    rows = decided(as_predicted(known=KNOWN))
    assert not any(c.encoding == "nope" and c.task in TASKS for c, _ in rows)
    assert sum(c.task == "parity" for c, _ in rows) == 6
    assert {status for _, status in rows} == {"held"}


def test_names():
    assert name_of(CONTROL_IDEAL) == "IPE"
    assert name_of("ipe-sh:attention=gap") == "IPE-SH (gap)"
