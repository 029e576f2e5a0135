"""The published recipe on the cheap rows: GPT-2 of the transformers library under its Trainer.

Optimiser, rate, batch, schedule and size are those of Huang et al. (2024): the chosen settings of
the algorithmic tasks, and the base setting of the formal languages, whose choice was not published.
Data and test instances are ours at laptop lengths, so that the same thing is fitted.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from lengthwise.bench.fit_cells import FitCell
from lengthwise.bench.fit_problems import FitProblem
from lengthwise.bench.peers import gpt2, train_by_trainer
from lengthwise.core.seeds import Stream, generator
from lengthwise.evaluation.exact import test_set
from lengthwise.models.supervised import draw_offsets
from lengthwise.records.outcomes import FITTED
from lengthwise.records.recipes import Rung
from lengthwise.records.spec import RunSpec
from lengthwise.tasks import load_task
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.training.loop import LOOK_EVERY, LOOK_ROWS

# task and encoding -> layers, heads, width, learning rate; larger models are not cheap
CHOSEN: dict[tuple[str, str], tuple[int, int, int, float]] = {
    ("binary-majority", "ape"): (1, 1, 16, 1e-3),
    ("binary-majority", "nope"): (1, 1, 16, 1e-3),
    ("majority", "ape"): (1, 2, 256, 1e-3),
    ("majority", "nope"): (1, 1, 64, 1e-3),
    ("sort", "ape"): (1, 2, 256, 1e-4),
    ("sort", "nope"): (1, 1, 256, 1e-3),
    ("unique-copy", "ape"): (2, 1, 64, 1e-3),
}
LANGUAGES = ("aa-star", "tomita-1", "tomita-4", "d-2", "d-3", "ab-d-bc")
STEPS = {"algorithmic": 30_000, "formal": 62_500}


def cheap(problem: FitProblem) -> bool:
    """Whether the published recipe is run for a problem."""
    name = problem.task.partition(":")[0]
    return problem.study == "huang2024" and (
        (name, problem.encoding) in CHOSEN or name in LANGUAGES
    )


def measure_published(problem: FitProblem, seed: int, cap: float) -> FitCell:
    """Fit a problem as published; time to settle is not asked, so it ends at its first fit."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    name = problem.task.partition(":")[0]
    spec = problem.spec(Rung(), seed)
    task = load_task(problem.task)
    context = task.max_tokens(spec.longest)
    formal = name in LANGUAGES
    layers, heads, width, rate = (2, 1, 32, 1e-5) if formal else CHOSEN[name, problem.encoding]
    model = _Labelled(
        gpt2(layers, heads, width, len(task.vocabulary), context), problem.encoding == "nope"
    )
    tests = [
        test_set(task, seed, bin_, number, spec.evaluation.instances)
        for number, bin_ in enumerate(spec.bins)
    ]
    clock = _Clock(model, tests[0], cap)
    train_by_trainer(
        model,
        _Rows(task, spec, context),
        _collate,
        clock.callback(),
        max_steps=STEPS["formal" if formal else "algorithmic"],
        per_device_train_batch_size=16 if formal else 64,
        learning_rate=rate,
        weight_decay=0.1 if formal else 0.01,
        lr_scheduler_type="constant" if formal else "linear",
        seed=seed,
    )
    return FitCell(
        study=problem.study,
        task=problem.task,
        encoding=problem.encoding,
        recipe="published",
        seed=seed,
        fitted=clock.fitted,
        fit_seconds=round(clock.spent, 3) if clock.fitted else cap,
        fit_steps=clock.steps,
        seconds=round(clock.spent, 3),
        steps=clock.steps,
        rung=0,
        accuracies=tuple(round(model.right(rows), 4) for rows in tests),
    )


