"""The driver: asks the plan again, resumes, keeps measures, believes no stored verdict."""

import json
import sys
from dataclasses import replace
from types import ModuleType

import pytest

from lengthwise.cli.main import main
from lengthwise.core.errors import InputError
from lengthwise.records.spec import RunSpec
from lengthwise.runs.local import execute_all
from lengthwise.runs.processes import Plan
from lengthwise.runs.store import Store
from lengthwise.studies import catalogue
from lengthwise.studies.catalogue import STUDIES, kept, kept_names, load_study
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.frozen_file import Frozen, FrozenClaim, editions, frozen
from lengthwise.studies.markdown import results
from lengthwise.studies.reproduce import Reproduction, kept_results, outline, reproduce
from lengthwise.studies.study import Measure, Planned, Study, StudyTable, not_run, outcome


def spec(task: str) -> RunSpec:
    return RunSpec.create(
        task=task,
        position="nope",
        model={"layers": 1, "heads": 1, "width": 8},
        training={"length": (1, 4), "steps": 2, "batch": 4, "evaluate_every": 2},
        evaluation={"lengths": ((5, 8),), "instances": 4},
    )


def plan(size: str, evidence: StudyEvidence) -> list[Planned]:
    first = [Planned("first", spec("parity"))]
    return [*first, Planned("then", spec("binary-majority"))] if evidence.records else first


calls: list[int] = []


def counted(bench) -> int:
    calls.append(len(bench.evidence.records))
    return len(bench.evidence.records)


def check(evidence: StudyEvidence):
    value = evidence.measures.get("count")
    return not_run("not counted") if value is None else outcome(value == 2, f"{value} | runs")


TWO = FrozenClaim(id="two", where="here", sentence="there are two runs", paper="2")
STUDY = Study(
    name="tiny",
    title="A tiny study",
    source="none",
    frozen=Frozen(edition=1, reason="a test", claims=(TWO,)),
    plan=plan,
    rules={"two": check},
    measures=lambda size: [Measure("count", counted)],
    tables=lambda evidence: [StudyTable("runs", ["task"], [[r.task] for r in evidence.records])],
)


@pytest.fixture
def tiny(monkeypatch) -> Study:
    module = ModuleType("tests_tiny_study")
    module.STUDY = STUDY  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "tests_tiny_study", module)
    monkeypatch.setitem(STUDIES, "tiny", ("tests_tiny_study", "two tiny runs"))
    calls.clear()
    return STUDY


def test_a_plan_is_asked_again_and_a_second_sitting_trains_nothing(tiny, tmp_path):
    store = Store(tmp_path / "runs")
    first = reproduce(tiny, "smoke", store, jobs=1)
    assert [record.group for record in first.evidence.records] == ["first", "then"]
    assert [o.status for _, o in first.outcomes] == ["held"]
    assert first.progress == (2, 2)
    times = {r.id: (r.folder / "result.json").stat().st_mtime_ns for r in store.records()}
    again = reproduce(tiny, "smoke", store, jobs=1)
    assert calls == [2]
    assert again.evidence == first.evidence
    assert again.seconds > first.seconds
    assert times == {r.id: (r.folder / "result.json").stat().st_mtime_ns for r in store.records()}


def test_a_saved_reproduction_is_checked_anew(tiny, tmp_path):
    found = reproduce(tiny, "smoke", Store(tmp_path / "runs"), jobs=1)
    path = tmp_path / "tiny.json"
    data = found.to_json()
    path.write_text(json.dumps(data))
    again = Reproduction.read(path)
    assert again.to_json() == data
    path.write_text(json.dumps({**data, "measures": {"count": 7}}))
    assert Reproduction.read(path).outcomes[0][1].status == "not held"
    path.write_text(json.dumps({**data, "runs": [{}]}))
    with pytest.raises(InputError, match="damaged"):
        Reproduction.read(path)
    path.write_text("{}")
    with pytest.raises(InputError, match="not written by"):
        Reproduction.read(path)


def test_runs_of_a_results_file_count_as_made(tiny, tmp_path, capsys):
    plain = replace(tiny, measures=lambda size: [])
    first = reproduce(plain, "smoke", Store(tmp_path / "first"), jobs=1)
    half = replace(first, evidence=replace(first.evidence, records=first.evidence.records[:1]))
    store = Store(tmp_path / "second")
    again = reproduce(plain, "smoke", store, jobs=1, before=half)
    assert again.evidence.records[0] == first.evidence.records[0]
    assert [r.bins for r in again.evidence.records] == [r.bins for r in first.evidence.records]
    assert [record.id for record in store.records()] == [first.evidence.records[1].spec.id]
    assert again.seconds > half.seconds
    strange = replace(half.evidence.records[0], group="then")
    more = replace(half, evidence=replace(half.evidence, records=(*half.evidence.records, strange)))
    told: list[str] = []
    third = Store(tmp_path / "third")
    found = reproduce(plain, "smoke", third, jobs=1, before=more, so_far=True, announce=told.append)
    assert found.evidence.records == half.evidence.records
    assert told == ["left out, not in the study's plan: 1 of the file's runs"]
    with pytest.raises(InputError, match="only the store has"):
        reproduce(tiny, "smoke", store, jobs=1, before=half)
    path = tmp_path / "half.json"
    path.write_text(json.dumps(half.to_json()))
    said = command(capsys, 2, "blind", "--from", str(path), "--store", str(tmp_path))[1]
    assert "results of tiny at size smoke, not of blind" in said


