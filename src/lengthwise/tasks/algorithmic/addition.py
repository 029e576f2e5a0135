"""Binary addition, most significant bit first."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Int, Integer

from lengthwise.tasks.algorithmic._sampling import carries, random_bits
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, gapped_batch
from lengthwise.tasks.vocabulary import Vocabulary

PLUS, EQUALS = 2, 3


@dataclass(frozen=True, kw_only=True)
class Addition(Task):
    """Add two binary numbers: ``<bos> 1 0 + 1 = 1 1 <eos>`` (Huang et al. 2024).

    The length counts both operands, ``+`` and ``=``. The first operand's length is uniform;
    operands longer than one bit start with 1; the sum is written without padding.
    """

    name: ClassVar[str] = "addition"
    summary: ClassVar[str] = "add two binary numbers, high bit first"
    min_length: ClassVar[int] = 4

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Two bits, plus and equals."""
        return Vocabulary(("0", "1", "+", "="))

    def max_tokens(self, length: int) -> int:
        """A long operand and one bit give a sum of ``length - 2`` bits."""
        return 2 * length

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw operands with their low bits aligned, add, and close the gaps."""
        first = rng.integers(1, lengths - 2)
        second = lengths - 2 - first
        width = int(np.maximum(first, second).max())
        u, v = _operand(rng, first, width), _operand(rng, second, width)
        total, size = _add(u, v)
        parts = [(self.vocabulary.bos, 1), (u, first), (PLUS, 1), (v, second), (EQUALS, 1)]
        parts += [(total, size), (self.vocabulary.eos, 1)]
        cells = np.empty((len(lengths), 3 * width + 5), dtype=np.uint8)
        written = np.ones(cells.shape, dtype=bool)
        at = 0
        for values, count in parts:
            if isinstance(values, int):
                cells[:, at] = values
                at += 1
                continue
            end = at + values.shape[1]
            cells[:, at:end] = values
            np.greater_equal(np.arange(end - at), end - at - count[:, None], out=written[:, at:end])
            at = end
        return gapped_batch(self.vocabulary, cells, written, 2 * width + 3, lengths)


def _operand(
    rng: np.random.Generator, size: Int[np.ndarray, "b"], width: int
) -> Integer[np.ndarray, "b w"]:
    """Draw bits in the last ``size`` columns; the top bit is 1 if there are several."""
    bits = random_bits(rng, len(size), width)
    bits *= np.arange(width) >= width - size[:, None]
    several = np.flatnonzero(size > 1)
    bits[several, width - size[several]] = 1
    return bits


def _add(
    u: Integer[np.ndarray, "b w"], v: Integer[np.ndarray, "b w"]
) -> tuple[Integer[np.ndarray, "b s"], Int[np.ndarray, "b"]]:
    """Add; return the bits of the sum, high bit first, and how many are written (at least one)."""
    total = np.zeros((len(u), u.shape[1] + 1), dtype=np.uint8)
    total[:, :-1] = carries((u + v)[:, ::-1], 2)[:, ::-1]
    total[:, 1:] ^= u ^ v
    size = total.shape[1] - np.argmax(total, axis=1)
    return total, np.where(total.any(axis=1), size, 1)
