"""The view of changes: the same proposals as ``improve``, bad input refused, and no file read."""

import json

import pytest

from lengthwise.playground import api


def ask(request, seconds=120.0):
    found = api.answer("changes", request, store="runs", seconds=seconds)
    json.dumps(found)
    return found


def test_proposals_are_shown_with_verdicts_examples_and_weights():
    found = ask({"subject": "parity"})
    assert found["ok"], found
    assert not found["satisfied"]
    best = found["proposals"][0]
    assert best["task"] == "steps:parity;every=1"
    assert "ape (proof)" in best["yes"]
    assert best["examples"]
    assert "to length 2,000" in best["weights"]
    assert {row["encoding"]: row["generalizes"] for row in best["verdicts"]}["nope"] == "no"
    assert any(one["task"].endswith("write=change") for one in found["proposals"])
    assert found["commands"][0]["command"] == "lengthwise improve parity --explain"


def test_what_is_a_yes_is_left_alone():
    assert ask({"subject": "binary-majority"})["satisfied"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({}, "empty"),
        ({"subject": "a" * 501}, "limit"),
        ({"subject": "x.json"}, "no files are read"),
        ({"subject": "steps:dfa:x.json"}, "files"),
        ({"subject": "parity", "more": 1}, "more"),
        ({"subject": "(ab"}, ""),
    ],
)
def test_bad_requests_are_refused_in_one_line(request_, message):
    found = ask(request_)
    assert not found["ok"]
    assert message in found["error"]
    assert "\n" not in found["error"].strip()
