"""Write the input again: as it is, with repeated symbols, or in order."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.tasks.algorithmic._sampling import distinct, random_bits
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, first_columns, sequence_batch
from lengthwise.tasks.knowledge import family_program
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class DistinctSymbols(Task):
    """Tasks whose input holds ``length`` distinct numbers out of ``symbols``."""

    symbols: int = 150

    def __post_init__(self) -> None:
        if self.symbols < self.min_length:
            least = f"must be at least {self.min_length}"
            raise InputError(f"task {self.name!r}: symbols={self.symbols} {least}.")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The numbers 0, 1, 2, ..."""
        return Vocabulary(tuple(str(number) for number in range(self.symbols)))

    @property
    def longest(self) -> int | None:
        """Distinct symbols run out."""
        return self.symbols

    def max_tokens(self, length: int) -> int:
        """Prompt, answer of the same length and three special tokens."""
        return 2 * min(length, self.symbols) + 3

    def _distinct(self, rng: np.random.Generator, count: int, width: int) -> np.ndarray:
        return distinct(rng, count, self.symbols, width)


@dataclass(frozen=True, kw_only=True)
class UniqueCopy(DistinctSymbols):
    """Copy distinct symbols: ``<bos> 7 3 <sep> 7 3 <eos>`` (Huang et al. 2024)."""

    name: ClassVar[str] = "unique-copy"
    summary: ClassVar[str] = "copy a sequence of distinct symbols"

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw symbols without replacement."""
        word = self._distinct(rng, len(lengths), int(lengths.max()))
        return sequence_batch(self.vocabulary, word, lengths, word, lengths, lengths)

    @property
    def program(self) -> Any | None:
        """An induction head with two boundary rules (Huang et al. 2024), for few symbols."""
        return family_program("unique_copy", self.vocabulary.symbols)


@dataclass(frozen=True, kw_only=True)
class Sort(DistinctSymbols):
    """Write distinct numbers in ascending order: ``<bos> 7 3 <sep> 3 7 <eos>``.

    With ``repeats`` they are drawn independently: ``<bos> 7 3 7 <sep> 3 7 7 <eos>``.
    """

    repeats: bool = False

    name: ClassVar[str] = "sort"
    summary: ClassVar[str] = "sort distinct numbers"

    @property
    def longest(self) -> int | None:
        """Distinct symbols run out."""
        return None if self.repeats else self.symbols

    def max_tokens(self, length: int) -> int:
        """Prompt, answer of the same length and three special tokens."""
        return 2 * length + 3 if self.repeats else super().max_tokens(length)

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw numbers and sort them, ignoring the padding."""
        shape = len(lengths), int(lengths.max())
        repeated = rng.integers(0, self.symbols, shape) if self.repeats else None
        word = self._distinct(rng, *shape) if repeated is None else repeated
        inside = first_columns(lengths, word.shape[1])
        answer = np.where(inside, word, word.dtype.type(self.symbols))
        answer.sort(axis=1)
        return sequence_batch(self.vocabulary, word, lengths, answer, lengths, lengths)

    @property
    def program(self) -> Any | None:
        """The next larger symbol that occurs (Huang et al. 2024), for few symbols; ours counts."""
        family = "sort_repeats" if self.repeats else "sort"
        return family_program(family, self.vocabulary.symbols)

    @property
    def reason(self) -> str | None:
        """Why the program with repeats writes every instance."""
        return REPEATS if self.repeats else None


REPEATS = (
    "how often a symbol was read less how often it was written is how often it is still due; the "
    "least symbol of which some is left comes next, and the end where nothing is left"
)


@dataclass(frozen=True, kw_only=True)
class RepeatCopy(Task):
    """Copy a word over two letters: ``<bos> a a b <sep> a a b <eos>`` (Huang et al. 2024)."""

    name: ClassVar[str] = "repeat-copy"
    summary: ClassVar[str] = "copy a word in which symbols repeat"

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Two letters."""
        return Vocabulary(("a", "b"))

    def max_tokens(self, length: int) -> int:
        """Prompt, answer of the same length and three special tokens."""
        return 2 * length + 3

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw independent uniform letters."""
        word = random_bits(rng, len(lengths), int(lengths.max()))
        return sequence_batch(self.vocabulary, word, lengths, word, lengths, lengths)
