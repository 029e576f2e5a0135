"""Binary addition, most significant bit first."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, sequence_batch
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
        """Draw operands low bit first, add with a carry per column, write high bit first."""
        first = rng.integers(1, lengths - 2)
        second = lengths - 2 - first
        width = int(np.maximum(first, second).max())
        u, v = _operand(rng, first, width), _operand(rng, second, width)
        total, size = _add(u, v)
        rows, column = np.arange(len(lengths))[:, None], np.arange(int(lengths.max()))
        in_second = column - first[:, None] - 1
        prompt = np.where(
            column < first[:, None],
            u[rows, np.clip(first[:, None] - 1 - column, 0, width - 1)],
            v[rows, np.clip(second[:, None] - 1 - in_second, 0, width - 1)],
        )
        prompt[rows[:, 0], first] = PLUS
        prompt[rows[:, 0], lengths - 1] = EQUALS
        answer = total[rows, np.clip(size[:, None] - 1 - np.arange(width + 1), 0, width)]
        return sequence_batch(
            self.vocabulary, prompt, lengths, answer, size, lengths, separator=False
        )


def _operand(
    rng: np.random.Generator, size: Int[np.ndarray, "b"], width: int
) -> Int[np.ndarray, "b w"]:
    """Draw bits, low bit first, zero beyond ``size``; the top bit is 1 if there are several."""
    bits = rng.integers(0, 2, (len(size), width))
    bits[np.arange(width) >= size[:, None]] = 0
    several = np.flatnonzero(size > 1)
    bits[several, size[several] - 1] = 1
    return bits


def _add(
    u: Int[np.ndarray, "b w"], v: Int[np.ndarray, "b w"]
) -> tuple[Int[np.ndarray, "b s"], Int[np.ndarray, "b"]]:
    """Add low bit first; return the bits of the sum and how many are written (at least one)."""
    count, width = u.shape
    total = np.zeros((count, width + 1), dtype=np.int64)
    carry = np.zeros(count, dtype=np.int64)
    for column in range(width):
        here = u[:, column] + v[:, column] + carry
        total[:, column], carry = here & 1, here >> 1
    total[:, width] = carry
    size = width + 1 - np.argmax(total[:, ::-1], axis=1)
    return total, np.where(total.any(axis=1), size, 1)
