"""Loading the model of a finished run, for the analyses of this package."""

from lengthwise.errors import InputError
from lengthwise.models.decoder import Decoder
from lengthwise.runs.store import WEIGHTS, Store


def load_run(store: Store, run: str) -> tuple[Decoder, str]:
    """Return the trained model of a run (named by the beginning of its id) and what it is."""
    from lengthwise.positions import POSITIONS
    from lengthwise.positions.base import PositionEncoding
    from lengthwise.tasks import TASKS, Task
    from lengthwise.training.checkpoint import load_weights
    from lengthwise.training.loop import build_model

    record = store.find(run)
    if record.spec is None or record.state != "done":
        raise InputError(f"run {record.id} is {record.state}; a finished run is needed.")
    spec = record.spec
    task = spec.task.build(TASKS, Task)
    encoding = spec.position.build(POSITIONS, PositionEncoding)
    model = build_model(spec, task, encoding, task.max_tokens(spec.longest))
    load_weights(record.folder / WEIGHTS, model)
    return model.eval(), f"{record.id} ({spec.task}, {spec.position}, seed {spec.seed})"
