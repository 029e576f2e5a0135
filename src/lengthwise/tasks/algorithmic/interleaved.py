"""Three majorities at once, their bits taking turns."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.crasp.families import interleaved_majority
from lengthwise.tasks.algorithmic._sampling import unequal_bits
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, sequence_batch
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class InterleavedMajority(Task):
    """Binary majority of each of ``period`` interleaved streams, answered in stream order.

    ``<bos> s0 s1 s2 s0 s1 s2 <sep> a0 a1 a2 <eos>`` with period 3 (Huang et al. 2024).
    """

    period: int = 3

    name: ClassVar[str] = "interleaved-majority"
    summary: ClassVar[str] = "binary majority of three interleaved streams"

    def __post_init__(self) -> None:
        if self.period < 1:
            raise InputError(f"task 'interleaved-majority': period={self.period} must be >= 1.")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Two bits."""
        return Vocabulary(("0", "1"))

    def max_tokens(self, length: int) -> int:
        """Prompt, one answer per stream and three special tokens."""
        return length + self.period + 3

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """Every stream has the same length, so only multiples of the period occur."""
        first = max(1, -(-low // self.period))
        return self.period * np.arange(first, high // self.period + 1)

    def draw_lengths(
        self, rng: np.random.Generator, low: int, high: int, count: int
    ) -> Int[np.ndarray, "b"]:
        """Draw a total uniformly and round it to a multiple of the period inside the range."""
        possible = self.check_range(low, high)
        total = rng.integers(max(low, self.period), high + 1, size=count)
        rounded = self.period * np.rint(total / self.period).astype(np.int64)
        return np.clip(rounded, possible[0], possible[-1])

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw each stream as in binary majority, then interleave."""
        each = np.repeat(lengths // self.period, self.period)
        bits, ones = unequal_bits(rng, each)
        streams = bits.reshape(len(lengths), self.period, -1)
        prompt = streams.transpose(0, 2, 1).reshape(len(lengths), -1)
        answer = (2 * ones > each).reshape(len(lengths), self.period)
        answers = np.full_like(lengths, self.period)
        return sequence_batch(self.vocabulary, prompt, lengths, answer, answers, lengths)

    @property
    def program(self) -> Any | None:
        """Count each stream by its positions modulo the period."""
        return interleaved_majority(self.period)
