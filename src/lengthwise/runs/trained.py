"""The model of a finished run, loaded in one place for every analysis."""

from dataclasses import dataclass

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Decoder
from lengthwise.positions import POSITIONS
from lengthwise.positions.base import PositionEncoding
from lengthwise.records.manifest import WEIGHTS, DamagedError
from lengthwise.records.record import content, load_result
from lengthwise.records.spec import RunSpec
from lengthwise.runs.store import Store
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


def load_run(store: Store, run: str, *, trust_code: bool = False) -> TrainedRun:
    """Load a finished run, named by the beginning of its id.

    A run may name a Python file as its task or encoding. The store may come from elsewhere, so the
    file is executed only with ``trust_code``, and only if its content is that of the run.
    """
    record = store.find(run)
    spec = load_result(record).spec
    spec.task.check_trusted(trust_code)
    spec.position.check_trusted(trust_code)
    task = spec.task.build(TASKS, Task)
    model = _fresh(spec, task)
    path = record.folder / WEIGHTS
    try:
        weights = content(record.folder, WEIGHTS, record.manifest)
    except DamagedError as error:
        raise InputError(f"run {record.id} is damaged: {error}.") from None
    if load_weights(path, model, weights).get("run") != record.id:
        raise InputError(f"{path}: the weights of another run.")
    return TrainedRun(record.id, spec, task, model.eval())


def _fresh(spec: RunSpec, task: Task) -> Decoder:
    encoding = spec.position.build(POSITIONS, PositionEncoding)
    return build_model(spec, task, encoding, task.max_tokens(spec.longest))
