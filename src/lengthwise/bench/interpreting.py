"""How fast programs run: the interpreter beside the bare array operations it cannot avoid."""

from collections.abc import Iterator

import numpy as np

from lengthwise.bench.measure import Figure, compare
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.library import load
from lengthwise.languages.words import Words, random_words


def programs(rounds: int, words: int = 1_000, length: int = 1_000) -> Iterator[Figure]:
    """Run Dyck-1 on a batch of random words.

    Example:
        >>> [figure.name for figure in programs(1, words=4, length=4)]
        ['crasp dyck-1 array / bare cumulative sums']
    """
    program = load("dyck-1")
    batch = random_words(program.letters(), length, words, np.random.default_rng(0))
    name = "crasp dyck-1 array / bare cumulative sums"
    row = compare(
        "programs", name, lambda: accepts(program, batch), "sums", lambda: _bare(batch),
        rounds=4 * rounds,
    )  # fmt: skip
    yield Figure(group="programs", name=name, value=1 / row.ratio, unit="x time", at_most=3.0)


def _bare(batch: Words) -> np.ndarray:
    """The three 32-bit prefix sums that Dyck-1 needs, and nothing else but their inputs."""
    opened = np.cumsum(batch.tokens == 0, axis=1, dtype=np.int32)
    closed = np.cumsum(batch.tokens == 1, axis=1, dtype=np.int32)
    return np.cumsum(opened < closed, axis=1, dtype=np.int32)
