"""Tasks x encodings x seeds, from plain settings to results."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig, Preset
from lengthwise.records.spec import EvaluationConfig, RunSpec, TrainingConfig, first_problem
from lengthwise.runs.local import OnProgress, execute_all, plan
from lengthwise.runs.store import Store

if TYPE_CHECKING:
    from lengthwise.records.result import RunResult


def read_range(text: str, option: str) -> tuple[int, int]:
    """Read ``low:high`` (or one number), both ends included.

    Example:
        >>> read_range("1:50", "--train-length")
        (1, 50)
    """
    low, _, high = text.partition(":")
    try:
        first, last = int(low), int(high or low)
    except ValueError:
        raise InputError(f"{option} {text!r}: use low:high with whole numbers, as 1:50.") from None
    if first < 0 or last < first:
        raise InputError(f"{option} {text!r}: the range is empty; use low:high with low <= high.")
    return first, last


def further_ranges(trained: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Return the default test bins: up to two and up to three times the training length."""
    top = trained[1]
    return (top + 1, 2 * top), (2 * top + 1, 3 * top)


def specifications(
    tasks: Sequence[str],
    positions: Sequence[str],
    seeds: Sequence[int],
    *,
    preset: Preset = "gpt2",
    model: dict[str, Any] | None = None,
    training: dict[str, Any] | None = None,
    evaluation: dict[str, Any] | None = None,
) -> list[RunSpec]:
    """Return one specification per task, encoding and seed; every mistake shows before any run."""
    try:
        shared = {
            "model": ModelConfig.preset(preset, **(model or {})),
            "training": TrainingConfig(**(training or {})),
            "evaluation": EvaluationConfig(**(evaluation or {})),
        }
    except ValidationError as error:
        raise InputError(first_problem(error)) from error
    specs = [
        RunSpec.create(task=task, position=position, seed=seed, **shared)
        for task in dict.fromkeys(tasks)
        for position in dict.fromkeys(positions)
        for seed in dict.fromkeys(seeds)
    ]
    for spec in {(str(s.task), str(s.position)): s for s in specs}.values():
        check(spec)
    return specs


def check(spec: RunSpec) -> None:
    """Build the task and the encoding of a run, so that a mistake shows before anything runs."""
    from lengthwise.positions import POSITIONS
    from lengthwise.positions.base import PositionEncoding, Shape
    from lengthwise.tasks import TASKS, Task
    from lengthwise.training.positional import check_regularize

    task = spec.task.build(TASKS, Task)
    for bin_ in spec.bins:
        task.check_range(*bin_)
    model = spec.model
    shape = Shape(model.layers, model.heads, model.head, model.width, task.max_tokens(spec.longest))
    encoding = spec.position.build(POSITIONS, PositionEncoding).for_task(task)
    check_regularize(spec.training.regularize, encoding)
    encoding.build(shape)


def train(
    tasks: str | Sequence[str],
    pe: str | Sequence[str] = "nope",
    *,
    seeds: int = 1,
    store: str | None = None,
    jobs: int | None = None,
    threads: int | None = None,
    device: str = "auto",
    again: bool = False,
    on_progress: OnProgress = lambda spec, progress: None,
    **settings: Any,
) -> list["RunResult"]:
    """Train every task with every encoding and seed; return the results in that order.

    ``settings`` go to ``specifications``: ``model``, ``training``, ``evaluation``, ``preset``.
    """
    names = [tasks] if isinstance(tasks, str) else list(tasks)
    encodings = [pe] if isinstance(pe, str) else list(pe)
    specs = specifications(names, encodings, range(seeds), **settings)
    how = plan(specs, jobs, threads)
    return execute_all(
        specs, Store(store), how, device=device, again=again, on_progress=on_progress
    )
