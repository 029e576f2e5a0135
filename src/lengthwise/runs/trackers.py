"""Experiment trackers people already have, told what a run reports; the store stays the truth.

A tracker is three methods. ``tensorboard:DIRECTORY``, ``wandb:PROJECT`` and ``mlflow:EXPERIMENT``
name the built-in ones, ``my_file.py:Name:ARGUMENT`` the user's own.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from lengthwise.core.errors import InputError
from lengthwise.core.registry import Registry
from lengthwise.records.spec import RunSpec

if TYPE_CHECKING:
    from lengthwise.training.loop import Listener, Progress, Trainer


class Tracker(Protocol):
    """What is told about a run: its beginning, every evaluation, its end.

    Example:
        >>> class Printing:
        ...     def begin(self, spec): self.name = spec.id
        ...     def log(self, step, values): print(self.name, step, values)
        ...     def end(self): pass
    """

    def begin(self, spec: RunSpec) -> None:
        """Open the run; one that is continued has the same id."""
        ...

    def log(self, step: int, values: dict[str, float]) -> None:
        """Record values such as ``loss`` and ``exact match/51-100`` at a step."""
        ...

    def end(self) -> None:
        """Close the run."""
        ...


class TensorBoard:
    """Writes event files, one folder per run, for ``tensorboard --logdir DIRECTORY``."""

    def __init__(self, directory: str = "tensorboard") -> None:
        self.writer = _extra("torch.utils.tensorboard", "tensorboard").SummaryWriter
        self.directory = directory
        self.open: Any = None

    def begin(self, spec: RunSpec) -> None:
        """Open the run's event file; steps that are written again replace the former ones."""
        self.open = self.writer(f"{self.directory}/{spec.id}")
        self.open.add_text("spec", spec.model_dump_json(), 0)

    def log(self, step: int, values: dict[str, float]) -> None:
        """Add one scalar per value."""
        for name, value in values.items():
            self.open.add_scalar(name, value, step)

    def end(self) -> None:
        """Flush and close the file."""
        self.open.close()


class WeightsAndBiases:
    """Sends to Weights & Biases; a run that is continued keeps its id there."""

    def __init__(self, project: str = "lengthwise") -> None:
        self.wandb, self.project = _extra("wandb", "wandb"), project
        self.open: Any = None

    def begin(self, spec: RunSpec) -> None:
        """Open the run under its own id, or continue it."""
        self.open = self.wandb.init(
            project=self.project,
            id=spec.id,
            name=_name(spec),
            config=spec.model_dump(mode="json"),
            resume="allow",
        )

    def log(self, step: int, values: dict[str, float]) -> None:
        """Send one dictionary of values."""
        self.open.log(values, step=step)

    def end(self) -> None:
        """Finish the run."""
        self.open.finish()


class MLflow:
    """Records in MLflow, in the experiment of the given name."""

    def __init__(self, experiment: str = "lengthwise") -> None:
        self.mlflow = _extra("mlflow", "mlflow")
        self.mlflow.set_experiment(experiment)

    def begin(self, spec: RunSpec) -> None:
        """Start an MLflow run with the specification as its parameters."""
        self.mlflow.start_run(run_name=_name(spec), tags={"lengthwise.id": spec.id})
        self.mlflow.log_params({"id": spec.id, **_flat(spec)})

    def log(self, step: int, values: dict[str, float]) -> None:
        """Record values at a step."""
        self.mlflow.log_metrics(values, step=step)

    def end(self) -> None:
        """End the run."""
        self.mlflow.end_run()


TRACKERS = Registry(
    "tracker",
    "lengthwise.trackers",
    {
        "tensorboard": "lengthwise.runs.trackers:TensorBoard",
        "wandb": "lengthwise.runs.trackers:WeightsAndBiases",
        "mlflow": "lengthwise.runs.trackers:MLflow",
    },
)


def load_tracker(text: str) -> Tracker:
    """Build a tracker from ``name`` or ``name:argument``; a missing extra is named."""
    name, _, argument = text.partition(":")
    if name.endswith(".py"):
        attribute, _, argument = argument.partition(":")
        name = f"{name}:{attribute}"
    build = TRACKERS.load(name)
    return build(argument) if argument else build()


@contextmanager
def following(
    trackers: Sequence[Tracker], spec: RunSpec, trainer: "Trainer", listener: "Listener"
) -> Iterator["Listener"]:
    """Yield a listener that also tells the trackers; a tracker that breaks is dropped, not the run.

    A run that is continued tells its earlier evaluations again, so that no tracker has gaps.
    """
    alive = [t for t in trackers if _safely(t, "begin", spec)]
    with ExitStack() as stack:
        for tracker in alive:
            stack.callback(_safely, tracker, "end")
        seen = 0

        def tell() -> None:
            nonlocal seen
            for event in trainer.history[seen:]:
                values = {f"exact match/{b.low}-{b.high}": b.accuracy for b in event.bins}
                values |= {} if event.loss is None else {"loss": event.loss}
                for tracker in alive[:]:
                    if not _safely(tracker, "log", event.step, values):
                        alive.remove(tracker)
            seen = len(trainer.history)

        def listen(progress: "Progress") -> None:
            tell()
            listener(progress)

        yield listen if alive else listener
        tell()


def _safely(tracker: Tracker, method: str, *arguments: Any) -> bool:
    try:
        getattr(tracker, method)(*arguments)
    except Exception as error:  # whatever a tracker does, the run goes on
        name = type(tracker).__name__
        sys.stderr.write(f"tracker {name} left out: {type(error).__name__}: {error}\n")
        return False
    return True


def _extra(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise InputError(
            f"--tracker {extra}: the package {extra!r} is not installed; "
            f"`pip install 'lengthwise[{extra}]'` adds it."
        ) from None


def _name(spec: RunSpec) -> str:
    return f"{spec.task} {spec.position} seed {spec.seed}"


def _flat(spec: RunSpec) -> dict[str, Any]:
    data = spec.model_dump(mode="json", include={"model", "training", "evaluation"})
    nested = {f"{part}.{key}": value for part, all_ in data.items() for key, value in all_.items()}
    return {"task": str(spec.task), "position": str(spec.position), "seed": spec.seed} | nested
