"""What a run leaves behind: accuracy by length, history, timings, environment."""

import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from lengthwise._version import __version__
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.outcomes import FITTED
from lengthwise.records.spec import RunSpec

Count = Annotated[int, Field(ge=0)]
_PLAIN = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Evaluation(BaseModel):
    """The accuracy in every bin at one step."""

    model_config = _PLAIN

    step: Count
    loss: float | None
    bins: tuple[AccuracyByLength, ...]


class _Measured(BaseModel):
    model_config = _PLAIN

    steps: Count
    stopped: str
    bins: tuple[AccuracyByLength, ...]
    history: tuple[Evaluation, ...]
    seconds: Annotated[float, Field(ge=0)]
    environment: dict[str, str | int | float | None]


class ResultFile(_Measured):
    """What ``result.json`` holds: the run that it belongs to stands for its specification."""

    run: str | None = None
    """None in results made before there were manifests."""


class RunResult(_Measured):
    """The outcome of a finished run; ``metrics`` is what must repeat exactly."""

    spec: RunSpec

    @property
    def metrics(self) -> dict[str, Any]:
        """Everything but timings and environment."""
        return self.model_dump(exclude={"seconds", "environment"})


def contradiction(spec: RunSpec, result: ResultFile) -> str | None:
    """Say what in a result cannot have come from its specification, if anything.

    Example:
        >>> spec = RunSpec.create(task="parity", position="nope", training={"steps": 5})
        >>> found = ResultFile(
        ...     steps=6, stopped="", bins=(), history=(), seconds=1.0, environment={}
        ... )
        >>> contradiction(spec, found)
        '6 steps of 5'
    """
    steps = [event.step for event in result.history]
    if result.steps > spec.training.most:
        return f"{result.steps} steps of {spec.training.most}"
    if not steps or steps[-1] != result.steps:
        return "it is not what its history ends with"
    if kept(spec, result.history).bins != result.bins:
        return f"it is not what its history has as the {spec.training.keep} evaluation"
    return impossible(spec, result.history)


def impossible(spec: RunSpec, history: tuple[Evaluation, ...]) -> str | None:
    """Say what in a run's evaluations cannot have come from its specification, if anything."""
    steps = [event.step for event in history]
    if any(after <= before for before, after in zip([0, *steps], steps, strict=False)):
        return "the steps of its evaluations do not increase"
    if steps and steps[-1] > spec.training.most:
        return f"an evaluation at step {steps[-1]} of {spec.training.most}"
    for event in history:
        if tuple((bin_.low, bin_.high) for bin_ in event.bins) != spec.bins:
            return f"step {event.step} was measured on other lengths than specified"
    return None


def kept(spec: RunSpec, history: Sequence[Evaluation]) -> Evaluation:
    """Return the evaluation whose weights a run keeps: the last, or the first of the best ones."""
    if spec.training.keep == "last":
        return history[-1]
    return max(history, key=lambda event: event.bins[0].accuracy)


def first_fit(history: Iterable[Evaluation]) -> int | None:
    """Return the step of the first evaluation that is right in distribution, if there is one."""
    fitted = (event.step for event in history if event.bins[0].accuracy >= FITTED)
    return next(fitted, None)


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
