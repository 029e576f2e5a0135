"""Weights that write the steps: the program of a proposal, compiled and held against the task."""

from dataclasses import dataclass

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp.program import Program
from lengthwise.subjects.model import CompiledProgram
from lengthwise.tasks.base import Task
from lengthwise.theory.limit.compiled import CompiledModel, build

LENGTH = 2_000
"""Symbols to which weights are checked, where the task has inputs as long."""
ROWS = 6
LARGEST_TEXT = 60_000
"""Programs with a longer text are not compiled here: it takes longer than a proposal may."""


@dataclass(frozen=True)
class WriterWeights:
    """A transformer that writes the steps, and on how many inputs it was right."""

    model: CompiledModel
    inputs: int
    right: int
    longest: int

    @property
    def layers(self) -> int:
        """Layers of the decoder."""
        return self.model.sizes()["layers"]

    def sentence(self) -> str:
        """Say what was compiled and checked."""
        sizes = ", ".join(f"{count:,} {name}" for name, count in self.model.sizes().items())
        return (
            f"compiled to {sizes}; every token right on {self.right} of {self.inputs} inputs to "
            f"length {self.longest:,}"
        )

    def to_json(self) -> dict[str, int]:
        """Return plain data."""
        checked = {"inputs": self.inputs, "right": self.right, "longest": self.longest}
        return {**self.model.sizes(), **checked}


def writer_weights(task: Task, program: Program, length: int = LENGTH) -> WriterWeights | None:
    """Compile a program and let it read its task, long inputs first; None if float32 is too short.

    Exactly one token must be said wherever the task asks, and it must be the one asked for: that is
    the same as writing all steps itself, since each is right given right ones before it.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> task = load_task("steps:parity")
        >>> found = writer_weights(task, task.program, 50)
        >>> found.right == found.inputs, found.longest
        (True, 50)
    """
    possible = task.possible_lengths(task.min_length, length)
    if not len(possible):
        return None
    longest = int(possible[-1])
    tokens = task.max_tokens(longest)
    try:
        model = build(program, tokens)
    except InputError:  # not exact in float32 to this length
        return None
    rng = np.random.default_rng(0)
    some = rng.choice(possible, ROWS - 2)
    batch = task.sample(rng, np.array([longest, longest, *some]))
    right = CompiledProgram("", model).right(task, batch, "exact")
    return WriterWeights(model, len(right), int(right.sum()), longest)
