"""Finished runs that are what is asked for but for their steps or their tests, made longer.

    more steps       its training is continued from the last planned evaluation, as if interrupted
    other tests      its weights are measured, and nothing is trained

Either gives the numbers of a run that was asked for like that from the start, or is not done: then
a line says why, and the run starts anew.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.files import write_bytes
from lengthwise.positions import POSITIONS
from lengthwise.positions.base import PositionEncoding, Shape
from lengthwise.records.manifest import WEIGHTS, DamagedError
from lengthwise.records.record import CHECKPOINT, Record, content
from lengthwise.records.result import Evaluation, RunResult
from lengthwise.records.spec import RunSpec
from lengthwise.runs import distributed
from lengthwise.runs.execute import STATE, finish
from lengthwise.runs.store import BusyError, Store
from lengthwise.tasks import TASKS
from lengthwise.tasks.base import Task
from lengthwise.training.checkpoint import load_weights, relabelled
from lengthwise.training.first_look import first_look
from lengthwise.training.loop import Trainer


class NotExtendedError(InputError):
    """Why a finished run cannot become the one that is asked for."""


def extend(specs: Sequence[RunSpec], store: Store, device: str = "cpu") -> list[str]:
    """Begin what is asked for with finished runs where that gives the same numbers; say so."""
    if distributed.active():  # its processes would all try
        return []
    asked = [spec for spec in specs if store.record(store.folder(spec)).state != "done"]
    if not asked:
        return []
    done = [r for r in store.records() if r.state == "done" and r.result is not None]
    return [line for spec in asked for line in _extend(spec, done, store, device)]


def _extend(spec: RunSpec, done: Sequence[Record], store: Store, device: str) -> Iterator[str]:
    """Try the runs that are nearly it, those with the most steps first, until one serves."""
    if (store.folder(spec) / CHECKPOINT).exists():
        return
    refused: list[str] = []
    nearly = [(record, record.result) for record in done if record.result is not None]
    for record, result in sorted(nearly, key=lambda pair: -pair[1].steps):
        try:
            if _longer(spec, result.spec):
                said = _continued(spec, record, result, store)
            elif spec.model_copy(update={"evaluation": result.spec.evaluation}) == result.spec:
                said = _measured(spec, record, result, store, device)
            else:
                continue
        except NotExtendedError as error:
            refused.append(str(error))
            continue
        except BusyError:
            return
        yield said
        return
    yield from refused


def _longer(spec: RunSpec, other: RunSpec) -> bool:
    """Whether a run is another with more steps."""
    steps = {"training": spec.training.model_copy(update={"steps": other.training.steps})}
    return spec.model_copy(update=steps) == other and spec.training.steps > other.training.steps


def _continued(spec: RunSpec, record: Record, result: RunResult, store: Store) -> str:
    """Give the run the state in which the shorter one was, so that training goes on from there."""
    run, before = (
        record.id,
        f"run {record.id} is the same with {result.spec.training.steps:,} steps",
    )
    anew = f"this one starts anew (`--from {run}` goes on from its weights)"
    if spec.training.schedule != "constant":
        schedule = spec.training.schedule
        raise NotExtendedError(
            f"{before}; its {schedule} schedule has ended, and a longer one has other rates at "
            f"every step: {anew}; runs with --schedule constant are extended"
        )
    try:
        state, step = relabelled(record.folder / STATE, run, spec.id)
    except InputError as error:
        raise NotExtendedError(f"{before}; {str(error).rstrip('.')}: {anew}") from None
    folder = store.open(spec)
    with store.lock(folder):
        write_bytes(folder / CHECKPOINT, state)
    return f"run {run} is extended from step {step:,} to {spec.training.steps:,}"


def _measured(spec: RunSpec, record: Record, result: RunResult, store: Store, device: str) -> str:
    """Measure the weights of a run on the tests that are asked for."""
    run = record.id
    if problem := _other_training(spec, result):
        raise NotExtendedError(
            f"run {run} is the same but for its tests; {problem}: this one is trained anew "
            f"(`lengthwise evaluate {run} --length {spec.training.length[0]}:{spec.longest}` "
            "measures that one)"
        )
    trainer = Trainer(spec, store.folder(spec), device)
    try:
        weights = content(record.folder, WEIGHTS, record.manifest)
        load_weights(record.folder / WEIGHTS, trainer.model, weights)
    except (DamagedError, InputError) as error:
        raise NotExtendedError(f"run {run}: {str(error).rstrip('.')}; trained anew") from None
    last = result.history[-1]
    event = Evaluation(step=last.step, loss=last.loss, bins=trainer.measure())
    if _same_first(spec, result.spec) and event.bins[0] != last.bins[0]:
        raise NotExtendedError(
            f"run {run}: its training lengths measured again give other counts, as on another "
            "machine; trained anew"
        )
    folder = store.open(spec)
    with store.lock(folder):
        trainer.step, trainer.history = result.steps, [event]
        finish(trainer, result.stopped, result.seconds)
    return (
        f"run {run} was measured on the tests that are asked for and not trained again; its "
        "earlier evaluations were not"
    )


def _same_first(spec: RunSpec, other: RunSpec) -> bool:
    """Whether both are measured alike on the training lengths, which steer some runs."""
    one, two = spec.evaluation, other.evaluation
    return (one.instances, one.metric) == (two.instances, two.metric)


def _other_training(spec: RunSpec, result: RunResult) -> str:
    """Say why training would have gone otherwise with these tests, if it would have."""
    training, other = spec.training, result.spec
    steered = training.stop_when_perfect or training.settle or training.keep == "best"
    if steered and not _same_first(spec, other):
        return "tests on the training lengths decide when it ends or what it keeps"
    if training.keep == "best" and result.bins != result.history[-1].bins:
        return "it kept weights of an earlier step"
    task = spec.task.build(TASKS, Task)
    now, then = (task.max_tokens(each.longest) for each in (spec, other))
    if now != then and depends_on_context(spec, task, now):
        return f"training with {spec.position} depends on the longest test"
    return ""


class _Watched(Shape):
    """A shape that notices when its context is read."""

    def __getattribute__(self, name: str) -> object:
        if name == "context":
            self.__dict__["noticed"] = True
        return super().__getattribute__(name)


def depends_on_context(spec: RunSpec, task: Task, context: int) -> bool:
    """Whether an encoding is trained otherwise in a longer context: it reads it, or is shifted.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> parity = load_task("parity")
        >>> runs = [RunSpec.create(task="parity", position=p) for p in ("nope", "rope", "ape")]
        >>> [depends_on_context(spec, parity, 20) for spec in runs]
        [False, False, True]
    """
    encoding = spec.position.build(POSITIONS, PositionEncoding)
    if encoding.absolute and spec.training.offsets:
        return True
    model = spec.model
    shape = _Watched(model.layers, model.heads, model.head, model.width, context, model.logit_scale)
    module = encoding.for_task(task).build(shape)
    few = spec.model_copy(update={"evaluation": spec.evaluation.model_copy(update={"lengths": ()})})
    first_look(few, task, encoding, module, context)
    module.positions(np.full(2, min(2, context)), np.random.default_rng(0))
    return shape.__dict__.get("noticed", False)
