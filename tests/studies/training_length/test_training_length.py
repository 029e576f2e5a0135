"""The study of training lengths: its runs can be made, and it can come out either way."""

import numpy as np
import pytest

from lengthwise.runs.experiment import check
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.training_length import (
    ENCODINGS,
    FILE,
    STUDY,
    holds_from,
    languages,
    points,
)
from lengthwise.studies.training_length.predictors import PREDICTORS, predictors
from lengthwise.studies.training_length.ranks_of import rank_correlation, rank_interval
from tests.studies.synthetic import record

LENGTHS = FILE.of_size("laptop")["lengths"]


def made_up(first, size="laptop"):
    """Evidence in which a language holds from a length on."""
    empty = StudyEvidence(size)
    records = []
    for planned in STUDY.plan(size, empty):
        _, task, encoding, longest = planned.group.split("/")
        far = 1.0 if int(longest) >= first(task, encoding) else 0.0
        records.append(record(planned.group, planned.spec, 1.0, far, far))
    return StudyEvidence(size, tuple(records))


def by_n(task, encoding):
    said = predictors(task, encoding)
    return 99 if said is None else LENGTHS[min(4, int(np.log2(said["N"])) - 1)]


def statuses(evidence):
    return {claim.name: claim.check(evidence).status for claim in STUDY.claims}


def test_the_claims_can_come_out_either_way():
    found = statuses(made_up(by_n))
    assert found["rank-ape"] == found["best-ape"] == "held"
    against = statuses(made_up(lambda *named: 40 - by_n(*named)))
    assert against["rank-ape"] == "not held"
    assert statuses(made_up(lambda *named: 5))["rank-ape"] == "inconclusive"
    assert set(statuses(StudyEvidence("laptop")).values()) == {"not run"}


def test_the_first_length_is_one_from_which_all_hold():
    found = made_up(lambda *named: 12)
    assert holds_from(found, "tomita-1", "ape") == 12
    short = [r for r in found.records if r.group != "length/tomita-1/ape/20"]
    assert holds_from(StudyEvidence("laptop", tuple(short)), "tomita-1", "ape") is None
    failed = [
        record(r.group, r.spec, 1.0, 0.0, 0.0) if r.group == "length/tomita-1/ape/20" else r
        for r in found.records
    ]
    assert holds_from(StudyEvidence("laptop", tuple(failed)), "tomita-1", "ape") == 32
    assert holds_from(made_up(lambda *named: 99), "tomita-1", "ape") == float("inf")


def test_there_are_a_dozen_languages_and_every_run_can_be_made():
    assert len(languages("laptop")) >= 12
    for size in ("smoke", "laptop"):
        planned = STUDY.plan(size, StudyEvidence(size))
        for one in {p.group: p for p in planned}.values():
            check(one.spec)
    assert STUDY.expected("laptop") < 2 * 3 * 3600


def test_predictors_come_from_the_kept_table():
    for task in languages("laptop"):
        for encoding in ENCODINGS:
            said = predictors(task, encoding)
            assert said is None or set(said) == set(PREDICTORS)
    assert predictors("d-12", "nope")["N"] > predictors("d-2", "nope")["N"]
    assert len(points(made_up(by_n), "nope")) == 9


@pytest.mark.parametrize("seed", range(5))
def test_rank_correlation_against_its_definition(seed):
    rng = np.random.default_rng(seed)
    pairs = [(int(a), int(b)) for a, b in rng.integers(0, 5, (12, 2))]

    def ranks(values):
        order = sorted(values)
        return [np.mean([k for k, v in enumerate(order) if v == value]) for value in values]

    one, two = ranks([a for a, _ in pairs]), ranks([b for _, b in pairs])
    slow = np.cov(one, two, bias=True)[0, 1] / (np.std(one) * np.std(two))
    assert rank_correlation(pairs) == pytest.approx(slow)
    low, high = rank_interval(pairs)
    assert low <= rank_correlation(pairs) <= high
