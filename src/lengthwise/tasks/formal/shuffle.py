"""Shuffles of bracket languages: each kind of bracket is balanced on its own."""

from dataclasses import dataclass
from functools import cached_property
from math import lgamma
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float, Int

from lengthwise.core.errors import InputError
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, label_batch
from lengthwise.tasks.formal.counters import Dyck1
from lengthwise.tasks.knowledge import shuffle_program
from lengthwise.tasks.vocabulary import Vocabulary

BRACKETS = ("()", "[]", "{}", "⟨⟩", "«»", "⌈⌉")


@dataclass(frozen=True, kw_only=True)
class ShuffleDyck(Task):
    """Shuffle-k: ``kinds`` bracket languages interleaved, each balanced by itself: ( [ ) ].

    Words are uniform among those of their length; the label is the set of symbols that may follow,
    with ``$`` at the end (Bhattamishra et al. 2020).
    """

    kinds: int = 2

    name: ClassVar[str] = "shuffle-dyck"
    summary: ClassVar[str] = "interleaved bracket languages, each balanced by itself"
    min_length: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if not 1 <= self.kinds <= len(BRACKETS):
            raise InputError(f"task {self.name!r}: kinds={self.kinds} is not in 1..6.")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Opening and closing brackets in turn, then one label for every set of open kinds."""
        brackets = [symbol for pair in BRACKETS[: self.kinds] for symbol in pair]
        labels = []
        for open_kinds in range(2**self.kinds):
            closing = [pair[1] for k, pair in enumerate(BRACKETS) if open_kinds >> k & 1]
            allowed = [*brackets[::2], *closing, *(["$"] if not open_kinds else [])]
            labels.append("{" + ",".join(allowed) + "}")
        return Vocabulary((*brackets, *labels))

    @property
    def program(self) -> Any:
        """Say of every kind whether it has an open bracket."""
        return shuffle_program(self.vocabulary.symbols, self.kinds)

    def max_tokens(self, length: int) -> int:
        """A word behind ``<bos>``."""
        return length + 1

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """List the even lengths."""
        return 2 * np.arange(max(1, -(-low // 2)), high // 2 + 1)

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Split the length among the kinds, interleave them at random, then draw each kind."""
        if np.any(lengths % 2):
            raise InputError(f"task {self.name!r}: lengths are even.")
        halves = self._halves(rng, lengths // 2)
        kind = _interleave(rng, 2 * halves, lengths)
        words = np.full_like(kind, -1)
        label = np.zeros_like(kind)
        for number in range(self.kinds):
            mine = kind == number
            inner = self._brackets(rng, 2 * halves[:, number])
            words[mine] = 2 * number + inner[inner >= 0]
            step = np.where(mine, 1 - 2 * (words % 2), 0)
            label += (np.cumsum(step, axis=1) > 0) << number
        label = np.where(kind < 0, -1, 2 * self.kinds + label)
        return label_batch(self.vocabulary, words, label, lengths)

    @cached_property
    def _dyck(self) -> Dyck1:
        return Dyck1()

    def _brackets(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> np.ndarray:
        """Draw balanced words, 0 opening and 1 closing, some of them empty."""
        return self._dyck._sampler(int(lengths.max())).draw(rng, lengths)[0]

    def _halves(
        self, rng: np.random.Generator, total: Int[np.ndarray, "b"]
    ) -> Int[np.ndarray, "b k"]:
        """Draw how many pairs each kind has, as uniform words have them."""
        halves = np.zeros((len(total), self.kinds), dtype=np.int64)
        rest = total.copy()
        for number in range(self.kinds - 1):
            table = _split_table(int(total.max()), self.kinds - number)
            chosen = (table[rest] <= rng.random(len(total))[:, None]).sum(axis=1)
            halves[:, number] = chosen
            rest = rest - chosen
        halves[:, -1] = rest
        return halves


def _split_table(top: int, kinds: int) -> Float[np.ndarray, "m i"]:
    """Return the cumulative probability that the first of ``kinds`` takes i of m pairs.

    The number of words with m_1, .., m_k pairs is (2m)! times the product of 1 / (m_i! (m_i+1)!).
    """
    own = np.array([-lgamma(m + 1) - lgamma(m + 2) for m in range(top + 1)])
    others = own
    for _ in range(kinds - 2):
        others = _log_convolve(own, others)
    joint = np.full((top + 1, top + 1), -np.inf)
    for total in range(top + 1):
        joint[total, : total + 1] = own[: total + 1] + others[total::-1]
    share = np.exp(joint - joint.max(axis=1, keepdims=True))
    cumulative = np.cumsum(share, axis=1) / share.sum(axis=1, keepdims=True)
    cumulative[np.arange(top + 1) >= np.arange(top + 1)[:, None]] = 1.0
    return cumulative


def _log_convolve(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Convolve two sequences given by their logarithms."""
    sums = [one[: m + 1] + two[m::-1] for m in range(len(one))]
    return np.array([row.max() + np.log(np.exp(row - row.max()).sum()) for row in sums])


def _interleave(
    rng: np.random.Generator, sizes: Int[np.ndarray, "b k"], lengths: Int[np.ndarray, "b"]
) -> Int[np.ndarray, "b n"]:
    """Return a random arrangement of ``sizes[b, k]`` copies of each k; -1 beyond the length."""
    width = int(lengths.max())
    place = np.arange(width)
    ends = np.cumsum(sizes, axis=1)
    kind = (place >= ends[:, :, None]).sum(axis=1)
    keys = rng.random((len(lengths), width))
    keys[place >= lengths[:, None]] = 2.0
    shuffled = np.take_along_axis(kind, np.argsort(keys, axis=1, kind="stable"), axis=1)
    return np.where(place < lengths[:, None], shuffled, -1)
