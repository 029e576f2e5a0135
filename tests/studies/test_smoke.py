"""Studies run from end to end at their smallest size: runs, measures, claims, tables, resuming."""

import dataclasses
import json

import pytest

from lengthwise.records.outcomes import STATUSES
from lengthwise.runs.store import Store
from lengthwise.studies.catalogue import load_study
from lengthwise.studies.reproduce import Reproduction, reproduce

NAMES = ("kazemnejad2023", "questions")


def first_of_each_kind(study):
    """Plan one run of every kind, and of models that look both ways too."""

    def plan(size, evidence):
        firsts = {}
        for planned in study.plan(size, evidence):
            kind = planned.group.partition("/")[0], planned.spec.model.bidirectional
            firsts.setdefault(kind, planned)
        return list(firsts.values())

    return dataclasses.replace(study, plan=plan)


@pytest.mark.parametrize("name", NAMES)
def test_a_little_of_everything_runs_and_reads_back(name, tmp_path):
    study = load_study(name)
    found = reproduce(first_of_each_kind(study), "smoke", Store(tmp_path / "runs"), jobs=1)
    data = json.loads(json.dumps(found.to_json()))
    assert {claim["status"] for claim in data["claims"]} <= set(STATUSES)
    headline = {claim["status"] for claim in data["claims"] if claim["headline"]}
    assert headline <= {"inconclusive", "not run"}, "four steps decide nothing"
    path = tmp_path / "study.json"
    path.write_text(json.dumps(data))
    again = json.loads(json.dumps(Reproduction.read(path).to_json()))
    assert again["claims"] == data["claims"]
    assert again["tables"] == data["tables"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_smoke_end_to_end_and_again_without_training(name, tmp_path):
    said: list[str] = []
    study, store = load_study(name), Store(tmp_path)
    first = reproduce(study, "smoke", store, jobs=1).to_json()
    second = reproduce(study, "smoke", store, jobs=1, announce=said.append).to_json()
    assert not [line for line in said if line.startswith("measuring")]
    assert first["claims"] == second["claims"]
    assert first["tables"]
