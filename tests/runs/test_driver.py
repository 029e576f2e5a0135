"""The driver against an executor that does anything an executor may do."""

import signal
import threading
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.records.progress import Interrupted, Progress
from lengthwise.records.record import failure
from lengthwise.runs import driver
from lengthwise.runs.driver import LIVES, RunFailedError, drive, interrupt_flag
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


# ---- Ctrl-C ----------------------------------------------------------------------------------


class Signalled(Scripted):
    """Sends this process signals while jobs run, and notes who would have heard others."""

    def __init__(self, *sent):
        super().__init__(1, {spec.id: [] for spec in SPECS})
        self.sent, self.heard = list(sent), []

    def messages(self, seconds):
        self.heard.append({n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)})
        for number in self.sent:
            signal.raise_signal(number)
        self.sent = []
        yield from super().messages(seconds)


def handlers():
    return {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}


def test_ctrl_c_lets_runs_save_and_is_given_back(tmp_path):
    before, executor = handlers(), Signalled(signal.SIGINT)
    with pytest.raises(Interrupted):
        drive(jobs(tmp_path), executor)
    assert executor.stopped
    assert sum(executor.finished.values()) == 1  # what was running ended, nothing else began
    assert handlers() == before
    heard = executor.heard[0]
    assert heard[signal.SIGINT] is not before[signal.SIGINT]
    assert heard[signal.SIGTERM] is before[signal.SIGTERM]  # by default Ctrl-C alone is heard


def test_a_second_ctrl_c_is_hard(tmp_path):
    before = handlers()
    with pytest.raises(KeyboardInterrupt):
        drive(jobs(tmp_path), Signalled(signal.SIGINT, signal.SIGINT))
    assert handlers() == before


def test_other_signals_can_be_asked_for_instead(tmp_path):
    before, executor = handlers(), Signalled(signal.SIGTERM)
    with pytest.raises(Interrupted):
        drive(jobs(tmp_path), executor, signals=(signal.SIGTERM,))
    assert executor.heard[0][signal.SIGINT] is before[signal.SIGINT]
    assert handlers() == before
    with interrupt_flag() as flag:  # none named: Ctrl-C
        signal.raise_signal(signal.SIGINT)
        assert flag.is_set()
    assert handlers() == before


def test_in_another_thread_signals_are_left_alone():
    before, seen = handlers(), []

    def look():
        with interrupt_flag() as flag:
            seen.append((handlers(), flag.is_set()))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [(before, False)]


def test_what_is_busy_elsewhere_is_asked_again_later_and_not_done_twice(tmp_path, monkeypatch):
    now, asked = [100.0], []
    monkeypatch.setattr(driver, "BUSY_SECONDS", 5.0)
    monkeypatch.setattr(driver.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(driver.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + 1))

    class Busy(Scripted):
        def submit(self, job):
            asked.append((now[0], job.again))
            super().submit(job)

    executor = Busy(1, {SPECS[0].id: ["busy"]})
    ended = []
    outcome = drive(
        [Job(SPECS[0], tmp_path, again=True)],
        executor,
        on_end=lambda spec, message: ended.append((spec.id, message.kind)),
    )
    assert outcome.done == [SPECS[0].id]
    assert asked == [(100.0, True), (105.0, False)]
    assert ended == [(SPECS[0].id, "done")]


def test_every_end_and_every_progress_is_told(tmp_path):
    class Chatty(Scripted):
        def messages(self, seconds):
            for job in self.running[:1]:
                yield Message(job.spec.id, "progress", {"step": 1})
            yield from super().messages(seconds)

    heard, ended = [], []
    scripts = {spec.id: ["lost"] for spec in SPECS}
    with pytest.MonkeyPatch.context() as patch:
        told = Progress(step=1, steps=2, loss=0.5, evaluated=0, accuracy=(), seconds=0.1)
        patch.setattr(Message, "progress", property(lambda message: told))
        outcome = drive(
            jobs(tmp_path),
            Chatty(1, scripts),
            on_progress=lambda spec, progress: heard.append((spec.id, progress.step)),
            on_end=lambda spec, message: ended.append(message.kind),
        )
    assert outcome.lost == len(SPECS)
    assert Counter(heard) == {(spec.id, 1): 2 for spec in SPECS}
    assert Counter(ended) == {"lost": len(SPECS), "done": len(SPECS)}


def test_what_another_process_did_meanwhile_counts_as_done_before(tmp_path):
    class Elsewhere(Scripted):
        def messages(self, seconds):
            for message in super().messages(seconds):
                yield Message(message.run, message.kind, {"here": False})

    outcome = drive(jobs(tmp_path), Elsewhere(2, {spec.id: [] for spec in SPECS}))
    assert outcome.done == []
    assert sorted(outcome.before) == sorted(spec.id for spec in SPECS)


def test_three_lost_workers_are_a_failure_that_says_so(tmp_path):
    with pytest.raises(RunFailedError, match="as scripted, 3 times in a row"):
        drive(jobs(tmp_path)[:1], Scripted(1, {SPECS[0].id: ["lost"] * 3}))
    assert "3 times" in str(failure(Store(tmp_path).folder(SPECS[0])))
