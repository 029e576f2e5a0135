"""Specifications: validated, refusing what they do not know, identified by content."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.records.spec import RunSpec, further_ranges, read_range
from lengthwise.runs.experiment import specifications


def spec(**fields):
    return RunSpec.create(task="parity", position="rope:fraction=0.5", **fields)


def test_the_id_is_a_function_of_the_content():
    assert spec(seed=1).id == spec(seed=1).id
    assert len({spec(seed=1).id, spec(seed=2).id, spec(training={"steps": 5}).id}) == 3


def test_the_id_does_not_change_between_versions():
    """Stored runs must be found again: a new id here means that the format number must change."""
    assert spec(seed=1).id == "91f9900e2162"


def test_plain_data_round_trip():
    one = spec(training={"length": (2, 9)}, seed=5)
    assert RunSpec.read(one.model_dump(mode="json")) == one
    assert RunSpec.model_validate_json(one.model_dump_json()).id == one.id


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"training": {"stps": 5}}, r"training\.stps: Extra inputs"),
        ({"training": {"steps": 0}}, r"training\.steps: .*greater than or equal to 1"),
        ({"model": {"heads": 3}}, "heads=3 does not divide width=64"),
        ({"training": {"length": (9, 3)}}, "training length 9:3 is reversed"),
        ({"evaluation": {"lengths": ((5, 4),)}}, "test length 5:4 is reversed"),
        ({"seed": -1}, "seed"),
    ],
)
def test_mistakes_are_named_by_their_path(fields, message):
    with pytest.raises(InputError, match=message):
        spec(**fields)


def test_a_changed_file_is_another_run(tmp_path):
    source = tmp_path / "mine.py"
    text = "from lengthwise.tasks.algorithmic.parity import Parity as Mine\n"
    source.write_text(text)
    one = RunSpec.create(task=f"{source}:Mine", position="nope")
    source.write_text(text + "# changed\n")
    two = RunSpec.create(task=f"{source}:Mine", position="nope")
    assert one.task.digest != two.task.digest
    assert one.id != two.id


@given(low=st.integers(0, 10**6), more=st.integers(0, 10**6))
def test_ranges_are_read_as_written(low, more):
    assert read_range(f"{low}:{low + more}", "--x") == (low, low + more)


@pytest.mark.parametrize("text", ["", "a:b", "5", "5:", "9:3", "-2:4", "1:2:3", "1.5:2"])
def test_other_ranges_are_refused(text):
    with pytest.raises(InputError, match="--train-length"):
        read_range(text, "--train-length")


def test_default_test_ranges_are_twice_and_three_times():
    assert further_ranges((1, 50)) == ((51, 100), (101, 150))


def test_every_mistake_shows_before_any_run():
    with pytest.raises(InputError, match="'sort' has no instances"):
        specifications(["parity", "sort"], ["nope"], [0], evaluation={"lengths": ((151, 200),)})
    with pytest.raises(InputError, match="'rope' turns"):
        specifications(["parity"], ["nope", "rope"], [0], model={"width": 6, "heads": 2})


def test_a_run_about_a_file_is_another_run_when_the_file_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    even = {"alphabet": ["a"], "initial": "e", "accepting": ["e"]}
    even["transitions"] = {"e": {"a": "o"}, "o": {"a": "e"}}
    path = tmp_path / "even.json"
    path.write_text(json.dumps(even))
    before = RunSpec.create(task="dfa:even.json", position="nope")
    assert RunSpec.create(task="dfa:even.json", position="nope").id == before.id
    path.write_text(json.dumps({**even, "accepting": ["o"]}))
    assert RunSpec.create(task="dfa:even.json", position="nope").id != before.id


def test_what_is_named_twice_is_run_once():
    found = specifications(["parity", "parity"], ["nope", "ape", "nope"], [0])
    assert [str(spec.position) for spec in found] == ["nope", "ape"]
