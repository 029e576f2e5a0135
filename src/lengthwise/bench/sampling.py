"""How much faster the vectorised samplers are than per-example Python generators.

Both sides make the same batches: tokens, targets, lengths, padded. They are timed in turns, in
processor time of the one thread that both use; the best of several turns counts. A batch of ours
takes less than a millisecond, one of the peer ten and more, so a turn of ours is several batches
(throughput, not the first touch of a cold cache). Freed memory is kept in the process, for both.
"""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from lengthwise.bench.generators.base import Generator, collate
from lengthwise.bench.memory import keep_freed_memory
from lengthwise.tasks import load_task
from lengthwise.tasks.formal.lengths import windows

Group = Literal["algorithmic", "formal", "formal-biased", "reasoning"]
IN_A_TURN = 8
"""Batches of ours in a turn; the peer makes one."""
GROUPS: tuple[Group, ...] = ("algorithmic", "formal", "formal-biased", "reasoning")


def sampling_rows(
    group: Group, *, batch: int = 1024, repeats: int = 9, names: tuple[str, ...] = ()
) -> Iterator[dict[str, Any]]:
    """Measure one group of tasks and yield a row for each task and range of lengths.

    A row has ``name``, ``lengths``, ``batch``, ``ours`` and ``peer`` (best seconds for each
    instance), ``ratio`` of the two, and ``spread``: the smallest and largest ratio of one turn.
    """
    keep_freed_memory()
    for name, generator, (low, high) in _cases(group):
        if names and name not in names:
            continue
        task, rng = load_task(name), np.random.default_rng(0)
        plain = random.Random(0)
        ours, peer = measure(
            lambda task=task, rng=rng, low=low, high=high: task.draw(rng, low, high, batch),
            lambda make=generator, plain=plain, low=low, high=high, pad=task.vocabulary.pad: (
                collate([make(plain, low, high) for _ in range(batch)], pad)
            ),
            repeats,
        )
        turns = [theirs / mine for mine, theirs in zip(ours, peer, strict=True)]
        yield {
            "name": name,
            "lengths": f"{low}-{high}",
            "batch": batch,
            "ours": min(ours) / batch,
            "peer": min(peer) / batch,
            "ratio": min(peer) / min(ours),
            "spread": (min(turns), max(turns)),
        }


def measure(
    ours: Callable[[], Any], peer: Callable[[], Any], repeats: int
) -> tuple[list[float], list[float]]:
    """Time one batch of each in turns, ours as the mean of several; return all seconds."""
    ours()
    peer()
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for function, times, calls in zip((ours, peer), seconds, (IN_A_TURN, 1), strict=True):
            begin = time.thread_time()
            for _ in range(calls):
                function()
            times.append((time.thread_time() - begin) / calls)
    return seconds


def _cases(group: Group) -> Iterator[tuple[str, Generator, tuple[int, int]]]:
    """List the tasks of a group with their generators and ranges of lengths."""
    if group == "algorithmic":
        from lengthwise.bench.generators.algorithmic import generators

        for name, generator in generators().items():
            yield name, generator, (0, 50)
            yield name, generator, (101, 150)
    elif group in ("formal", "formal-biased"):
        from lengthwise.bench.generators.formal import biased_generators, generators

        chosen = generators() if group == "formal" else biased_generators()
        for name, generator in chosen.items():
            for window in windows(name).bins[:2]:
                yield name, generator, window
    else:
        from lengthwise.bench.generators.reasoning import generators

        for name, generator in generators().items():
            yield name, generator, load_task(name).split.train  # pyright: ignore
