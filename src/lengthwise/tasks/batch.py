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
    start = 1 + prompt_size + int(separator)  # where the answer begins
    size = start + answer_size + 1
    width = int(size.max())
    tokens = np.full((len(size), width + 1), vocabulary.pad, dtype=np.int64)
    tokens[:, 0] = vocabulary.bos
    _write(tokens, prompt, np.ones_like(start), prompt_size)
    if separator:
        tokens[np.arange(len(size)), start - 1] = vocabulary.sep
    _write(tokens, answer, start, answer_size)
    tokens[np.arange(len(size)), size - 1] = vocabulary.eos
    column = np.arange(width)
    supervised = (column >= start[:, None] - 1) & (column < size[:, None] - 1)
    targets = np.where(supervised, tokens[:, 1:], IGNORE)
    return Batch(tokens=tokens[:, :width], targets=targets, length=length, size=size)


def _write(tokens: Ints, values: Ints, start: Ints, size: Ints) -> None:
    """Write the first ``size[b]`` values of row ``b`` at ``start[b]``; the rest goes nowhere."""
    column = np.arange(values.shape[1])
    nowhere = tokens.shape[1] - 1
    index = np.where(column < size[:, None], start[:, None] + column, nowhere)
    np.put_along_axis(tokens, index, values, axis=1)
