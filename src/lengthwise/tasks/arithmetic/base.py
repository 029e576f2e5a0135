"""What the step-by-step and selection tasks share: they are drawn from their circuits."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Int

from lengthwise.relations.select_circuits import SelectCircuit
from lengthwise.relations.step_circuits import StepCircuit
from lengthwise.relations.symbols import VOCABULARY
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class CircuitTask(Task):
    """A task with one circuit for every scale; the length is the scale.

    Sequences have their own begin and end symbols ``<`` and ``>``; everything behind ``=`` is
    supervised.
    """

    @property
    @abstractmethod
    def circuit(self) -> StepCircuit | SelectCircuit:
        """The circuit family."""

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The seventeen symbols that these tasks share."""
        return Vocabulary(VOCABULARY)

    def max_tokens(self, length: int) -> int:
        """Ask the circuit for the length of a whole sequence."""
        return self.circuit.length(int(self.possible_lengths(0, length)[-1]))

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw all instances of one scale at a time."""
        size = np.zeros_like(lengths)
        start = np.zeros_like(lengths)
        tokens = np.full((len(lengths), 0), self.vocabulary.pad)
        for scale in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == scale)
            drawn = self.circuit.sample(scale, rng, len(rows))
            missing = max(0, drawn.shape[1] - tokens.shape[1])
            tokens = np.pad(tokens, ((0, 0), (0, missing)), constant_values=self.vocabulary.pad)
            tokens[rows, : drawn.shape[1]] = drawn
            size[rows], start[rows] = drawn.shape[1], self.circuit.prompt_length(scale)
        targets = np.full_like(tokens, IGNORE)
        column = np.arange(tokens.shape[1] - 1)
        asked = (column >= start[:, None] - 1) & (column < size[:, None] - 1)
        targets[:, :-1][asked] = tokens[:, 1:][asked]
        return Batch(tokens=tokens, targets=targets, length=lengths, size=size)
