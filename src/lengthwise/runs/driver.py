"""The loop that takes runs to their results through any executor; the store remembers, not it.

The driver holds nothing that matters: kill it, start it again, and it finds what is done, what
failed and what can be continued in the runs' folders.
"""

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from lengthwise.core.errors import InputError
from lengthwise.records.progress import Interrupted, Progress
from lengthwise.records.spec import RunSpec
from lengthwise.runs.job import Job, Message, note_failure
from lengthwise.runs.store import Store

OnProgress = Callable[[RunSpec, Progress], None]
OnEnd = Callable[[RunSpec, Message], None]

WAIT_SECONDS = 0.25
BUSY_SECONDS = 0.5
LIVES = 3
"""How many workers a run may lose, without an evaluation between, before that is its failure."""
STRAYS = 10
"""How many runs the executor itself may lose, with no evaluation of any, before it is given up."""


class Executor(Protocol):
    """Carries jobs to where they run; ``slots`` is how many it takes at a time."""

    slots: int

    def submit(self, job: Job) -> None:
        """Begin a job."""
        ...

    def messages(self, seconds: float) -> Iterable[Message]:
        """Return what was heard, waiting some seconds at most for the first message."""
        ...

    def stop(self) -> None:
        """Ask running jobs to save and end; each still sends its last message."""
        ...