def test_markdown_escapes_bars_and_names_the_command(tiny, tmp_path):
    found = reproduce(tiny, "smoke", Store(tmp_path / "runs"), jobs=1).to_json()
    text = results(found, full=True)
    assert "`lengthwise reproduce tiny --size smoke`: 2 runs" in text
    assert "| 2 \\| runs |" in text
    assert "| 2 \\| runs |" not in results(found)  # it held, and is only counted


def command(capsys, code: int, *words: str) -> tuple[str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", *words])
    assert ended.value.code == code
    return capsys.readouterr()


def test_the_command_runs_saves_and_prints(tiny, tmp_path, capsys):
    words = ["tiny", "--store", str(tmp_path / "runs"), "--jobs", "1"]
    out, _ = command(capsys, 0, *words)
    assert "1 of 1 claims held" in out
    page = tmp_path / "tiny.html"
    out, _ = command(capsys, 0, *words, "--json", "--report", str(page))
    saved = json.loads((tmp_path / "runs" / "tiny-smoke.json").read_text())
    assert {**json.loads(out), "seconds": 0} == {**saved, "seconds": 0}
    assert "there are two runs" in page.read_text()
    out, _ = command(capsys, 0, *words, "--dry-run", "--json")
    assert json.loads(out)["groups"] == {"first": 1}


def test_mistakes_are_named(tmp_path, capsys, monkeypatch):
    assert "Did you mean 'huang2024'" in command(capsys, 2, "huang204")[1]
    monkeypatch.setattr(catalogue, "files", lambda name: tmp_path)
    assert "no laptop results of chen2025" in command(capsys, 2, "chen2025", "--kept")[1]
    with pytest.raises(InputError, match="study"):
        kept("nothing")
    with pytest.raises(InputError, match="size"):
        outline(load_study("huang2024"), "huge", Store(tmp_path))


@pytest.mark.parametrize("name", sorted(STUDIES))
def test_every_study_has_claims_and_plans_at_every_size(name):
    study = load_study(name)
    for size in ("smoke", "laptop", "paper"):
        planned = study.plan(size, StudyEvidence(size))
        assert planned
        names = [claim.name for claim in study.claims]
        assert len(set(names)) == len(names)
        assert study.notes[size]


@pytest.mark.parametrize("name", kept_names())
def test_results_that_come_with_the_library_say_what_their_evidence_says(name):
    path = kept(name)
    data = json.loads(path.read_text(encoding="utf-8"))
    again = json.loads(json.dumps(Reproduction.read(path).to_json()))
    for key in ("claims", "tables", "specifications", "progress"):
        assert again[key] == data[key]


@pytest.mark.parametrize("name", kept_names(edition=1))
def test_earlier_editions_are_shown_as_such_and_not_as_the_studys_results(name, capsys):
    data = kept_results(name, edition=1)
    assert data["frozen"] == frozen(name, 1).digest != frozen(name).digest
    assert [claim["id"] for claim in data["claims"]] == [c.id for c in frozen(name, 1).claims]
    assert all("not fitted" not in c["reason"] or c["status"] != "held" for c in data["claims"])
    with pytest.raises(InputError, match=r"made under edition 1 .*, the study's file is edition"):
        Reproduction.read(kept(name, edition=1))
    out, _ = command(capsys, 0, name, "--kept", "--edition", "1")
    assert "Edition 1 (" in out
    if name not in kept_names():
        assert "--edition 1" in command(capsys, 2, name, "--kept")[1]


def test_results_of_a_changed_file_are_refused(tiny, tmp_path, monkeypatch):
    data = reproduce(tiny, "smoke", Store(tmp_path / "runs"), jobs=1).to_json()
    path = tmp_path / "tiny.json"
    path.write_text(json.dumps(data))
    changed = replace(tiny, frozen=Frozen(edition=1, reason="a test", lines={"line": 0.6}))
    monkeypatch.setattr(sys.modules["tests_tiny_study"], "STUDY", changed)
    with pytest.raises(InputError, match="these are not its results"):
        Reproduction.read(path)


def test_a_stopped_study_is_shown_so_far(tiny, tmp_path, capsys):
    words = ["tiny", "--store", str(tmp_path / "runs"), "--jobs", "1"]
    out, _ = command(capsys, 0, *words, "--so-far", "--json")
    found = json.loads(out)
    assert (found["runs"], found["progress"]) == ([], {"run": 0, "planned": 1})
    execute_all([spec("parity")], Store(tmp_path / "runs"), Plan(1, 1))
    out, _ = command(capsys, 0, *words, "--so-far")
    assert "Unfinished: 1 of 2 cells run." in out
    assert "not run" in out
    assert "--edition is for --kept" in command(capsys, 2, "tiny", "--edition", "1")[1]


@pytest.mark.parametrize("name", sorted(STUDIES))
def test_a_studys_claims_are_those_of_its_file(name):
    study = load_study(name)
    file = frozen(name)
    assert study.frozen == file
    assert file.edition == editions(name)[-1] == len(editions(name))
    ours = [(c.name, c.where, c.sentence, c.paper, c.headline) for c in study.claims]
    assert ours == [(c.id, c.where, c.sentence, c.paper, c.headline) for c in file.claims]
    for number in editions(name):
        assert frozen(name, number).reason


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(STUDIES))
def test_smoke_size_runs_to_the_end(name, tmp_path):
    found = reproduce(load_study(name), "smoke", Store(tmp_path / "runs"))
    assert found.evidence.records
    assert json.loads(json.dumps(found.to_json()))["study"] == name
