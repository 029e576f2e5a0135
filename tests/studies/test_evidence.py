"""Records and their queries."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.records.spec import RunSpec
from lengthwise.studies.evidence import StudyEvidence, StudyRun
from tests.studies.synthetic import record

SPEC = RunSpec.create(
    task="sort:symbols=20",
    position="nope",
    training={"length": (1, 5)},
    evaluation={"lengths": ((6, 10),), "instances": 50},
)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_record_survives_its_json(first, second):
    one = record("cell/sort/nope", SPEC, first, second)
    again = StudyRun.read(json.loads(json.dumps(one.to_json())))
    assert again == one
    assert again.spec.id == SPEC.id


def test_queries_match_slow_sums():
    one, two = record("a", SPEC, 1.0, 0.5), record("a", SPEC, 0.8, 0.1)
    evidence = StudyEvidence("laptop", (one, two, record("b", SPEC, 0.0, 0.0)))
    assert evidence.find("a", "sort", "nope") == [one, two]
    assert evidence.find("a", "sort:symbols=20") == [one, two]
    assert evidence.find("a", "sor") == []
    assert evidence.unseen("a", "sort", "nope") == pytest.approx(0.3)
    assert evidence.trained("a", "sort", "nope") == pytest.approx(0.9)
    assert evidence.at("a", "sort", "nope", 7) == pytest.approx(0.3)
    assert evidence.at("a", "sort", "nope", 11) is None
    assert evidence.unseen("a", "parity", "nope") is None
