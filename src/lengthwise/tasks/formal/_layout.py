"""One label per symbol: ``<bos> x1 .. xn`` with the label of each prefix at its last symbol."""

import numpy as np
from jaxtyping import Int

from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.vocabulary import Vocabulary


def label_batch(
    vocabulary: Vocabulary,
    words: Int[np.ndarray, "b n"],
    labels: Int[np.ndarray, "b n"],
    lengths: Int[np.ndarray, "b"],
) -> Batch:
    """Lay out words and the token ids of their labels; negative entries are padding."""
    shape = (len(lengths), words.shape[1] + 1)
    tokens = np.full(shape, vocabulary.bos, dtype=np.int64)
    targets = np.full(shape, IGNORE, dtype=np.int64)
    tokens[:, 1:] = np.where(words < 0, vocabulary.pad, words)
    targets[:, 1:] = np.where(labels < 0, IGNORE, labels)
    return Batch(tokens=tokens, targets=targets, length=lengths, size=lengths + 1)
