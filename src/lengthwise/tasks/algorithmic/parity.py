"""Is the number of ones even?"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.languages.dfa import DFA
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.tasks.algorithmic._sampling import exchangeable_bits
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, count_columns, first_columns, sequence_batch
from lengthwise.tasks.vocabulary import Vocabulary

EVEN = DFA("01", [[0, 1], [1, 0]], 0, [True, False])


@dataclass(frozen=True, kw_only=True)
class Parity(Task):
    """Say whether the number of ones is even or odd: ``<bos> 1 0 1 <sep> e <eos>``.

    The number of ones is uniform in 0..L, and the empty word counts (Huang et al. 2024).
    """

    name: ClassVar[str] = "parity"
    summary: ClassVar[str] = "even or odd number of ones"
    min_length: ClassVar[int] = 0

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Two bits and the answers ``e`` and ``o``."""
        return Vocabulary(("0", "1", "e", "o"))

    @property
    def language(self) -> DFA:
        """The words with an even number of ones."""
        return EVEN

    @property
    def answers(self) -> RegularAnswers:
        """Even words are answered ``e``."""
        return RegularAnswers.behind(EVEN, ("e", "o"))

    def max_tokens(self, length: int) -> int:
        """Prompt, answer and three special tokens."""
        return length + 4

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Throw a coin of random bias: the number of ones is then uniform."""
        width = int(lengths.max(initial=0))
        bits = exchangeable_bits(rng, len(lengths), width)
        bits &= first_columns(lengths, width)
        answer = (2 + count_columns(bits) % 2)[:, None]
        return sequence_batch(
            self.vocabulary, bits, lengths, answer, np.ones_like(lengths), lengths
        )
