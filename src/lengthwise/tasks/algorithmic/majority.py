"""Which symbol occurs most often? Two symbols, or many."""

from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.tasks.algorithmic._sampling import numbers_below, unequal_bits
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, sequence_batch
from lengthwise.tasks.knowledge import family_program
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
        """Throw a coin of random bias, again on a tie: the number of zeros is then uniform."""
        bits, ones = unequal_bits(rng, lengths)
        answer = (2 * ones > lengths)[:, None]
        one = np.ones_like(lengths)
        return sequence_batch(self.vocabulary, bits, lengths, answer, one, lengths)

    @property
    def program(self) -> Any | None:
        """Compare the two counts behind the separator."""
        return family_program("majority", self.vocabulary.symbols)


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
        """Draw letters; rows with a tie are drawn again, several candidates at a time."""
        words = np.zeros((len(lengths), int(lengths.max())), dtype=np.int16)
        answer = np.zeros(len(lengths), dtype=np.int64)
        todo, more = np.arange(len(lengths)), 16
        while len(todo):
            candidates = 1 + more // np.maximum(lengths[todo], 2)  # short words tie most often
            row, width = np.repeat(todo, candidates), int(lengths[todo].max())
            drawn = numbers_below(rng, self.letters, (len(row), width))
            mode, unique = self._mode(drawn, lengths[row])
            good = np.flatnonzero(unique)[::-1]  # backwards, so that the first candidate stays
            words[row[good], :width], answer[row[good]] = drawn[good], mode[good]
            tied = np.ones(len(lengths), dtype=bool)
            tied[row[good]] = False
            todo, more = todo[tied[todo]], 64
        one = np.ones_like(lengths)
        return sequence_batch(self.vocabulary, words, lengths, answer[:, None], one, lengths)

    def _mode(
        self, words: Int[np.ndarray, "r t"], lengths: Int[np.ndarray, "r"]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the most frequent letter of each row and whether it is the only one."""
        rows, width = words.shape
        inside = np.arange(width) < lengths[:, None]
        cell = np.repeat(self.letters * np.arange(rows), lengths) + words[inside]
        counts = np.bincount(cell, minlength=rows * self.letters).reshape(rows, self.letters)
        mode = counts.argmax(axis=1)
        top = counts[np.arange(rows), mode]
        return mode, (counts == top[:, None]).sum(axis=1) == 1

    @property
    def program(self) -> Any | None:
        """Compare all counts behind the separator."""
        return family_program("majority", self.vocabulary.symbols)
