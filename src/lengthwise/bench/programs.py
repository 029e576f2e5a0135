"""How fast programs run: our backends beside the bare array operations they cannot avoid.

Each row interleaves its two sides, keeps the best time of each, and reports the spread of the
ratio over repetitions, so that a busy machine shows.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.library import load
from lengthwise.languages.words import Words, random_words


def rows(words: int = 1_000, length: int = 1_000, repetitions: int = 40) -> list[dict[str, Any]]:
    """Return the speed rows for Dyck-1 on a batch of random words.

    ``ratio`` is ours over peer: at most 3 is the aim for the array backend against its bare
    cumulative sums, at most 0.1 for the fused backend against the array backend.

    Example:
        >>> [row["name"] for row in rows(words=4, length=4, repetitions=1)][0]
        'crasp dyck-1 array / bare cumulative sums'
    """
    program = load("dyck-1")
    batch = random_words(program.letters(), length, words, np.random.default_rng(0))
    array = _timed(lambda: accepts(program, batch))
    result = [
        _row("crasp dyck-1 array / bare cumulative sums", array, lambda: _bare(batch), repetitions)
    ]
    try:
        accepts(program, batch, backend="fused")
    except InputError:
        return result
    fused = _timed(lambda: accepts(program, batch, backend="fused"))
    again = _timed(lambda: accepts(program, _fresh(batch), backend="fused"))
    result.append(
        _row("crasp dyck-1 fused / array", fused, lambda: accepts(program, batch), repetitions)
    )
    name = "crasp dyck-1 fused with re-layout / array"
    result.append(_row(name, again, lambda: accepts(program, batch), repetitions))
    return result


def _fresh(batch: Words) -> Words:
    """Return the batch without its cached positions-first copy."""
    return Words(batch.tokens, batch.lengths, batch.letters)


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
