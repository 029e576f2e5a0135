"""Which symbol occurs most often? Two symbols, or many."""

from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase
from typing import ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.errors import InputError
from lengthwise.tasks.algorithmic._sampling import random_subset, unequal_split
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, sequence_batch
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class BinaryMajority(Task):
    """Say which of two bits is more frequent: ``<bos> 0 1 1 <sep> 1 <eos>``.

    The number of zeros is uniform in 0..L without a tie, so margins are large
    (Huang et al. 2024, Appendix E).
    """

    name: ClassVar[str] = "binary-majority"
    summary: ClassVar[str] = "the more frequent of two bits"

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Two bits."""
        return Vocabulary(("0", "1"))

    def max_tokens(self, length: int) -> int:
        """Prompt, answer and three special tokens."""
        return length + 4

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw the number of zeros, then a uniformly random arrangement."""
        zeros = unequal_split(rng, lengths)
        bits = (~random_subset(rng, lengths, zeros)).astype(np.int64)
        answer = (lengths - zeros > zeros).astype(np.int64)[:, None]
        one = np.ones_like(lengths)
        return sequence_batch(self.vocabulary, bits, lengths, answer, one, lengths)


@dataclass(frozen=True, kw_only=True)
class Majority(Task):
    """Name the most frequent of 26 letters: ``<bos> a c a <sep> a <eos>``.

    Letters are independent and uniform, drawn again until one letter is strictly the most frequent
    (Huang et al. 2024, Appendix E).
    """

    letters: int = 26

    name: ClassVar[str] = "majority"
    summary: ClassVar[str] = "the most frequent of 26 letters"

    def __post_init__(self) -> None:
        if not 2 <= self.letters <= 26:
            raise InputError(f"task 'majority': letters={self.letters} is not in 2..26.")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The letters a, b, c, ..."""
        return Vocabulary(tuple(ascii_lowercase[: self.letters]))

    def max_tokens(self, length: int) -> int:
        """Prompt, answer and three special tokens."""
        return length + 4

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw letters; rows with a tie are drawn again, many candidates at a time."""
        width = int(lengths.max())
        words = np.zeros((len(lengths), width), dtype=np.int64)
        answer = np.zeros(len(lengths), dtype=np.int64)
        todo, candidates = np.arange(len(lengths)), 1
        while len(todo):
            row = np.repeat(todo, candidates)
            drawn = rng.integers(0, self.letters, (len(row), width))
            mode, unique = self._mode(drawn, lengths[row])
            good = np.flatnonzero(unique)
            done, first = np.unique(row[good], return_index=True)
            words[done], answer[done] = drawn[good[first]], mode[good[first]]
            todo, candidates = np.setdiff1d(todo, done), 32
        one = np.ones_like(lengths)
        return sequence_batch(self.vocabulary, words, lengths, answer[:, None], one, lengths)

    def _mode(
        self, words: Int[np.ndarray, "r t"], lengths: Int[np.ndarray, "r"]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the most frequent letter of each row and whether it is the only one."""
        rows, width = words.shape
        cell = words + self.letters * np.arange(rows)[:, None]
        cell[np.arange(width) >= lengths[:, None]] = rows * self.letters
        counts = np.bincount(cell.ravel(), minlength=rows * self.letters + 1)[:-1]
        counts = counts.reshape(rows, self.letters)
        mode = counts.argmax(axis=1)
        top = counts[np.arange(rows), mode]
        return mode, (counts == top[:, None]).sum(axis=1) == 1
