"""Tasks x encodings x seeds as specifications, every mistake found before anything runs."""

import os
from collections.abc import Sequence
from typing import Any

from lengthwise.core.opened import opened
from lengthwise.models.config import ModelConfig
from lengthwise.positions import POSITIONS
from lengthwise.positions.base import PositionEncoding, Shape
from lengthwise.records.recipes import recipes
from lengthwise.records.spec import EvaluationConfig, RunSpec, TrainingConfig
from lengthwise.tasks import TASKS
from lengthwise.tasks.base import Task
from lengthwise.training.first_look import first_look
from lengthwise.training.positional import check_regularize


def specifications(
    tasks: Sequence[str],
    encodings: Sequence[str],
    seeds: Sequence[int],
    *,
    model: ModelConfig | None = None,
    training: TrainingConfig | None = None,
    evaluation: EvaluationConfig | None = None,
) -> list[RunSpec]:
    """Return one specification per task, encoding and seed; every mistake shows before any run."""
    shared = {
        "model": model or ModelConfig(),
        "training": training or TrainingConfig(),
        "evaluation": evaluation or EvaluationConfig(),
    }
    specs = [
        RunSpec.create(task=task, position=encoding, seed=seed, **shared)
        for task in dict.fromkeys(tasks)
        for encoding in dict.fromkeys(encodings)
        for seed in dict.fromkeys(seeds)
    ]
    for spec in {(str(s.task), str(s.position)): s for s in specs}.values():
        check(spec)
    return specs


def ladders(
    tasks: Sequence[str], encodings: Sequence[str], seeds: Sequence[int], **fields: Any
) -> list[list[RunSpec]]:
    """Return the recipes' runs per task, encoding and seed, in the order in which they are tried.

    ``fields`` are those of `Rung.spec`.
    """
    found = [
        recipes().specs(task=task, position=encoding, seed=seed, **fields)
        for task in dict.fromkeys(tasks)
        for encoding in dict.fromkeys(encodings)
        for seed in dict.fromkeys(seeds)
    ]
    for ladder in {(str(few[0].task), str(few[0].position)): few for few in found}.values():
        for spec in ladder:
            check(spec)
    return found


def check(spec: RunSpec) -> None:
    """Build the task and the encoding of a run, so that a mistake shows before anything runs."""
    with opened() as files:
        task = spec.task.build(TASKS, Task)
        for bin_ in spec.bins:
            task.check_range(*bin_)
        model = spec.model
        context = task.max_tokens(spec.longest)
        shape = Shape(model.layers, model.heads, model.head, model.width, context)
        encoding = spec.position.build(POSITIONS, PositionEncoding).for_task(task)
        check_regularize(spec.training.regularize, encoding)
        first_look(spec, task, encoding, encoding.build(shape), context)
    named = {*spec.task.contents(TASKS), *spec.position.contents(POSITIONS)}
    unnamed = files - set(map(os.path.realpath, named))
    spec.task.check_read(TASKS, unnamed)
    spec.position.check_read(POSITIONS, unnamed)
