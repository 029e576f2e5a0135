"""Tasks made of another one: the same instances in another form."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.tasks import load_task, read_by
from lengthwise.tasks.base import Task
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class DerivedTask(Task):
    """Another task, ``NAME:task;option=value``: its lengths and, unless said otherwise, symbols."""

    task: str = ""

    argument: ClassVar[str] = "task"
    example: ClassVar[str]
    """One of these tasks, as it is written."""
    reads = staticmethod(read_by)

    def __post_init__(self) -> None:
        if not self.task:
            raise InputError(f"task {self.name!r} needs a task: {self.example}.")

    @cached_property
    def inner(self) -> Task:
        """The task that this one is made of."""
        return load_task(self.task)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """As for the inner task."""
        return self.inner.vocabulary

    def max_tokens(self, length: int) -> int:
        """As for the inner task."""
        return self.inner.max_tokens(length)

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """As for the inner task."""
        return self.inner.possible_lengths(low, high)

    def draw_lengths(
        self, rng: np.random.Generator, low: int, high: int, count: int
    ) -> Int[np.ndarray, "b"]:
        """As for the inner task."""
        return self.inner.draw_lengths(rng, low, high, count)
