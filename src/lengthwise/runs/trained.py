"""The model of a finished run, loaded in one place for every analysis."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_bytes
from lengthwise.models.decoder import Decoder
from lengthwise.positions import POSITIONS
from lengthwise.positions.base import PositionEncoding
from lengthwise.records.manifest import WEIGHTS, DamagedError
from lengthwise.records.record import CHECKPOINT, content, load_result
from lengthwise.records.spec import RunSpec
from lengthwise.runs.store import Store
from lengthwise.tasks import TASKS
from lengthwise.tasks.base import Task
from lengthwise.training.checkpoint import load_model, load_weights
from lengthwise.training.loop import build_model
from lengthwise.training.start import begin


@dataclass(frozen=True)
class TrainedRun:
    """A finished run with its trained model."""

    id: str
    spec: RunSpec
    task: Task
    model: Decoder
    folder: Path = Path()
    weights: str = ""
    """The digest of the file that the weights were read from."""

    @property
    def subject(self) -> str:
        """What the run is about, for headings."""
        return f"{self.spec.task}, {self.spec.position}, seed {self.spec.seed}"

    def untrained(self) -> Decoder:
        """Return the model as it was before training."""
        model = _fresh(self.spec, self.task)
        begin(self.spec, model, self.folder.parent)
        return model


def load_run(store: Store, run: str, *, trust_code: bool = False) -> TrainedRun:
    """Load a finished run, named by the beginning of its id.

    A run may name a Python file as its task or encoding. The store may come from elsewhere, so the
    file is executed only with ``trust_code``, and only if its content is that of the run.
    """
    record = store.find(run)
    if record.state == "unfinished" and (record.folder / CHECKPOINT).is_file():
        raise InputError(
            f"run {record.id} is unfinished; its checkpoint is {record.folder / CHECKPOINT}."
        )
    spec = load_result(record).spec
    path = record.folder / WEIGHTS
    try:
        weights = content(record.folder, WEIGHTS, record.manifest)
    except DamagedError as error:
        raise InputError(f"run {record.id} is damaged: {error}.") from None
    task, model = _trusted(spec, trust_code=trust_code)
    if load_weights(path, model, weights).get("run") != record.id:
        raise InputError(f"{path}: the weights of another run.")
    return TrainedRun(record.id, spec, task, model.eval(), record.folder, _digest(weights))


def load_at_checkpoint(
    store: Store, run: str, path: Path, *, trust_code: bool = False
) -> TrainedRun:
    """Load a run as it is in a checkpoint; its specification is that of the store."""
    record = store.find(run)
    if record.spec is None:
        raise InputError(f"run {record.id} is {record.state}: {record.problem}.")
    task, model = _trusted(record.spec, trust_code=trust_code)
    weights = read_bytes(path)
    load_model(path, model, weights)
    return TrainedRun(record.id, record.spec, task, model.eval(), record.folder, _digest(weights))


def _trusted(spec: RunSpec, *, trust_code: bool) -> tuple[Task, Decoder]:
    """Build a run's task and untrained model, executing a file that it names only if trusted."""
    spec.task.check_trusted(trust_code)
    spec.position.check_trusted(trust_code)
    task = spec.task.build(TASKS, Task)
    return task, _fresh(spec, task)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _fresh(spec: RunSpec, task: Task) -> Decoder:
    encoding = spec.position.build(POSITIONS, PositionEncoding)
    return build_model(spec, task, encoding, task.max_tokens(spec.longest))
