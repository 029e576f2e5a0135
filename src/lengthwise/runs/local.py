"""Many runs on this machine: processes with one thread each, all stoppable, none lost."""

import multiprocessing as mp
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty
from typing import TYPE_CHECKING, Any

from lengthwise.runs.spec import RunSpec
from lengthwise.runs.store import Store

if TYPE_CHECKING:
    from lengthwise.runs.result import RunResult
    from lengthwise.training.loop import Progress

REPORT_SECONDS = 0.25
SMALL_WIDTH = 256
"""Below this width two threads in one process lose more by synchronisation than they gain."""

OnProgress = Callable[[RunSpec, "Progress"], None]


@dataclass(frozen=True)
class Plan:
    """How many processes, and how many threads in each."""

    jobs: int
    threads: int


def plan(specs: Sequence[RunSpec], jobs: int | None = None, threads: int | None = None) -> Plan:
    """Use every core once: over runs first, inside a run only for wide models."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    jobs = jobs or max(1, min(len(specs), cores or 1))
    wide = any(spec.model.width >= SMALL_WIDTH for spec in specs)
    return Plan(jobs, threads or (max(1, (cores or 1) // jobs) if wide else 1))


def execute_all(
    specs: Sequence[RunSpec],
    store: Store,
    how: Plan,
    *,
    device: str = "auto",
    again: bool = False,
    on_progress: OnProgress = lambda spec, progress: None,
) -> list["RunResult"]:
    """Execute all runs; Ctrl-C lets each save its checkpoint before it ends."""
    options = {"device": device, "again": again}
    if how.jobs == 1:
        return _in_this_process(specs, store, how.threads, options, on_progress)
    return _in_processes(specs, store, how, options, on_progress)


def _in_this_process(
    specs: Sequence[RunSpec],
    store: Store,
    threads: int,
    options: dict[str, Any],
    on_progress: OnProgress,
) -> list["RunResult"]:
    import torch

    from lengthwise.runs.execute import execute

    torch.set_num_threads(threads)
    with _interrupt_flag() as stop:
        results = []
        for spec in specs:
            report = _throttled(lambda progress, spec=spec: on_progress(spec, progress))
            results.append(
                execute(spec, store, listener=report, should_stop=stop.is_set, **options)
            )
        return results


def _in_processes(
    specs: Sequence[RunSpec],
    store: Store,
    how: Plan,
    options: dict[str, Any],
    on_progress: OnProgress,
) -> list["RunResult"]:
    context = mp.get_context("spawn")
    reports, stop = context.Queue(), context.Event()
    pool = ProcessPoolExecutor(
        how.jobs, context, initializer=_begin_worker, initargs=(how.threads, reports, stop)
    )
    with pool, _interrupt_flag() as flag:
        futures: list[Future[Any]] = [
            pool.submit(_work, number, spec, store.root, options)
            for number, spec in enumerate(specs)
        ]
        waiting = set(futures)
        try:
            while waiting:
                _, waiting = wait(waiting, timeout=REPORT_SECONDS, return_when=FIRST_COMPLETED)
                for number, progress in _drain(reports):
                    on_progress(specs[number], progress)
                if flag.is_set() or any(f.done() and f.exception() for f in futures):
                    break
            return [future.result() for future in futures if not flag.is_set() or future.done()]
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
            if flag.is_set():
                from lengthwise.training.loop import Interrupted

                raise Interrupted


_worker: dict[str, Any] = {}


def _begin_worker(threads: int, reports: Any, stop: Any) -> None:
    """Prepare a worker: threads, its channels, and Ctrl-C left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import torch

    torch.set_num_threads(threads)
    _worker.update(reports=reports, stop=stop)


def _work(number: int, spec: RunSpec, root: Any, options: dict[str, Any]) -> "RunResult":
    from lengthwise.runs.execute import execute

    report = _throttled(lambda progress: _worker["reports"].put((number, progress)))
    return execute(
        spec, Store(root), listener=report, should_stop=_worker["stop"].is_set, **options
    )


def _throttled(report: Callable[["Progress"], None]) -> Callable[["Progress"], None]:
    """Pass progress on at most a few times a second, and always after an evaluation."""
    last = {"time": 0.0, "evaluated": 0}

    def listener(progress: "Progress") -> None:
        now = time.monotonic()
        if now - last["time"] > REPORT_SECONDS or progress.evaluated != last["evaluated"]:
            last.update(time=now, evaluated=progress.evaluated)
            report(progress)

    return listener


def _drain(reports: Any) -> Iterator[tuple[int, "Progress"]]:
    while True:
        try:
            yield reports.get_nowait()
        except Empty:
            return


@contextmanager
def _interrupt_flag() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into a flag that is looked at between steps; a second one is hard."""
    flag = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return

    def handler(number: int, frame: Any) -> None:
        if flag.is_set():
            raise KeyboardInterrupt
        flag.set()

    before = signal.signal(signal.SIGINT, handler)
    try:
        yield flag
    finally:
        signal.signal(signal.SIGINT, before)
