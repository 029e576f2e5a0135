"""Multi-query associative recall (Arora et al. 2023)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.tasks.algorithmic._sampling import distinct
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch, first_columns
from lengthwise.tasks.knowledge import pairs_program
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class AssociativeRecall(Task):
    """Multi-query associative recall: pairs of key and value, then every key asks for its value.

    ``<bos> k3 v1 k7 v4 <sep> k7 v4 k3 v1``, supervised at the keys behind the separator. Length
    counts pairs; keys are distinct, values are not (in the authors' code they are, too).

    With ``slots`` there are that many places for each pair behind the separator. Every key is asked
    in one of them, by a power law as in the authors' code: one pair after the other takes a free
    place i with a chance proportional to ``i ** (power - 1)``. All other tokens, answers included,
    are drawn at random: ``<bos> k3 v1 k7 v4 <sep> k3 v9 k7 k2 v5 v3 k8 v6`` for ``slots=2``.
    """

    keys: int = 64
    values: int = 64
    slots: int = 0
    power: float = 0.01

    name: ClassVar[str] = "mqar"
    summary: ClassVar[str] = "multi-query associative recall"
    sizes: ClassVar[tuple[str, ...]] = ("keys", "values")

    def __post_init__(self) -> None:
        if self.keys < 1 or self.values < 1:
            raise InputError("task 'mqar': keys and values must be at least 1.")
        if self.slots < 0:
            raise InputError(f"task 'mqar': slots={self.slots} must not be negative.")
        if not 0 < self.power <= 1:
            raise InputError(f"task 'mqar': power={self.power} is not in 0 < power <= 1.")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Keys, then values."""
        keys = tuple(f"k{number}" for number in range(self.keys))
        return Vocabulary((*keys, *(f"v{number}" for number in range(self.values))))

    @property
    def program(self) -> Any | None:
        """Find the pair before the separator, for few keys and values."""
        symbols = self.vocabulary.symbols
        return pairs_program(symbols[: self.keys], symbols[self.keys :])

    @property
    def longest(self) -> int:
        """Distinct keys run out."""
        return self.keys

    def max_tokens(self, length: int) -> int:
        """Two tokens for each pair and each place of a query, ``<bos>`` and ``<sep>``."""
        return 2 * (1 + max(1, self.slots)) * min(length, self.keys) + 2

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw pairs, the places where keys are asked, and what stands elsewhere."""
        count, width, slots = len(lengths), int(lengths.max()), max(1, self.slots)
        key = distinct(rng, count, self.keys, width).astype(np.int64)
        value = self.keys + rng.integers(0, self.values, (count, width))
        place = self._places(rng, lengths)
        tokens = rng.integers(0, self.keys + self.values, (count, 2 * (1 + slots) * width + 2))
        size = 2 * (1 + slots) * lengths + 2
        tokens[~first_columns(size, tokens.shape[1])] = self.vocabulary.pad
        targets = np.full_like(tokens, IGNORE)
        rows, pair = np.nonzero(first_columns(lengths, width))
        asked = 2 * lengths[rows] + 2 + 2 * place[rows, pair]
        tokens[rows, 1 + 2 * pair], tokens[rows, 2 + 2 * pair] = key[rows, pair], value[rows, pair]
        tokens[rows, asked] = key[rows, pair]
        if not self.slots:
            tokens[rows, asked + 1] = value[rows, pair]
        targets[rows, asked] = value[rows, pair]
        tokens[:, 0], tokens[np.arange(count), 2 * lengths + 1] = (
            self.vocabulary.bos,
            self.vocabulary.sep,
        )
        return Batch(tokens=tokens, targets=targets, length=lengths, size=size)

    def _places(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> Int[np.ndarray, "b n"]:
        """Draw a place for every pair, one after the other without replacement.

        The places in the order of exponential times, whose rates are the chances, are such a draw.
        """
        slots = max(1, self.slots)
        place = np.arange(slots * int(lengths.max()))
        chance = (place + 1.0) ** (self.power - 1) if self.slots else np.ones(len(place))
        times = rng.standard_exponential((len(lengths), len(place))) / chance
        times[place >= slots * lengths[:, None]] = np.inf
        return np.argsort(times, axis=1)[:, : int(lengths.max())]
