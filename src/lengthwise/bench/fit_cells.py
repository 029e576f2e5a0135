"""One cell: a problem trained by one recipe with one seed, timed in processor seconds.

Wall time would measure who else uses the machine; a cell has one thread, so that processor seconds
are those of one core.
"""

import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import torch
from pydantic import BaseModel, ConfigDict, Field

from lengthwise.bench.fit_problems import FitProblem
from lengthwise.records.progress import Interrupted, Progress
from lengthwise.records.recipes import Rung
from lengthwise.records.spec import RunSpec
from lengthwise.training.loop import Trainer

CAP = 60.0
"""Processor seconds after which a cell that has not fitted ends; it counts with so many."""

Seconds = Annotated[float, Field(ge=0)]


class FitCell(BaseModel):
    """What came out of one cell; times are processor seconds of one core."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    study: str
    task: str
    encoding: str
    recipe: str
    """A name and the hash of its settings, so that an older edition's cells are not counted."""
    seed: int
    fitted: bool
    fit_seconds: Seconds
    """To the first fit, all rungs before it included; the cap if there is none."""
    fit_steps: int
    seconds: Seconds
    """To the end."""
    steps: int
    rung: int
    """Which of the settings was the last."""
    accuracies: tuple[float, ...]
    """In distribution, then at longer lengths, at the end."""

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What makes the cell one of its kind."""
        return self.task, self.encoding, self.recipe, self.seed


class Clocked(Trainer):
    """A trainer that notes when it first fits, also where its rule does not ask for that."""

    def __init__(self, spec: RunSpec, folder: Path, cap: float) -> None:
        began = time.process_time()
        super().__init__(spec, folder)
        self.began, self.cap = began, cap
        self.fit_seconds: float | None = None
        self.fit_steps = 0
        self.seconds_spent = 0.0

    def spend(self) -> None:
        """Train to the end, or until the cap, and note the processor seconds."""
        with suppress(Interrupted):
            self.fit(self.look, self.out_of_time)
        self.seconds_spent = self._so_far()

    def _so_far(self) -> float:
        return time.process_time() - self.began

    def look(self, progress: Progress) -> None:
        """Note the first fit; a run that settles has looked by itself."""
        if self.fit_seconds is None and (self.fitted is not None or self._fits()):
            self.fit_seconds, self.fit_steps = self._so_far(), self.step

    @property
    def accuracies(self) -> tuple[float, ...]:
        """What is right in each bin where it ended."""
        ended = bool(self.history) and self.history[-1].step == self.step
        bins = self.history[-1].bins if ended else self.measure()
        return tuple(round(bin_.accuracy, 4) for bin_ in bins)

    def out_of_time(self) -> bool:
        """Whether the cap is reached without a fit."""
        return self.fit_seconds is None and self._so_far() > self.cap


def measure_cell(
    problem: FitProblem, recipe: str, rungs: Sequence[Rung], seed: int, cap: float = CAP
) -> FitCell:
    """Train rung after rung until one fits or the cap is reached; the last one counts."""
    torch.set_num_threads(1)
    trainers = _climb(problem, rungs, seed, cap)
    last, before = trainers[-1], trainers[:-1]
    spent, steps = sum(t.seconds_spent for t in before), sum(t.step for t in before)
    fitted = last.fit_seconds is not None
    return FitCell(
        study=problem.study,
        task=problem.task,
        encoding=problem.encoding,
        recipe=recipe,
        seed=seed,
        fitted=fitted,
        fit_seconds=cap if last.fit_seconds is None else round(spent + last.fit_seconds, 3),
        fit_steps=steps + (last.fit_steps if fitted else last.step),
        seconds=round(spent + last.seconds_spent, 3),
        steps=steps + last.step,
        rung=len(before),
        accuracies=last.accuracies,
    )


def _climb(problem: FitProblem, rungs: Sequence[Rung], seed: int, cap: float) -> list[Clocked]:
    """Return the runs that were made: all but the last did not fit."""
    made: list[Clocked] = []
    for rung in rungs:
        left = cap - sum(trainer.seconds_spent for trainer in made)
        if left <= 0:
            break
        made.append(_train(problem.spec(rung, seed), left))
        if made[-1].fit_seconds is not None:
            break
    return made


def _train(spec: RunSpec, cap: float) -> Clocked:
    with tempfile.TemporaryDirectory() as folder:
        trainer = Clocked(spec, Path(folder), cap)
        trainer.spend()
    return trainer
