"""From a no to a yes: changes of a task, each a task itself, judged like any other.

One module per kind of change makes candidates (:data:`KINDS`); nothing in it says whether they
help. That is what ``predict`` says about the changed task, exactly as it will be trained.
"""

from collections.abc import Callable
from dataclasses import dataclass

from lengthwise.core.registry import Registry
from lengthwise.predict.types import Prediction
from lengthwise.tasks import load_task
from lengthwise.tasks.base import Task

_HERE = "lengthwise.proposals"

KINDS = Registry(
    "kind of change",
    "lengthwise.proposals",
    {
        "1 encoding": f"{_HERE}.other_encoding:other_encoding",
        "2 steps inside": f"{_HERE}.steps_inside:steps_inside",
        "3 steps behind": f"{_HERE}.steps_behind:steps_behind",
        "4 format": f"{_HERE}.other_format:other_format",
        "5 positions": f"{_HERE}.ideal_positions:ideal_positions",
    },
)
"""Kinds of change in the order in which they are tried."""


@dataclass(frozen=True)
class Unsatisfied:
    """What is to be improved: its task as text, if it has one, and what was predicted."""

    task: str
    before: Prediction
    alphabet: str = ""
    """Symbols of a regular expression beyond those that it mentions."""

    def load(self) -> Task:
        """Build the task."""
        return load_task(f"{self.task};alphabet={self.alphabet}" if self.alphabet else self.task)

    def with_steps(self, kind: str, options: str) -> str:
        """Name the task with steps of a kind: ``steps:parity;every=1``."""
        alphabet = f",alphabet={self.alphabet}" if self.alphabet else ""
        return f"{kind}:{self.task};{options}{alphabet}"


@dataclass(frozen=True)
class ChangedTask:
    """A changed task by name, and the change in one sentence."""

    kind: str
    task: str
    change: str
    encodings: tuple[str, ...] = ()
    """Encodings that the change is about; all if none is named."""


Maker = Callable[[Unsatisfied], list[ChangedTask]]
