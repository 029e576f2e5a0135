"""What every task is: a frozen value that knows its vocabulary, its lengths and how to sample."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.relations.relation import ideal_relation
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class Task(ABC):
    """A problem with a length.

    A subclass sets ``name``, ``summary`` and ``min_length`` and implements ``vocabulary``,
    ``max_tokens`` and ``sample``. Its dataclass fields are its options. What is known about the
    task is attached by overriding ``language``, ``answers``, ``program``, ``relation`` or
    ``circuit``; a task never carries a verdict.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    min_length: ClassVar[int] = 1
    sizes: ClassVar[tuple[str, ...]] = ("symbols",)
    """Options, if there are such, that count symbols of which none is special."""

    @staticmethod
    def reads(options: Mapping[str, Any]) -> dict[str, bytes]:
        """Return what instances depend on besides the options, by name: contents of files.

        They are part of a run's identity. A task made of another one reads what that one reads.
        """
        return {}

    @cached_property
    @abstractmethod
    def vocabulary(self) -> Vocabulary:
        """The symbols that occur in tokens and targets."""

    @property
    def longest(self) -> int | None:
        """The largest length the task can make, if there is one."""
        return None

    @abstractmethod
    def max_tokens(self, length: int) -> int:
        """Return the most tokens that a sequence of at most this length can have."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw one instance for each of the given (possible) lengths."""

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """List the lengths in ``low..high`` of which the task has instances."""
        top = high if self.longest is None else min(high, self.longest)
        return np.arange(max(low, self.min_length), top + 1)

    def first_lengths(self, count: int) -> Int[np.ndarray, "n"]:
        """List the shortest lengths of which there are instances, at most so many.

        Ranges are tried that grow: to look at many lengths may cost much.
        """
        high = 4 * count
        found = self.possible_lengths(0, high)
        while len(found) < count and high < (10**4 if len(found) else 10**6):
            high *= 8
            found = self.possible_lengths(0, high)
        return found[:count]

    def draw_lengths(
        self, rng: np.random.Generator, low: int, high: int, count: int
    ) -> Int[np.ndarray, "b"]:
        """Draw lengths uniformly among the possible ones in ``low..high``."""
        possible = self.check_range(low, high)
        return possible[rng.integers(0, len(possible), count)]

    def check_range(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """Return the possible lengths in a range, or say why there are none."""
        if low < 0 or high < low:
            raise InputError(f"length range {low}:{high} is empty; use low:high with low <= high.")
        possible = self.possible_lengths(low, high)
        if not len(possible):
            limit = f" to {self.longest}" if self.longest else ""
            raise InputError(
                f"task {self.name!r} has no instances of length {low}:{high}; "
                f"its lengths go from {self.min_length}{limit}."
            )
        return possible

    def draw(self, rng: np.random.Generator, low: int, high: int, count: int) -> Batch:
        """Draw lengths, then instances of these lengths."""
        return self.sample(rng, self.draw_lengths(rng, low, high, count))

    def draw_test(
        self, rng: np.random.Generator, low: int, high: int, count: int, *, trained: bool
    ) -> Batch:
        """Draw instances to test on; ``trained`` says that these are the training lengths.

        They are drawn as for training, unless the task holds some out; then there may be fewer.
        """
        del trained
        return self.draw(rng, low, high, count)

    def render(self, batch: Batch) -> list[str]:
        """Write each row as text; supervised answers stand behind an arrow."""
        lines = []
        for tokens, targets, size in zip(batch.tokens, batch.targets, batch.size, strict=True):
            words = [self.vocabulary.text(int(token)) for token in tokens[:size]]
            marked = np.flatnonzero(targets[:size] != IGNORE)
            shown = [self.vocabulary.text(int(targets[t])) for t in marked]
            cut = int(marked[0]) + 1 if len(marked) else len(words)
            if not np.array_equal(targets[cut - 1 : size - 1], tokens[cut:size]):
                cut = len(words)  # labels rather than a continuation: show the whole word
            lines.append(f"{' '.join(words[:cut])}  ->  {' '.join(shown)}")
        return lines

    def answered(self, written: Sequence[int], target: Sequence[int]) -> bool:
        """Say whether a written sequence has the right answer; both begin with the prompt.

        By default the answer is the whole output. A task whose output says more says here what
        counts in it.
        """
        return list(written) == list(target)

    @property
    def language(self) -> Any | None:
        """The regular language the task is about, if it is about one."""
        return None

    @property
    def answers(self) -> RegularAnswers | None:
        """What is asked, if that is a regular function of what was read."""
        return None

    @property
    def program(self) -> Any | None:
        """A C-RASP program that solves the task, if one is known."""
        return None

    @property
    def reason(self) -> str | None:
        """Why the attached program writes every instance, where that was argued and not tried."""
        return None

    @property
    def relation(self) -> Any | None:
        """The ideal position relation phi(i, j, n); read off the gates if there is a circuit."""
        if self.circuit is None:
            return None

        return ideal_relation(self.circuit)

    @property
    def circuit(self) -> Any | None:
        """The circuit family that computes the task step by step, if one is known."""
        return None
