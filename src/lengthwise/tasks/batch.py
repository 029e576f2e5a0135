"""The one layout of data: tokens, what to predict at each position, and the task's length."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from lengthwise.tasks.vocabulary import Vocabulary

IGNORE = -100
"""Target of a position that is not supervised."""

Ints = Int[np.ndarray, "..."]


@dataclass(frozen=True)
class Batch:
    """A batch of sequences, right padded.

    ``targets[b, t]`` is what a causal model must say at position ``t``: the next token, a label, or
    ``IGNORE``. ``length`` is the task's own notion of length; ``size`` counts tokens.
    """

    tokens: Int[np.ndarray, "b t"]
    targets: Int[np.ndarray, "b t"]
    length: Int[np.ndarray, "b"]
    size: Int[np.ndarray, "b"]

    @property
    def supervised(self) -> Bool[np.ndarray, "b t"]:
        """Mark the positions that are supervised."""
        return self.targets != IGNORE

    def rows(self, index: Ints) -> "Batch":
        """Select rows and cut the padding that none of them needs."""
        width = int(self.size[index].max(initial=1))
        return Batch(
            tokens=self.tokens[index, :width],
            targets=self.targets[index, :width],
            length=self.length[index],
            size=self.size[index],
        )


def sequence_batch(
    vocabulary: Vocabulary,
    prompt: Int[np.ndarray, "b p"],
    prompt_size: Int[np.ndarray, "b"],
    answer: Int[np.ndarray, "b a"],
    answer_size: Int[np.ndarray, "b"],
    length: Int[np.ndarray, "b"],
    *,
    separator: bool = True,
) -> Batch:
    """Lay out ``<bos> prompt [<sep>] answer <eos>``, supervised from the separator on.

    Without a separator the prompt's own last symbol plays its part (``=`` in addition).
    Entries of ``prompt`` and ``answer`` beyond their sizes are ignored.
    """
    rows = np.arange(len(length))
    start = 1 + prompt_size + int(separator)  # where the answer begins
    size = start + answer_size + 1
    column = np.arange(int(size.max()))
    tokens = np.full((len(rows), len(column)), vocabulary.pad, dtype=np.int64)
    targets = np.full((len(rows), len(column)), IGNORE, dtype=np.int64)
    tokens[:, 0] = vocabulary.bos
    prompt = prompt[:, : len(column) - 1]
    inside = column[: prompt.shape[1]] < prompt_size[:, None]
    np.copyto(tokens[:, 1 : 1 + prompt.shape[1]], prompt, where=inside)
    if separator:
        tokens[rows, start - 1] = vocabulary.sep
    asked = column >= start[:, None]
    asked &= column < size[:, None] - 1
    tokens[asked] = answer[np.arange(answer.shape[1]) < answer_size[:, None]]
    tokens[rows, size - 1] = vocabulary.eos
    asked[rows, size - 1] = True
    np.copyto(targets[:, :-1], tokens[:, 1:], where=asked[:, 1:])
    return Batch(tokens=tokens, targets=targets, length=length, size=size)


def gapped_batch(
    vocabulary: Vocabulary,
    cells: Int[np.ndarray, "b k"],
    written: Bool[np.ndarray, "b k"],
    prompt_cells: int,
    length: Int[np.ndarray, "b"],
) -> Batch:
    """Lay out rows given with gaps: cells that are not written are closed up.

    The first ``prompt_cells`` cells are the prompt; everything behind it is supervised.

    Example:
        >>> v = Vocabulary(("a", "b"))
        >>> cells, written = np.array([[0, 1, 1]]), np.array([[True, False, True]])
        >>> gapped_batch(v, cells, written, 2, np.array([1])).tokens.tolist()
        [[0, 1]]
    """
    size = np.count_nonzero(written, axis=1)
    start = np.count_nonzero(written[:, :prompt_cells], axis=1).astype(np.int32)
    column = np.arange(int(size.max(initial=1)), dtype=np.int32)
    inside = column < size.astype(np.int32)[:, None]
    tokens = np.full(inside.shape, vocabulary.pad, dtype=np.int64)
    tokens[inside] = cells.ravel()[np.flatnonzero(written)]  # faster than cells[written]
    targets = np.full(inside.shape, IGNORE, dtype=np.int64)
    asked = inside[:, 1:] & (column[1:] >= start[:, None])
    np.copyto(targets[:, :-1], tokens[:, 1:], where=asked)
    return Batch(tokens=tokens, targets=targets, length=length, size=size)
