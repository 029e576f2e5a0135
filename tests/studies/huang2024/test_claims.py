"""Claims of Huang et al. (2024) can hold and can fail, and say so."""

import pytest

from lengthwise.runs.experiment import check
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.huang2024 import STUDY
from lengthwise.studies.huang2024.claims import published
from lengthwise.studies.huang2024.problems import (
    ENCODINGS,
    PROBLEMS,
    distance_copies,
    problems,
    regularised,
)
from tests.studies.synthetic import record


def evidence(far) -> StudyEvidence:
    """Runs of every problem: perfect in distribution, ``far(problem, encoding)`` beyond."""
    records = []
    wanted = [*problems("laptop"), *distance_copies("laptop"), *regularised("laptop")]
    for problem in wanted:
        _, name, encoding = problem.group.split("/")
        value = far(name, encoding)
        spec = problem.spec(problem.attempts[0])
        records.append(record(problem.group, spec, 1.0, value, value))
    answers = {
        name: {
            "encodings": {
                encoding: {"answer": "yes" if published(name, encoding)[-1] >= 70 else "no"}
                for encoding in ENCODINGS
            }
        }
        for name in PROBLEMS
    }
    return StudyEvidence("laptop", tuple(records), {"predictions": answers})


def as_published(name: str, encoding: str) -> float:
    if name.startswith("distance"):
        return 0.98 if encoding == "ape" else 0.02
    return published(name, encoding)[-1] / 100


def statuses(found: StudyEvidence) -> dict[str, str]:
    return {claim.name: claim.check(found).status for claim in STUDY.claims("laptop")}


MEASURED = ("narrow-periodic", "wide-local", "messages", "parity-ones")
LEFT_OUT = ("distance-3-ape", "distance-3-nope")


def test_every_claim_holds_where_runs_behave_as_published():
    found = statuses(evidence(as_published))
    assert {name for name, status in found.items() if status == "not run"} == {
        *MEASURED,
        *LEFT_OUT,
    }
    assert set(found.values()) == {"held", "not run"}


def test_every_claim_fails_where_runs_do_the_opposite():
    def opposite(name: str, encoding: str) -> float:
        return 0.1 if as_published(name, encoding) >= 0.7 else 0.95

    found = statuses(evidence(opposite))
    tested = {name: status for name, status in found.items() if name not in MEASURED}
    # Both worlds have some that hold and some that fail, and a regulariser that changes nothing.
    allowed = {"star-free", "circuits", "regulariser"}
    assert {name for name, status in tested.items() if status == "held"} <= allowed


def test_without_runs_nothing_is_decided():
    assert set(statuses(StudyEvidence("laptop")).values()) == {"not run"}


def test_measures_decide_their_claims_both_ways():
    def fit(relation: str, width: int, error: float) -> dict:
        return {"relation": relation, "width": width, "error": [0, error, 0], "baseline": [1, 1, 1]}

    def sides(found: dict) -> list[str]:
        known = statuses(StudyEvidence("laptop", (), found))
        return [
            known[name] for name in ("narrow-periodic", "wide-local", "messages", "parity-ones")
        ]

    good = {
        "positional": [fit("j=i-1", 8, 5.0), fit("mod3=0", 8, 0.1), fit("j=i-1", 128, 0.5)],
        "messages": [
            {"subject": name, "verdict": verdict}
            for name, verdict in (
                *(("binary-majority", "log"), ("dyck-1", "log")),
                *(("repeat-copy", "linear"), ("addition", "linear")),
            )
        ],
        "parity-ones": [{"encoding": "ape", "few": [90, 100], "many": [50, 100]}],
    }
    assert sides(good) == ["held"] * 4
    bad = {
        "positional": [fit("j=i-1", 8, 0.1), fit("mod3=0", 8, 5.0), fit("j=i-1", 128, 5.0)],
        "messages": [{**row, "verdict": "log"} for row in good["messages"]],
        "parity-ones": [{"encoding": "ape", "few": [90, 100], "many": [90, 100]}],
    }
    assert sides(bad) == ["not held"] * 4


@pytest.mark.parametrize("size", ["smoke", "laptop", "paper"])
def test_the_plan_begins_with_every_cell_and_can_be_run(size):
    planned = STUDY.plan(size, StudyEvidence(size))
    assert len({p.group for p in planned}) == 50 + (4 if size == "laptop" else 6)
    for one in planned[:6] if size == "paper" else planned:
        check(one.spec)


def test_the_published_sweep_is_whole():
    by_group = {problem.group: problem for problem in problems("paper")}
    parity = by_group["cell/parity/ape"]
    assert len([a for a in parity.attempts if not a.last_resort]) == 54
    assert [a.width for a in parity.attempts if a.last_resort] == [768, 768]
    assert parity.attempts[0].steps == 30_000
    abab = by_group["cell/abab-star/nope"]
    assert {(a.layers, a.heads, a.batch) for a in abab.attempts} == {
        (layers, heads, 4) for layers in (4, 6) for heads in (2, 4)
    }
    assert abab.task == "fixed:abab-star;size=125"


def test_the_regulariser_follows_the_chosen_setting_and_seeds_follow_success():
    found = evidence(lambda name, encoding: 1.0)
    added = [p for p in STUDY.plan("laptop", found) if p.group.startswith("regularised")]
    assert {p.spec.training.regularize for p in added} == {1e-4}
    assert len(added) == len(PROBLEMS)
    records = []
    for problem in problems("paper"):
        records.append(record(problem.group, problem.spec(problem.attempts[0]), 1.0, 1.0, 1.0))
    planned = STUDY.plan("paper", StudyEvidence("paper", tuple(records)))
    seeds = sorted(p.spec.seed for p in planned if p.group == "cell/parity/ape")
    assert seeds == [0, 0, 1]  # the sweep's own run, the same again, and the next seed
