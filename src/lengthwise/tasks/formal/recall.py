"""Find something said earlier: flip-flop, induction head, distance copy, associative recall."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import FREE
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.tasks.algorithmic.copying import DistinctSymbols
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch, sequence_batch
from lengthwise.tasks.knowledge import distance_copy_program, recall_program
from lengthwise.tasks.vocabulary import Vocabulary

WRITE, READ, PASS = 2, 3, 4


def _flip_flop() -> DFA:
    """Say what may follow: five states for each bit b that was written last, start and failure.

    0 behind the bit of a write or an ignored one (b = 0; 5 for b = 1), 1 behind ``w``, 2 behind
    ``r``, 3 behind ``i``, 4 behind the bit of a read, where a word may end.
    """
    start, fail = 10, 11
    rows: list[list[int]] = []
    for bit in (0, 1):
        here = 5 * bit
        instruction = [fail, fail, here + 1, here + 2, here + 3]
        read = [here + 4 if b == bit else fail for b in (0, 1)]
        rows += [
            instruction,
            [0, 5, fail, fail, fail],
            [*read, fail, fail, fail],
            [here, here, fail, fail, fail],
            instruction,
        ]
    rows += [[fail, fail, 1, fail, fail], [fail] * 5]
    return DFA("01wri", rows, start, [state in (4, 9) for state in range(12)])


FLIP_FLOP = _flip_flop()


@dataclass(frozen=True, kw_only=True)
class FlipFlop(Task):
    """Recall the last bit written: ``<bos> w 1 i 0 r 1``; the bit behind every ``r`` is asked.

    Length counts instructions and bits. The first instruction writes, the last one reads, others
    are ``i`` (ignore) with probability ``ignore``, else ``w`` or ``r`` with equal chances
    (flip-flop language modelling, Liu et al. 2023).
    """

    ignore: float = 0.8

    name: ClassVar[str] = "flip-flop"
    summary: ClassVar[str] = "recall the last bit that was written"
    min_length: ClassVar[int] = 4

    def __post_init__(self) -> None:
        if not 0 <= self.ignore < 1:
            raise InputError(f"task 'flip-flop': ignore={self.ignore} is not in 0 <= p < 1.")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Two bits and the instructions write, read, ignore."""
        return Vocabulary(("0", "1", "w", "r", "i"))

    @property
    def language(self) -> DFA:
        """Words that begin with a write, end with a read, and read what was written last."""
        return FLIP_FLOP

    @property
    def answers(self) -> RegularAnswers:
        """At an ``r`` the bit that was written last."""
        table = np.full(FLIP_FLOP.transitions.shape, FREE)
        table[[2, 7], READ] = 0, 1
        return RegularAnswers(FLIP_FLOP, ("0", "1"), table, "labels")

    def max_tokens(self, length: int) -> int:
        """The word behind ``<bos>``."""
        return length + 1

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """List the even lengths from 4 on."""
        return 2 * np.arange(max(2, -(-low // 2)), high // 2 + 1)

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw instructions and bits; what is read is the bit at the last write."""
        if np.any(lengths % 2):
            raise InputError("task 'flip-flop': lengths are even.")
        count, pairs = len(lengths), lengths // 2
        shape = (count, int(pairs.max()))
        chance, active = rng.random(shape), (1 - self.ignore) / 2
        order = np.where(chance < active, WRITE, np.where(chance < 2 * active, READ, PASS))
        order[:, 0] = WRITE
        order[np.arange(count), pairs - 1] = READ
        bit = rng.integers(0, 2, shape)
        place = np.where(order == WRITE, np.arange(shape[1]), 0)
        written = np.take_along_axis(bit, np.maximum.accumulate(place, axis=1), axis=1)
        bit = np.where(order == READ, written, bit)
        inside = np.arange(shape[1]) < pairs[:, None]
        tokens = np.full((count, 2 * shape[1] + 1), self.vocabulary.pad, dtype=np.int64)
        tokens[:, 0] = self.vocabulary.bos
        targets = np.full_like(tokens, IGNORE)
        tokens[:, 1::2] = np.where(inside, order, self.vocabulary.pad)
        tokens[:, 2::2] = np.where(inside, bit, self.vocabulary.pad)
        targets[:, 1::2] = np.where(inside & (order == READ), bit, IGNORE)
        return Batch(tokens=tokens, targets=targets, length=lengths, size=lengths + 1)


@dataclass(frozen=True, kw_only=True)
class InductionHead(DistinctSymbols):
    """Say what followed the last symbol when it came before: ``<bos> 7 3 5 9 3 -> 5``.

    The first ``length`` symbols are distinct. With ``left`` the symbol before the earlier
    occurrence is asked instead (anti-induction).
    """

    left: bool = False

    name: ClassVar[str] = "induction-head"
    summary: ClassVar[str] = "what followed this symbol before"
    min_length: ClassVar[int] = 2

    def max_tokens(self, length: int) -> int:
        """Symbols, query, answer, ``<bos>`` and ``<eos>``."""
        return min(length, self.symbols) + 4

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw distinct symbols and a place that has a neighbour on the asked side."""
        rows = np.arange(len(lengths))
        keys = rng.random((len(lengths), self.symbols), dtype=np.float32)
        word = np.argsort(keys, axis=1)[:, : int(lengths.max()) + 1]
        place = rng.integers(0, lengths - 1)
        query, answer = word[rows, place], word[rows, place + 1]
        if self.left:
            query, answer = answer, query
        prompt = np.pad(word, ((0, 0), (0, 1)))
        prompt[rows, lengths] = query
        one = np.ones_like(lengths)
        return sequence_batch(
            self.vocabulary, prompt, lengths + 1, answer[:, None], one, lengths, separator=False
        )

    @property
    def program(self) -> Any | None:
        """The induction head (Huang et al. 2024), or its mirror image, for few symbols."""
        return recall_program(self.vocabulary.symbols, left=self.left)


@dataclass(frozen=True, kw_only=True)
class DistanceCopy(Task):
    """Copy every t-th of distinct symbols; the next output lies t places behind the current one.

    ``<bos> # 4 8 1 6 <sep> 4 1 <eos>`` for ``distance`` 2: there are t - 1 marks ``#``, and the
    length counts them (Huang et al. 2024, Appendix G.7).
    """

    distance: int = 2
    symbols: int = 150

    name: ClassVar[str] = "distance-copy"
    summary: ClassVar[str] = "copy every t-th of distinct symbols"

    def __post_init__(self) -> None:
        if not 1 <= self.distance <= self.symbols:
            raise InputError(
                f"task 'distance-copy': distance={self.distance} is not in 1..{self.symbols}."
            )

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The numbers 0, 1, 2, ... and the mark."""
        return Vocabulary((*(str(number) for number in range(self.symbols)), "#"))

    def max_tokens(self, length: int) -> int:
        """Prompt, one answer for t symbols, and three special tokens."""
        top = int(self.possible_lengths(0, length)[-1])
        return top + 3 + (top + 1 - self.distance) // self.distance

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """List the lengths one below a multiple of t, from 2t - 1 on."""
        t = self.distance
        top = min(high, self.symbols // t * t + t - 1)
        return t * np.arange(max(2, -(-(low + 1) // t)), (top + 1) // t + 1) - 1

    def draw_lengths(
        self, rng: np.random.Generator, low: int, high: int, count: int
    ) -> Int[np.ndarray, "b"]:
        """Draw uniformly in the range and round down, as the authors' code does."""
        possible, t = self.check_range(low, high), self.distance
        first = max(t, low) // t * t + t - 1
        drawn = (rng.integers(min(first, high), high + 1, count) + 1) // t * t - 1
        return np.clip(drawn, possible[0], possible[-1])

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw distinct symbols behind the marks."""
        t, width = self.distance, int(lengths.max())
        keys = rng.random((len(lengths), self.symbols), dtype=np.float32)
        word = np.argsort(keys, axis=1)[:, : width - t + 1]
        marks = np.full((len(lengths), t - 1), self.symbols)
        prompt = np.concatenate([marks, word], axis=1)
        answers = (lengths - t + 1) // t
        return sequence_batch(self.vocabulary, prompt, lengths, word[:, ::t], answers, lengths)

    @property
    def program(self) -> Any | None:
        """Unique copy with a larger distance, for few symbols."""
        *numbers, mark = self.vocabulary.symbols
        return distance_copy_program(tuple(numbers), self.distance, mark)
