"""The theory claims hold on what is computed, and fail on what is spoiled."""

import copy

import pytest

from lengthwise.relations.library import circuit
from lengthwise.relations.relation import ideal_relation
from lengthwise.studies.chen2025 import STUDY
from lengthwise.studies.chen2025.measures import conflicts
from lengthwise.studies.chen2025.theory import THEORY
from lengthwise.studies.evidence import StudyEvidence
from tests.studies.chen2025.synthetic import theory

CLAIMS = {claim.name: claim for claim in STUDY.claims if claim.name in THEORY}
KNOWN = theory()


@pytest.mark.parametrize("name", CLAIMS)
def test_holds_as_computed_and_is_untested_without(name):
    assert CLAIMS[name].check(StudyEvidence("smoke", (), KNOWN)).status == "held"
    assert CLAIMS[name].check(StudyEvidence("smoke")).status == "not run"


def share(known):
    known["theorem-1"]["rows"][-1]["counted share"] *= 2


def mismatch(known):
    known["theorem-2"]["stay at 0"][0] = 1


def surprising_fit(known):
    next(r for r in known["linear"] if r["target"] == "uniform")["fits"]["ideal"]["right"] = True


def other_error(known):
    next(r for r in known["linear"] if r["target"] == "mean")["fits"]["ideal"]["error"] = 0.19


def aligned_conflict(known):
    known["alignment"][0]["conflicts"] = 1


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("theorem-1", share),
        ("theorem-2", mismatch),
        ("lrc-table", surprising_fit),
        ("lrc-grows", surprising_fit),
        ("lrc-grows", other_error),
        ("alignment", aligned_conflict),
    ],
)
def test_every_theory_claim_can_fail(name, spoil):
    known = copy.deepcopy(KNOWN)
    spoil(known)
    assert CLAIMS[name].check(StudyEvidence("smoke", (), known)).status == "not held"


@pytest.mark.parametrize("layout", ["aligned", "unaligned"])
@pytest.mark.parametrize("name", ["addition", "division", "copy"])
def test_conflicts_against_the_relation_pair_by_pair(name, layout):
    family = circuit(name, layout=layout)
    phi = ideal_relation(family)
    values = {}
    for scale in range(1, 7):
        for gate in family.gates(scale):
            for key in range(1, gate.query + 1):
                value = int(phi(gate.query, key, scale))
                values.setdefault((gate.query, key), set()).add(value)
    assert conflicts(family, 6) == sum(len(found) > 1 for found in values.values())


def test_golden_src_of_the_aligned_layout():
    rows = {(r["task"], r["relation"]): r["src"] for r in KNOWN["complexity"]
            if r["layout"] == "aligned"}  # fmt: skip
    assert rows["parity-steps", "ape"] == [6, 11, 21]
    assert rows["parity-steps", "rpe"] == rows["parity-steps", "ipe"] == [1, 1, 1]
    assert rows["multiplication-steps", "rpe"] == [7, 12, 22]