class ExecutorLostError(InputError):
    """What carries the runs is gone: an error of this call, not of any run."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}; give the same command again to continue.")


class RunFailedError(InputError):
    """A run did not reach its result; the reason is also in its folder."""


@dataclass
class RunsOutcome:
    """How a batch of runs ended."""

    done: list[str] = field(default_factory=list)
    """Finished in this call, in order of completion."""
    before: list[str] = field(default_factory=list)
    """Finished earlier, or meanwhile by another process."""
    failed: dict[str, str] = field(default_factory=dict)
    """Run to reason, of this call and of earlier ones that were not retried."""
    damaged: dict[str, str] = field(default_factory=dict)
    """Run to the file that is damaged and how; such a run is neither done nor to do."""
    lost: int = 0
    """Workers that died; their runs went on in others."""


def drive(
    jobs: Sequence[Job],
    executor: Executor,
    *,
    keep_going: bool = False,
    retry: bool = False,
    on_progress: OnProgress = lambda spec, progress: None,
    on_end: OnEnd = lambda spec, message: None,
    signals: tuple[signal.Signals, ...] = (signal.SIGINT,),
) -> RunsOutcome:
    """Take every job to its end.

    The first failure ends the others (they save their checkpoints) unless ``keep_going``; a run
    that failed in an earlier call is only tried again with ``retry``, and one whose files are
    damaged is left as it is unless its job says ``repair``. Ctrl-C lets each save.
    """
    loop = _Loop(list({job.spec.id: job for job in jobs}.values()), executor, keep_going, retry)
    loop.on_progress, loop.on_end = on_progress, on_end
    with interrupt_flag(*signals) as flag:
        loop.run(flag)
    if flag.is_set():
        raise Interrupted
    if loop.fatal:
        raise InputError(loop.fatal)
    if loop.outcome.failed and not keep_going:
        raise RunFailedError(_first(loop))
    return loop.outcome


class _Loop:
    """The state of one call of ``drive``."""

    on_progress: OnProgress
    on_end: OnEnd

    def __init__(self, jobs: list[Job], executor: Executor, keep_going: bool, retry: bool) -> None:
        self.jobs = {job.spec.id: job for job in jobs}
        self.executor, self.keep_going = executor, keep_going
        self.outcome, self.fatal = RunsOutcome(), ""
        self.waiting: deque[str] = deque()
        self.later: deque[tuple[float, str]] = deque()  # held by another process just now
        self.running: set[str] = set()
        self.deaths: dict[str, int] = {}
        self.evaluated: dict[str, int] = {}  # the last step that a run has surely saved
        self.strays = 0
        for job in jobs:
            self._sort(job, retry)

    def _sort(self, job: Job, retry: bool) -> None:
        """Decide what a job needs by what its folder holds."""
        store, run = Store(job.root), job.spec.id
        found = store.record(store.folder(job.spec))
        if job.again or (job.repair and found.state == "done"):  # its weights are to be read
            self.waiting.append(run)
        elif found.state == "done":
            self.outcome.before.append(run)
        elif found.state == "damaged" and not job.repair:
            self.outcome.damaged[run] = found.problem or ""
        elif found.state == "failed" and not retry:
            self.outcome.failed[run] = found.problem or ""
        else:
            self.waiting.append(run)

    def run(self, flag: threading.Event) -> None:
        stopping = self._over(flag)
        while self.running or (not stopping and (self.waiting or self.later)):
            if not stopping:
                self._fill()
            for message in self.executor.messages(WAIT_SECONDS):
                self._take(message)
            if not stopping and self._over(flag):
                stopping = True
                self.executor.stop()

    def _over(self, flag: threading.Event) -> bool:
        failed = self.outcome.failed and not self.keep_going
        return bool(flag.is_set() or self.fatal or failed)

    def _fill(self) -> None:
        while self.later and self.later[0][0] <= time.monotonic():
            self.waiting.append(self.later.popleft()[1])
        while self.waiting and len(self.running) < self.executor.slots:
            run = self.waiting.popleft()
            self.running.add(run)
            self.executor.submit(self.jobs[run])
        if not self.running:  # all that is left is held by others
            time.sleep(WAIT_SECONDS)

    def _take(self, message: Message) -> None:
        run, job = message.run, self.jobs[message.run]
        if message.kind == "progress":
            self._progress(run, message.progress)
            self.on_progress(job.spec, message.progress)
            return
        self.running.discard(run)
        match message.kind:
            case "done":
                here = message.data.get("here", True)  # else another process did it meanwhile
                (self.outcome.done if here else self.outcome.before).append(run)
            case "failed":
                self.outcome.failed[run] = message.reason
            case "fatal":
                self.fatal = message.reason
            case "busy":
                self.later.append((time.monotonic() + BUSY_SECONDS, run))
                # What another process finishes meanwhile is not done again, whatever was asked.
                self.jobs[run] = replace(job, again=False)
                return
            case "stopped":
                self.waiting.appendleft(run)
                return
            case "lost":
                self._lost(run, message.reason, own=message.data.get("own", True))
        self.on_end(job.spec, message)

    def _progress(self, run: str, progress: Progress) -> None:
        """Forget deaths of a run that has come further than ever before."""
        if progress.evaluated > self.evaluated.get(run, 0):
            self.evaluated[run] = progress.evaluated
            self.deaths.pop(run, None)
            self.strays = 0

    def _lost(self, run: str, reason: str, *, own: bool) -> None:
        """Begin a run again whose worker is gone; too often is its failure, if it was its own."""
        self.outcome.lost += 1
        if not own:
            self.strays += 1
            self.waiting.appendleft(run)
            if self.strays >= STRAYS:
                self.fatal = str(ExecutorLostError(f"{reason}, {STRAYS} times in a row"))
            return
        self.deaths[run] = self.deaths.get(run, 0) + 1
        if self.deaths[run] < LIVES:
            self.waiting.appendleft(run)
            return
        job, text = self.jobs[run], f"{reason}, {LIVES} times in a row"
        self.outcome.failed[run] = note_failure(Store(job.root).open(job.spec), text)


def _first(loop: _Loop) -> str:
    run, reason = next(iter(loop.outcome.failed.items()))
    spec = loop.jobs[run].spec
    return f"run {run} ({spec.task}, {spec.position}, seed {spec.seed}): {reason}"


@contextmanager
def interrupt_flag(*signals: signal.Signals) -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into a flag that is looked at between steps; a second one is hard."""
    flag = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return

    def handler(number: int, frame: Any) -> None:
        if flag.is_set():
            raise KeyboardInterrupt
        flag.set()

    before = {number: signal.signal(number, handler) for number in signals or (signal.SIGINT,)}
    try:
        yield flag
    finally:
        for number, former in before.items():
            signal.signal(number, former)
