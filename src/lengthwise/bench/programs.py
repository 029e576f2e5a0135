"""How fast programs run: the interpreter beside the bare array operations it cannot avoid.

Each row interleaves its two sides, keeps the best time of each, and reports the spread of the
ratio over repetitions, so that a busy machine shows.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.library import load
from lengthwise.languages.words import Words, random_words


def rows(words: int = 1_000, length: int = 1_000, repetitions: int = 40) -> list[dict[str, Any]]:
    """Return the speed rows for Dyck-1 on a batch of random words.

    ``ratio`` is ours over the bare cumulative sums; at most 3 is the aim.

    Example:
        >>> [row["name"] for row in rows(words=4, length=4, repetitions=1)][0]
        'crasp dyck-1 array / bare cumulative sums'
    """
    program = load("dyck-1")
    batch = random_words(program.letters(), length, words, np.random.default_rng(0))
    name = "crasp dyck-1 array / bare cumulative sums"
    ours = _timed(lambda: accepts(program, batch))
    return [_row(name, ours, lambda: _bare(batch), repetitions)]


def _bare(batch: Words) -> np.ndarray:
    """The three 32-bit prefix sums that Dyck-1 needs, and nothing else but their inputs."""
    opened = np.cumsum(batch.tokens == 0, axis=1, dtype=np.int32)
    closed = np.cumsum(batch.tokens == 1, axis=1, dtype=np.int32)
    return np.cumsum(opened < closed, axis=1, dtype=np.int32)


def _timed(action: Callable[[], object]) -> Callable[[], float]:
    def measure() -> float:
        began = time.perf_counter()
        action()
        return time.perf_counter() - began

    return measure


def _row(
    name: str, ours: Callable[[], float], peer: Callable[[], object], repetitions: int
) -> dict[str, Any]:
    other = _timed(peer)
    for _ in range(min(5, repetitions)):  # settle the allocator and the clock
        ours()
        other()
    pairs = [(ours(), other()) for _ in range(repetitions)]
    mine, theirs = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    ratios = sorted(pair[0] / pair[1] for pair in pairs)
    return {
        "name": name,
        "ours": mine,
        "peer": theirs,
        "ratio": mine / theirs,
        "spread": (ratios[0], ratios[-1]),
    }
