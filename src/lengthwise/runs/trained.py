"""The model of a finished run, loaded in one place for every analysis."""

from dataclasses import dataclass

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Decoder
from lengthwise.positions import POSITIONS
from lengthwise.positions.base import PositionEncoding
from lengthwise.records.spec import RunSpec
from lengthwise.runs.store import WEIGHTS, Store
from lengthwise.tasks import TASKS
from lengthwise.tasks.base import Task
from lengthwise.training.checkpoint import load_weights
from lengthwise.training.loop import build_model


@dataclass(frozen=True)
class TrainedRun:
    """A finished run with its trained model."""

    id: str
    spec: RunSpec
    task: Task
    model: Decoder

    @property
    def subject(self) -> str:
        """What the run is about, for headings."""
        return f"{self.spec.task}, {self.spec.position}, seed {self.spec.seed}"

    def untrained(self) -> Decoder:
        """Return the model as it was before training."""
        return _fresh(self.spec, self.task)


def load_run(store: Store, run: str) -> TrainedRun:
    """Load a finished run, named by the beginning of its id."""
    record = store.find(run)
    if record.spec is None or record.state != "done":
        raise InputError(f"run {record.id} is {record.state}; a finished run is needed.")
    task = record.spec.task.build(TASKS, Task)
    model = _fresh(record.spec, task)
    load_weights(record.folder / WEIGHTS, model)
    return TrainedRun(record.id, record.spec, task, model.eval())


def _fresh(spec: RunSpec, task: Task) -> Decoder:
    encoding = spec.position.build(POSITIONS, PositionEncoding)
    return build_model(spec, task, encoding, task.max_tokens(spec.longest))
