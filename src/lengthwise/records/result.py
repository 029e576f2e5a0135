"""What a run leaves behind: accuracy by length, history, timings, environment."""

import os
import platform
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel, ConfigDict

from lengthwise._version import __version__
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.spec import RunSpec


class Evaluation(BaseModel):
    """The accuracy in every bin at one step."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int
    loss: float | None
    bins: tuple[AccuracyByLength, ...]


class RunResult(BaseModel):
    """The outcome of a finished run; ``metrics`` is what must repeat exactly."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    spec: RunSpec
    steps: int
    stopped: str
    bins: tuple[AccuracyByLength, ...]
    history: tuple[Evaluation, ...]
    seconds: float
    environment: dict[str, Any]

    @property
    def metrics(self) -> dict[str, Any]:
        """Everything but timings and environment."""
        return self.model_dump(exclude={"seconds", "environment"})


def environment(device: str) -> dict[str, Any]:
    """Describe the machine and the versions that produced a result."""
    import torch

    return {
        "lengthwise": __version__,
        "python": platform.python_version(),
        "torch": version("torch"),
        "numpy": version("numpy"),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "device": device,
    }
