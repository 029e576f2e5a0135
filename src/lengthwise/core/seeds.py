"""Independent random streams from one seed; every draw is a pure function of its address."""

from enum import IntEnum

import numpy as np


class Stream(IntEnum):
    """What a random stream is used for."""

    WEIGHTS = 0
    TRAINING_DATA = 1
    TEST_DATA = 2
    DROPOUT = 3
    EVALUATION = 4
    EXAMPLES = 5


def generator(seed: int, stream: Stream, *address: int) -> np.random.Generator:
    """Return the generator of a stream at an address such as a step number.

    Example:
        >>> a, b = (generator(0, Stream.TRAINING_DATA, 7).integers(1000) for _ in range(2))
        >>> a == b
        np.True_
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(stream, *address)))


def torch_seed(seed: int, stream: Stream, *address: int) -> int:
    """Return an integer seed for torch at an address."""
    sequence = np.random.SeedSequence(seed, spawn_key=(stream, *address))
    return int(sequence.generate_state(1, np.uint64)[0] >> 1)
