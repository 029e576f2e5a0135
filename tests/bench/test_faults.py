"""A small part of the campaign of faults (`lengthwise dev faults`), and that it notices faults."""

import json
import os
import subprocess
import sys
import time

import pytest
import torch

from lengthwise.bench.faults import hard_questions, killed_sweeps
from lengthwise.bench.faults.broken_writes import try_kills
from lengthwise.bench.faults.commands_called import Call, calling, judged
from lengthwise.bench.faults.hostile_functions import hostile, try_functions
from lengthwise.bench.faults.killed_sweeps import try_sweeps
from lengthwise.bench.faults.ledger import Fault, Ledger
from lengthwise.bench.faults.malformed_inputs import LEFT_OUT, malformed, try_inputs
from lengthwise.bench.faults.other_files import try_files
from lengthwise.bench.faults.other_structure import ODD, changed_node, places, try_structure
from lengthwise.bench.faults.sandbox import isolated
from lengthwise.cli.faults import signatures
from lengthwise.cli.main import COMMANDS, main


@pytest.fixture(autouse=True)
def _no_threads():
    torch.set_num_threads(1)


def sins(trials):
    ledger = Ledger("some")
    list(ledger.add(trials))
    assert ledger.tried
    return ledger.examples


def misbehave(what):
    if what == "loop":
        time.sleep(10**6)
    if what == "exit":
        os._exit(0)
    return what


def test_what_hangs_or_dies_does_not_stop_the_others():
    ends = [(end, value) for _, end, value in isolated([1, "loop", "exit", 2], misbehave, 1.0)]
    assert ends == [("done", 1), ("hang", None), ("died", None), ("done", 2)]


def crash(words):
    if words == ["bug"]:
        raise SystemExit(70)
    if words == ["traceback"]:
        sys.stderr.write("Traceback (most recent call last):\n")
    if words == ["silent"]:
        raise SystemExit(2)
    raise SystemExit(0)


@pytest.mark.parametrize(
    ("word", "sin"),
    [("bug", "traceback"), ("traceback", "traceback"), ("silent", "unclear"), ("fine", None)],
)
def test_the_judge_sees_what_must_not_be(tmp_path, word, sin):
    calls = [Call((word,), str(tmp_path))]
    ((call, end, found),) = isolated(calls, calling(crash), 60.0)
    assert judged(call, end, found).sin == sin


def test_every_command_has_its_turn(tmp_path):
    known = signatures()
    assert [" ".join(s.words) for s in known] == list(COMMANDS)
    left = {w for w in COMMANDS if w in LEFT_OUT or w.split()[0] in LEFT_OUT}
    calls = malformed(known, 2 * len(known), 0, tmp_path)
    seen = {w for w in COMMANDS if any(" ".join(call.words).startswith(w) for call in calls)}
    assert seen >= set(COMMANDS) - left
    assert calls == malformed(known, 2 * len(known), 0, tmp_path)
    assert calls != malformed(known, 2 * len(known), 1, tmp_path)


def test_malformed_inputs(tmp_path, monkeypatch):
    cheap = [s for s in signatures() if s.words[0] in ("list", "runs", "verify", "show", "crasp")]
    assert not sins(try_inputs(main, cheap, 60, 5, tmp_path / "inputs"))


def test_files_from_elsewhere(tmp_path):
    assert not sins(try_files(main, 40, 5, tmp_path / "files"))


def asked(words):
    """Commands that answer in time, too late, or not in one line."""
    time.sleep(1.5 if words[1] == "late" else 0)
    sys.stderr.write("" if words[1] == "unclear" else "error: no\n")
    raise SystemExit(2)


def test_what_goes_on_after_its_time_is_late(tmp_path, monkeypatch):
    calls = [Call(("x", word), str(tmp_path)) for word in ("fine", "late", "unclear")]
    monkeypatch.setattr(hard_questions, "hard", lambda *_: calls)
    monkeypatch.setattr(hard_questions, "LIMIT", 0.3)
    monkeypatch.setattr(hard_questions, "slowness", lambda: 1.0)
    found = list(hard_questions.try_questions(asked, (), None, tmp_path / "x"))
    assert {trial.what: trial.sin for trial in found} == {
        "x fine": None,
        "x late": "late",
        "x unclear": "unclear",
    }
    monkeypatch.setattr(hard_questions, "slowness", lambda: 5.0)
    found = list(hard_questions.try_questions(asked, (), None, tmp_path / "x"))
    assert not any(trial.sin == "late" for trial in found)


def test_every_command_with_a_time_limit_is_asked(tmp_path):
    limited = {" ".join(s.words) for s in signatures() if "--time-limit" in s.options}
    calls = hard_questions.hard(signatures(), tmp_path / "hard")
    asked_too = {w for w in limited if any(" ".join(call.words).startswith(w) for call in calls)}
    assert asked_too == limited - hard_questions.LEFT_OUT.keys()
    assert len(limited) > 8


def test_hard_questions(tmp_path):
    cheap = [s for s in signatures() if s.words in (("decide",), ("crasp", "check"))]
    found = list(hard_questions.try_questions(main, cheap, 6, tmp_path / "hard"))
    # Whether they end in time is for the campaign on a quiet machine: no test has a timer.
    assert not sins(trial for trial in found if trial.sin != "late")


@pytest.mark.slow
def test_kills_in_a_sweep(tmp_path):
    assert not sins(try_sweeps(8, 0, tmp_path / "sweeps"))


def test_a_sweep_that_differs_is_named(tmp_path, monkeypatch):
    told = json.dumps({"killed": 3, "runs": {"a": "", "b": "another loss"}}).encode()
    ended = subprocess.CompletedProcess([], 0, b"noise\n" + told + b"\n")
    monkeypatch.setattr(killed_sweeps.subprocess, "run", lambda *_, **__: ended)
    assert [trial.what for trial in sins(try_sweeps(2, 0, tmp_path / "sweeps"))] == [
        "b in a sweep on local with 3 kills"
    ]


def test_hostile_functions(tmp_path):
    assert len(hostile()) >= 100
    assert not sins(try_functions(main, 2, tmp_path / "functions"))


@pytest.mark.slow
def test_kills_and_structure(tmp_path):
    assert not sins(try_kills(tmp_path / "kills"))
    assert not sins(try_structure(main, 20, 5, tmp_path / "structure"))


def test_nodes_are_changed():
    import random

    rng = random.Random(0)
    assert list(places({"a": [1]})) == [(), ("a",), ("a", 0)]
    assert changed_node({"a": [1]}, ("a", 0), "replace", 2, rng) == {"a": [2]}
    assert changed_node({"a": [1]}, ("a", 0), "remove", 2, rng) == {"a": []}
    assert changed_node({"a": [1]}, (), "remove", 2, rng) == 2
    assert None in ODD


def test_a_ledger_counts():
    ledger = Ledger("some")
    list(ledger.add([Fault("a", True), Fault("b", False), Fault("c", False, "silent")]))
    assert (ledger.tried, ledger.refused, ledger.sins["silent"]) == (3, 1, 1)
    assert [trial["what"] for trial in ledger.to_json()["examples"]] == ["c"]
