"""The driver against an executor that does anything an executor may do."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.records.record import failure
from lengthwise.runs import driver
from lengthwise.runs.driver import LIVES, RunFailedError, drive
from lengthwise.runs.job import Job, Message, note_failure
from lengthwise.runs.store import Store
from tests.runs.helpers import finish_untrained, tiny


class Scripted:
    """Ends each job as its script says, and done when the script is over."""

    def __init__(self, slots, scripts):
        self.slots, self.scripts = slots, {run: list(script) for run, script in scripts.items()}
        self.running, self.finished, self.most, self.stopped = [], Counter(), 0, False

    def submit(self, job):
        self.running.append(job)
        self.most = max(self.most, len(self.running))

    def messages(self, seconds):
        if not self.running:
            return
        job = self.running.pop(0)
        run = job.spec.id
        kind = self.scripts[run].pop(0) if self.scripts[run] else "done"
        if self.stopped and kind != "done":
            kind = "stopped"
        if kind == "done":
            self.finished[run] += 1
            finish_untrained(job.spec, Store(job.root))
        if kind == "failed":
            note_failure(Store(job.root).open(job.spec), "as scripted")
        yield Message(run, kind, {"reason": "as scripted"})

    def stop(self):
        self.stopped = True


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(driver, "WAIT_SECONDS", 0.0)
    monkeypatch.setattr(driver, "BUSY_SECONDS", 0.0)


SPECS = [tiny(seed) for seed in range(5)]
ENDS = st.lists(st.sampled_from(["busy", "lost", "failed"]), max_size=5)


def jobs(root):
    return [Job(spec, Path(root)) for spec in SPECS]


@settings(max_examples=30)
@given(st.lists(ENDS, min_size=5, max_size=5), st.integers(1, 4))
def test_every_run_ends_once_whatever_happens(scripts, slots):
    """Reference: a run fails iff its script fails first, or loses its last life first."""
    with TemporaryDirectory() as root:
        named = {spec.id: script for spec, script in zip(SPECS, scripts, strict=True)}
        executor = Scripted(slots, named)
        outcome = drive(jobs(root), executor, keep_going=True)
        expected = {run for run, script in named.items() if _fails(script)}
        assert set(outcome.failed) == expected
        assert sorted(outcome.done) == sorted(named.keys() - expected)
        assert set(executor.finished.values()) <= {1}
        assert executor.most <= slots
        again = drive(jobs(root), Scripted(slots, {run: [] for run in named}), keep_going=True)
        assert sorted(again.before) == sorted(outcome.done)
        assert set(again.failed) == expected
        assert again.done == []
        last = drive(jobs(root), Scripted(slots, {run: [] for run in named}), retry=True)
        assert sorted(last.done) == sorted(expected)


def _fails(script):
    lives = LIVES
    for end in script:
        lives -= end == "lost"
        if end == "failed" or not lives:
            return True
    return False


def test_the_first_failure_stops_the_others_and_is_named(tmp_path):
    scripts = {spec.id: [] for spec in SPECS}
    scripts[SPECS[0].id] = ["failed"]
    executor = Scripted(2, scripts)
    with pytest.raises(RunFailedError, match=rf"run {SPECS[0].id} .*seed 0\): as scripted"):
        drive(jobs(tmp_path), executor)
    assert executor.stopped
    assert sum(executor.finished.values()) < len(SPECS)


def test_what_would_fail_all_stops_all_also_when_going_on(tmp_path):
    scripts = {spec.id: ["fatal"] for spec in SPECS}
    with pytest.raises(InputError, match="as scripted"):
        drive(jobs(tmp_path), Scripted(1, scripts), keep_going=True)
    assert not any(failure(Store(tmp_path).folder(spec)) for spec in SPECS)


def test_the_same_run_twice_is_one_run(tmp_path):
    executor = Scripted(2, {spec.id: [] for spec in SPECS})
    assert len(drive(jobs(tmp_path) * 2, executor).done) == len(SPECS)


def test_jobs_and_messages_survive_their_journey(tmp_path):
    job = Job(SPECS[1], tmp_path, device="cpu", again=True, trackers=("tensorboard:x",))
    copy = Job.load(job.dump())
    assert (copy.spec, copy.root, copy.device, copy.again) == (job.spec, tmp_path, "cpu", True)
    assert tuple(copy.trackers) == job.trackers
    message = Message("abc", "failed", {"reason": "why"})
    assert Message.load(message.dump()) == message