class _Labelled(nn.Module):
    """GPT-2 with a label at every position, as the tasks have them, instead of the next token."""

    def __init__(self, model: Any, nope: bool) -> None:
        super().__init__()
        self.model = model
        if nope:
            table = nn.init.zeros_(model.transformer.wpe.weight)
            table.requires_grad_(False)

    def forward(self, input_ids: Tensor, position_ids: Tensor, labels: Tensor) -> dict[str, Tensor]:
        logits = self.model(input_ids=input_ids, position_ids=position_ids).logits
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORE)
        return {"loss": loss, "logits": logits}

    @torch.inference_mode()
    def right(self, batch: Batch) -> float:
        """Return the share of rows that are right at every supervised position."""
        self.eval()
        right = 0
        for start in range(0, len(batch.length), 100):
            rows = batch.rows(np.arange(start, min(start + 100, len(batch.length))))
            inputs = _tensors(rows, np.zeros(len(rows.length), dtype=np.int64))
            found = self(**inputs)["logits"].argmax(-1)
            wrong = (found != inputs["labels"]) & (inputs["labels"] != IGNORE)
            right += int((~wrong.any(dim=1)).sum())
        self.train()
        return right / len(batch.length)


class _Rows(torch.utils.data.IterableDataset):
    """Our training instances, one after the other, each at an offset of its own."""

    def __init__(self, task: Task, spec: RunSpec, context: int) -> None:
        self.task, self.spec, self.context = task, spec, context

    def __iter__(self) -> Iterator[tuple[Batch, int]]:
        step = 0
        while True:
            rng = generator(self.spec.seed, Stream.TRAINING_DATA, step)
            batch = self.task.draw(rng, *self.spec.training.length, 64)
            for row, offset in enumerate(draw_offsets(rng, batch, self.context)):
                yield batch.rows(np.array([row])), int(offset)
            step += 1


def _collate(rows: list[tuple[Batch, int]]) -> dict[str, Tensor]:
    longest = max(int(row.size[0]) for row, _ in rows)

    def padded(values: np.ndarray, fill: int) -> np.ndarray:
        short = values[:, :longest]
        return np.pad(short, ((0, 0), (0, longest - short.shape[1])), constant_values=fill)

    batch = Batch(
        tokens=np.concatenate([padded(row.tokens, 0) for row, _ in rows]),
        targets=np.concatenate([padded(row.targets, IGNORE) for row, _ in rows]),
        length=np.concatenate([row.length for row, _ in rows]),
        size=np.concatenate([row.size for row, _ in rows]),
    )
    return _tensors(batch, np.array([offset for _, offset in rows]))


def _tensors(batch: Batch, offsets: np.ndarray) -> dict[str, Tensor]:
    inside = np.minimum(np.arange(batch.tokens.shape[1]), batch.size[:, None] - 1)
    return {
        "input_ids": torch.from_numpy(np.ascontiguousarray(batch.tokens)),
        "position_ids": torch.from_numpy(offsets[:, None] + inside),
        "labels": torch.from_numpy(np.ascontiguousarray(batch.targets)),
    }


class _Clock:
    """Processor seconds from the first step to the first fit, looked for as ours do."""

    def __init__(self, model: _Labelled, tests: Batch, cap: float) -> None:
        self.model, self.tests, self.cap = model, tests, cap
        self.few = tests.rows(np.arange(min(LOOK_ROWS, len(tests.length))))
        self.began = self.spent = 0.0
        self.steps, self.fitted = 0, False

    def callback(self) -> Any:
        """Return this clock as Trainer wants it."""
        from transformers import TrainerCallback

        clock = self

        class Called(TrainerCallback):
            def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
                if state.global_step == 0:
                    clock.began = time.process_time()

            def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
                control.should_training_stop |= clock.ends(state.global_step)

        return Called()

    def ends(self, step: int) -> bool:
        """Whether training is over: fitted, or out of time."""
        self.steps = step
        if step % LOOK_EVERY == 0:
            fits = (self.model.right(rows) >= FITTED for rows in (self.few, self.tests))
            self.fitted = all(fits)
        self.spent = time.process_time() - self.began
        return self.fitted or self.spent > self.cap
