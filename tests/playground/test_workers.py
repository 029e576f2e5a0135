"""Processes: limits hold, unwanted computations die, and a dead one leaves its place free."""

import os
import socket
import threading
import time

import pytest

from lengthwise.core.channel import Channel
from lengthwise.playground import api, workers
from lengthwise.playground.workers import CancelledError, Workers
from tests.playground.misbehaving import original

WORK = "tests.playground.misbehaving:work"


@pytest.fixture
def misbehaving(monkeypatch):
    """Name actions that hang, crash and eat memory; forked workers find them by their path."""
    for name in ("sleep", "crash", "eat", "fail", "shout"):
        place = f"tests.playground.misbehaving:{name}"
        monkeypatch.setitem(api.ACTIONS, name, (place, "compute"))


def run(pool, action, request=None, gone=lambda: False):
    """Answer in a worker process that knows the actions above."""
    return pool.answer(action, request or {}, gone)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.usefixtures("misbehaving")
def test_a_computation_beyond_its_time_is_killed_and_frees_its_place(tmp_path):
    pool = Workers(target=WORK, seconds=600.0, computations=1)
    note = tmp_path / "pid"

    def time_passes():
        pool.seconds = 0.0 if note.exists() else pool.seconds
        return False

    found = run(pool, "sleep", {"note": str(note)}, time_passes)
    assert not found["ok"]
    assert "0 s, the time limit" in found["error"]
    assert not alive(int(note.read_text()))
    assert pool.busy == 0
    pool.seconds = 600.0
    assert run(pool, "shout")["ok"]


@pytest.mark.usefixtures("misbehaving")
def test_a_computation_that_nobody_waits_for_is_killed(tmp_path):
    pool = Workers(target=WORK, seconds=600.0, computations=1)
    note = tmp_path / "pid"
    with pytest.raises(CancelledError):
        run(pool, "sleep", {"note": str(note)}, note.exists)
    assert not alive(int(note.read_text()))
    assert run(pool, "shout")["ok"]


@pytest.mark.usefixtures("misbehaving")
def test_no_more_computations_than_allowed(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "SLOT_SECONDS", 0.1)
    pool = Workers(target=WORK, seconds=600.0, computations=1)
    note, stop = tmp_path / "pid", threading.Event()

    def occupy():
        with pytest.raises(CancelledError):
            run(pool, "sleep", {"note": str(note)}, stop.is_set)

    first = threading.Thread(target=occupy)
    first.start()
    while not note.exists():
        time.sleep(0.01)
    assert "busy: 1 computations" in run(pool, "shout")["error"]
    stop.set()
    first.join()
    assert run(pool, "shout")["ok"]


@pytest.mark.usefixtures("misbehaving")
def test_memory_is_limited():
    pool = Workers(target=WORK, seconds=600.0, memory_mb=200)
    assert "more than 200 MB" in run(pool, "eat", {"megabytes": 1000})["error"]
    assert run(pool, "eat", {"megabytes": 20})["ok"]


@pytest.mark.usefixtures("misbehaving")
def test_crashes_and_defects_are_sentences():
    pool = Workers(target=WORK, seconds=600.0)
    assert "without an answer" in run(pool, "crash")["error"]
    assert "KeyError" in run(pool, "fail")["error"]
    assert pool.busy == 0


@pytest.mark.usefixtures("misbehaving")
def test_closing_kills_what_runs(tmp_path):
    pool = Workers(target=WORK, seconds=600.0, computations=1)
    note, found = tmp_path / "pid", []
    thread = threading.Thread(target=lambda: found.append(run(pool, "sleep", {"note": str(note)})))
    thread.start()
    while not note.exists():
        time.sleep(0.01)
    pool.close()
    thread.join()
    assert not alive(int(note.read_text()))
    assert not found[0]["ok"]
    with pytest.raises(CancelledError):
        run(pool, "shout")


def test_an_answer_that_is_too_large_is_not_sent(monkeypatch):
    ours, theirs = map(Channel, socket.socketpair())
    monkeypatch.setattr(workers, "ANSWER_BYTES", 10)
    original(theirs, "library", {}, "runs", 5.0, 100)
    assert "too large" in ours.receive(5.0)["error"]
    ours.close()
    theirs.close()
