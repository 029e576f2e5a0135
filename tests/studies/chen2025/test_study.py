"""The study from end to end with tiny runs: measures, claims, figures, resuming."""

import dataclasses
import json

import pytest

from lengthwise.records.record import load_result
from lengthwise.report.study_figures import read_figure
from lengthwise.runs.store import Store
from lengthwise.studies.chen2025 import STUDY
from lengthwise.studies.chen2025.cells import reported
from lengthwise.studies.chen2025.measures import average
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.reproduce import Reproduction, reproduce

STATUSES = {"held", "not held", "inconclusive", "not run"}


def one_of_each(size, evidence):
    """Plan the first run of every group."""
    firsts = {}
    for planned in STUDY.plan(size, evidence):
        firsts.setdefault(planned.group, planned)
    return list(firsts.values())


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    return store, reproduce(dataclasses.replace(STUDY, plan=one_of_each), "smoke", store, jobs=1)


def test_the_reported_checkpoint_has_the_best_average(small):
    store, found = small
    for record in reported(found.evidence).records:
        history = load_result(store.record(store.folder(record.spec))).history
        assert len(history) == 2
        means = []
        for event in history:
            shares = [b.correct[n] / b.total[n] for b in event.bins for n in b.total]
            means.append(sum(shares) / len(shares))
            assert average(event) == pytest.approx(means[-1])
        best = next(e for e in history if e.step == record.steps)
        assert average(best) == max(map(average, history))
        assert [dict(b.correct) for b in record.bins] == [dict(b.correct) for b in best.bins]


def test_learned_relations_are_causal_maps_of_three_ranks(small):
    _, found = small
    (row,) = found.evidence.measures["learned-relations"]
    assert [len(rank) for rank in row["ranks"]] == [21, 21, 21]
    assert [len(line) for line in row["ranks"][0]] == list(range(1, 22))
    for values in zip(*("".join(rank) for rank in row["ranks"]), strict=True):
        assert len(set(values)) == 3  # ranks of one pair are different values


def test_its_file_reads_back_to_the_same_claims(small, tmp_path):
    _, found = small
    data = json.loads(json.dumps(found.to_json()))
    path = tmp_path / "study.json"
    path.write_text(json.dumps(data))
    again = json.loads(json.dumps(Reproduction.read(path).to_json()))
    for part in ("claims", "tables", "figures"):
        assert again[part] == data[part]
    assert {claim["status"] for claim in data["claims"]} <= STATUSES
    for figure in data["figures"]:
        assert read_figure(figure).rows


def test_no_figure_or_table_without_evidence():
    assert STUDY.figures(StudyEvidence("smoke")) == []
    assert STUDY.tables(StudyEvidence("smoke")) == []


@pytest.mark.slow
def test_smoke_end_to_end_and_again_without_training(tmp_path):
    said: list[str] = []
    store = Store(tmp_path)
    found = reproduce(STUDY, "smoke", store, jobs=1)
    again = reproduce(STUDY, "smoke", store, jobs=1, announce=said.append)
    assert not [line for line in said if line.startswith("measuring")]
    first, second = found.to_json(), again.to_json()
    assert first["claims"] == second["claims"]
    assert first["runs"] == second["runs"]
    titles = {figure["title"] for figure in first["figures"]}
    assert {
        "Figure 2: parity-steps",
        "Figure 3: addition-steps",
        "Figure 4: LBPE, select-last",
    } <= titles
    assert sum(title.startswith("Figure 5") for title in titles) == 9
