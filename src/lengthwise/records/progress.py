"""What a run reports while it goes on, and how it says that it was stopped."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """What a run reports while it goes on."""

    step: int
    steps: int
    loss: float
    evaluated: int
    """The step of the last evaluation; 0 before the first."""
    accuracy: tuple[float, ...]
    """Accuracy in every bin at that step."""
    seconds: float


Listener = Callable[[Progress], None]


class Interrupted(KeyboardInterrupt):
    """The run was asked to stop; its checkpoint is written and it can be continued."""
