"""How long a sweep will take and how much disk it needs, from a short calibration."""

import math
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lengthwise.positions import POSITIONS
from lengthwise.positions.base import PositionEncoding, Shape
from lengthwise.records.spec import RunSpec
from lengthwise.runs.processes import Plan
from lengthwise.runs.store import Store
from lengthwise.tasks import TASKS
from lengthwise.tasks.base import Task
from lengthwise.training.loop import Trainer

SHAPES = 6
"""How many different runs are tried at most; the others are scaled from the nearest one."""
STEPS = 4
BYTES_PER_WEIGHT = 4
BYTES_OF_TEXT = 16_384
"""Room for a run's specification, history and result, rounded up to blocks."""


@dataclass(frozen=True)
class Estimate:
    """What is to be done, and what it will take at most: runs that are perfect early stop early."""

    runs: int
    done: int
    failed: int
    begun: int
    damaged: int
    left: int
    """Runs that are to be done: without those that are damaged, unless these are repaired."""
    seconds: float | None
    """Wall time with the planned workers; None without calibration."""
    disk: int
    """Bytes once all is done."""
    working: int
    """Bytes more while runs are under way (checkpoints)."""


def estimate(
    specs: Sequence[RunSpec],
    store: Store,
    how: Plan,
    *,
    calibrate: bool = True,
    repair: bool = False,
) -> Estimate:
    """Look at the store, try a few steps of a few runs, and add up."""
    folders = {spec.id: store.folder(spec) for spec in specs}
    known = {run: store.record(folder).state for run, folder in folders.items() if folder.is_dir()}
    kept = ("done",) if repair else ("done", "damaged")
    left = [spec for spec in specs if known.get(spec.id) not in kept]
    states = list(known.values())
    by_shape = {_shape(spec): spec for spec in left}
    by_shape = {shape: BYTES_PER_WEIGHT * weights(spec) for shape, spec in by_shape.items()}
    sizes = [by_shape[_shape(spec)] for spec in left]
    return Estimate(
        runs=len(specs),
        done=states.count("done"),
        failed=states.count("failed"),
        begun=states.count("unfinished"),
        damaged=states.count("damaged"),
        left=len(left),
        seconds=wall_seconds(left, how) if calibrate else None,
        disk=sum(
            (4 if spec.training.schedule == "constant" else 1) * size + BYTES_OF_TEXT
            for size, spec in zip(sizes, left, strict=True)  # those keep the optimiser's state
        ),
        working=3 * sum(sorted(sizes)[-how.jobs :]),
    )


def wall_seconds(specs: Sequence[RunSpec], how: Plan) -> float:
    """Return the time all runs need on the planned workers if none stops early."""
    if not specs:
        return 0.0
    shapes = {_shape(spec): spec for spec in specs}
    by_cost = sorted(shapes, key=lambda shape: cost(shapes[shape]))
    places = {i * (len(by_cost) - 1) // (SHAPES - 1) for i in range(SHAPES)}
    seconds = {by_cost[i]: measure(shapes[by_cost[i]], how.threads) for i in sorted(places)}
    tried = {shape: cost(shapes[shape]) for shape in seconds}
    for shape, spec in shapes.items():
        if shape not in seconds:
            near = min(tried, key=lambda other: abs(math.log(tried[other] / cost(spec))))
            seconds[shape] = seconds[near] * cost(spec) / tried[near]
    each = [seconds[_shape(spec)] for spec in specs]
    return max(max(each), sum(each) / how.jobs)


def measure(spec: RunSpec, threads: int = 1) -> float:
    """Take a few steps and one smaller evaluation; return the seconds of the whole run."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    few = min(64, spec.evaluation.instances)
    fewer = spec.evaluation.model_copy(update={"instances": few})
    try:
        with tempfile.TemporaryDirectory() as folder:
            trainer = Trainer(spec.model_copy(update={"evaluation": fewer}), Path(folder))
            trainer.train_step()  # the first one allocates
            started = time.monotonic()
            for _ in range(STEPS):
                trainer.train_step()
            step = (time.monotonic() - started) / STEPS
            started = time.monotonic()
            trainer.measure()
            test = (time.monotonic() - started) * spec.evaluation.instances / few
    finally:
        torch.set_num_threads(before)
    training = spec.training
    tests = -(-training.most // training.evaluate_every)
    return training.most * step + tests * test


def cost(spec: RunSpec) -> float:
    """Return a number proportional, roughly, to the arithmetic of a run."""
    model, training = spec.model, spec.training
    tests = -(-training.most // training.evaluate_every) * spec.evaluation.instances
    trained = training.length[1]
    tokens = 3 * training.most * training.batch * trained
    tokens += tests * sum(high for _, high in spec.bins)
    return tokens * model.layers * (12 * model.width**2 + 2 * trained * model.width + 2_000)


def weights(spec: RunSpec) -> int:
    """Return the number of weights, up to the biases and norms."""
    model, task = spec.model, spec.task.build(TASKS, Task)
    context = task.max_tokens(spec.longest)
    shape = Shape(model.layers, model.heads, model.head, model.width, context)
    encoding = spec.position.build(POSITIONS, PositionEncoding).for_task(task).build(shape)
    own = sum(parameter.numel() for parameter in encoding.parameters())
    block = 4 * model.width * model.heads * model.head + 2 * model.width * model.mlp
    tables = 1 if model.tied else 2
    return own + model.layers * block + tables * len(task.vocabulary) * model.width


def _shape(spec: RunSpec) -> str:
    """Name what determines a run's time: all but its seed."""
    return spec.model_copy(update={"seed": 0}).id
