"""How much faster the vectorised samplers are than per-example Python generators.

Both sides make the same batches: tokens, targets, lengths, padded. They are timed in turns, in
processor time of the one thread that both use; the best of several turns counts. A batch of ours
takes less than a millisecond, one of the peer ten and more, so a turn of ours is several batches
(throughput, not the first touch of a cold cache). Freed memory is kept in the process, for both.
"""

import ctypes
import ctypes.util
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from lengthwise.bench.generators import algorithmic, formal, reasoning
from lengthwise.bench.generators.base import Generator, collate
from lengthwise.bench.measure import Row, compare
from lengthwise.tasks import load_task
from lengthwise.tasks.base import Task
from lengthwise.tasks.formal.lengths import windows
from lengthwise.tasks.reasoning.base import TextTask

BATCH = 1024
IN_A_TURN = 8
"""Batches of ours in a turn; the peer makes one."""
GRAMMARS = ("scan", "pcfg")
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's names in malloc.h


def sampling(rounds: int, names: tuple[str, ...] = (), batch: int = BATCH) -> Iterator[Row]:
    """Compare every sampler that has a peer, or those that are named, seconds per instance."""
    keep_freed_memory()
    for name, generator, (low, high), peer, at_least in _cases():
        if names and name not in names:
            continue
        task = load_task(name)
        ours, theirs = partial(_ours, task, low, high, batch), partial(_theirs, task, generator)
        row = compare(
            "sampling", f"{name}, lengths {low}-{high}",
            _timed(ours, np.random.default_rng(0), IN_A_TURN),
            peer,
            _timed(partial(theirs, low, high, batch), random.Random(0), 1),
            rounds=rounds, at_least=at_least,
        )  # fmt: skip
        yield row.model_copy(update={"ours": row.ours / batch, "theirs": row.theirs / batch})


def _cases() -> Iterator[tuple[str, Generator, tuple[int, int], str, float | None]]:
    """List tasks with their generators, lengths, the peer's name and the ratio to reach."""
    plain = "Python generator"
    for name, generator in algorithmic.generators().items():
        yield name, generator, (0, 50), plain, 10.0
        yield name, generator, (101, 150), plain, 15.0
    for name, generator in formal.generators().items():
        for window in windows(name).bins[:2]:
            yield name, generator, window, plain, 30.0
    for name, generator in formal.biased_generators().items():
        for window in windows(name).bins[:2]:
            yield name, generator, window, "quick random walk", None
    for name, generator in reasoning.generators().items():
        task = load_task(name)
        assert isinstance(task, TextTask)
        yield name, generator, task.split.train, plain, 5.0 if name in GRAMMARS else 20.0


def _ours(task: Task, low: int, high: int, batch: int, rng: np.random.Generator) -> object:
    return task.draw(rng, low, high, batch)


def _theirs(
    task: Task, make: Generator, low: int, high: int, batch: int, rng: random.Random
) -> object:
    return collate([make(rng, low, high) for _ in range(batch)], task.vocabulary.pad)


def _timed(draw: Callable[[Any], object], rng: object, calls: int) -> Callable[[], float]:
    """Return a turn that times itself: the seconds of one batch, the mean of several."""

    def turn() -> float:
        begin = time.thread_time()
        for _ in range(calls):
            draw(rng)
        return (time.thread_time() - begin) / calls

    return turn


def keep_freed_memory(limit: int = 1 << 28) -> bool:
    """Keep up to ``limit`` freed bytes in the process; return whether that was possible.

    Batches are allocated and freed all the time. By default glibc gives large blocks back to the
    system at once, and every new one costs a page fault for each 4 KB, which can take longer than
    filling it. Call it once when a process starts to train or to measure.
    """
    library = ctypes.util.find_library("c")
    if library is None:
        return False
    set_option = getattr(ctypes.CDLL(library), "mallopt", None)
    if set_option is None:
        return False
    return bool(set_option(_MMAP_THRESHOLD, 1 << 25) and set_option(_TRIM_THRESHOLD, limit))
