"""What an example is, and how a list of them becomes a batch."""

import random
from collections.abc import Callable

import numpy as np

from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.vocabulary import Vocabulary

Example = tuple[list[int], list[int], int]
"""Token ids, targets of the same length, and the task's length."""
Generator = Callable[[random.Random, int, int], Example]
"""Draw one example with a length in a range."""


def answered(vocabulary: Vocabulary, prompt: list[int], answer: list[int], length: int) -> Example:
    """Write ``<bos> prompt <sep> answer <eos>``, supervised behind the separator."""
    ids = [vocabulary.bos, *prompt, vocabulary.sep, *answer, vocabulary.eos]
    return continued(ids, len(prompt) + 2, length)


def continued(ids: list[int], start: int, length: int) -> Example:
    """Ask for everything from ``start`` on."""
    return ids, [IGNORE] * (start - 1) + ids[start:] + [IGNORE], length


def collate(examples: list[Example], pad: int) -> Batch:
    """Pad examples to the longest and stack them."""
    width = max(len(ids) for ids, _, _ in examples)
    return Batch(
        tokens=np.array([ids + [pad] * (width - len(ids)) for ids, _, _ in examples]),
        targets=np.array([ask + [IGNORE] * (width - len(ask)) for _, ask, _ in examples]),
        length=np.array([length for _, _, length in examples]),
        size=np.array([len(ids) for ids, _, _ in examples]),
    )
