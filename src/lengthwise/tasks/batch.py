"""The one layout of data: tokens, what to predict at each position, and the task's length."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int, Integer

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
    prompt: Integer[np.ndarray, "b p"] | Bool[np.ndarray, "b p"],
    prompt_size: Int[np.ndarray, "b"],
    answer: Integer[np.ndarray, "b a"] | Bool[np.ndarray, "b a"],
    answer_size: Int[np.ndarray, "b"],
    length: Int[np.ndarray, "b"],
    *,
    separator: bool = True,
) -> Batch:
    """Lay out ``<bos> prompt [<sep>] answer <eos>``, supervised from the separator on.

    Without a separator the prompt's own last symbol plays its part (``=`` in addition).
    Entries of ``prompt`` and ``answer`` beyond their sizes are ignored.
    """
    rows, start = np.arange(len(length)), 1 + prompt_size + int(separator)
    end = start + answer_size  # where <eos> stands
    width = int(end.max()) + 1
    kind = small_type(max(len(vocabulary), width))
    tokens = np.full((len(rows), width), vocabulary.pad, dtype=kind)
    targets = np.full(tokens.shape, IGNORE, dtype=kind)
    tokens[:, 0] = vocabulary.bos
    prompt = prompt[:, : width - 1]
    inside = first_columns(prompt_size, prompt.shape[1])
    np.copyto(tokens[:, 1 : 1 + prompt.shape[1]], prompt, where=inside)
    if separator:
        tokens[rows, start - 1] = vocabulary.sep
    tokens[rows, end] = vocabulary.eos
    if answer.shape[1] == 1 and (answer_size == 1).all():  # two positions are asked: no masks
        tokens[rows, start] = targets[rows, start - 1] = answer[:, 0]
        targets[rows, start] = vocabulary.eos
    else:
        asked = first_columns(end, width) & ~first_columns(start, width)
        written = first_columns(answer_size, answer.shape[1])
        tokens[asked] = answer.astype(kind, copy=False)[written]
        asked[rows, end] = True
        np.copyto(targets[:, :-1], tokens[:, 1:], where=asked[:, 1:])
    return _widened(tokens, targets, length, end + 1)


def gapped_batch(
    vocabulary: Vocabulary,
    cells: Integer[np.ndarray, "b k"],
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
    size, start = count_columns(written), count_columns(written[:, :prompt_cells])
    width = int(size.max(initial=1))
    kind = small_type(max(len(vocabulary), width))
    column = np.arange(width, dtype=kind)
    inside = column < size.astype(kind)[:, None]
    tokens = np.full(inside.shape, vocabulary.pad, dtype=kind)
    tokens[inside] = cells.astype(kind, copy=False)[written]
    targets = np.full(inside.shape, IGNORE, dtype=kind)
    asked = column >= start.astype(kind)[:, None]
    asked &= inside
    np.copyto(targets[:, :-1], tokens[:, 1:], where=asked[:, 1:])
    return _widened(tokens, targets, length, size)


def _widened(tokens: Ints, targets: Ints, length: Ints, size: Ints) -> Batch:
    """Make the batch, with tokens of 64 bits as models take them."""
    return Batch(
        tokens=tokens.astype(np.int64), targets=targets.astype(np.int64), length=length, size=size
    )


def first_columns(sizes: Int[np.ndarray, "b"], width: int) -> Bool[np.ndarray, "b w"]:
    """Mark the first ``sizes[b]`` of ``width`` columns in each row.

    Example:
        >>> first_columns(np.array([1, 2]), 3).tolist()
        [[True, False, False], [True, True, False]]
    """
    kind = small_type(max(width, int(sizes.max(initial=0))))
    return np.arange(width, dtype=kind) < sizes.astype(kind)[:, None]


def small_type(limit: int) -> type[np.int16] | type[np.int32]:
    """Return the type in which to lay out numbers below ``limit``: few bytes move fast.

    Example:
        >>> small_type(100).__name__
        'int16'
    """
    return np.int16 if limit < 2**15 else np.int32


def count_columns(marked: Bool[np.ndarray, "b k"]) -> Int[np.ndarray, "b"]:
    """Count the marked columns of each row; bytes are added fastest, where they suffice."""
    kind = np.uint8 if marked.shape[1] < 256 else np.int64
    return np.einsum("bk->b", marked.view(np.uint8), dtype=kind).astype(np.int64)


def label_batch(
    vocabulary: Vocabulary,
    words: Int[np.ndarray, "b n"],
    labels: Int[np.ndarray, "b n"],
    lengths: Int[np.ndarray, "b"],
) -> Batch:
    """Lay out ``<bos> x1 .. xn`` with the label of each prefix at its last symbol.

    Labels are token ids; negative entries are padding.
    """
    shape = (len(lengths), words.shape[1] + 1)
    tokens = np.full(shape, vocabulary.bos, dtype=np.int64)
    targets = np.full(shape, IGNORE, dtype=np.int64)
    tokens[:, 1:] = np.where(words < 0, vocabulary.pad, words)
    targets[:, 1:] = np.where(labels < 0, IGNORE, labels)
    return Batch(tokens=tokens, targets=targets, length=lengths, size=lengths + 1)
