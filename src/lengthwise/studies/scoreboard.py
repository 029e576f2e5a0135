"""Predictions held against measurements: a suite of problems, two encodings, one line at 70%.

For every problem the theory predicts and models are trained; the measured answer is whether exact
match between two and three times the training length reaches 70%, where the values published by
Huang et al. (2024) separate. Runs live in the store, so a stopped scoreboard goes on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError, unknown
from lengthwise.core.outputs import save_json
from lengthwise.predict import predict
from lengthwise.predict.types import Prediction
from lengthwise.records.accuracy import pool
from lengthwise.records.intervals import Interval
from lengthwise.records.outcomes import (
    CELL_OUTCOMES,
    CellOutcome,
    agreement,
    agreement_sentence,
    cell_outcome,
)
from lengthwise.records.published import reported
from lengthwise.records.spec import Range
from lengthwise.records.thresholds import LINE
from lengthwise.runs.estimate import estimate
from lengthwise.runs.processes import plan
from lengthwise.runs.store import Store
from lengthwise.studies.evidence import Cell, StudyEvidence, StudyRun
from lengthwise.studies.huang2024.problems import cell, small
from lengthwise.studies.known_results import BOARD
from lengthwise.studies.ladder import LADDERS, small_problem
from lengthwise.studies.tuning import Problem

ENCODINGS = ("nope", "ape")
SIZES = tuple(LADDERS)


def problems(
    suite: str, tasks: Sequence[str], encodings: Sequence[str], size: str
) -> list[Problem]:
    """Return every task with every encoding, its lengths and the settings that are tried.

    The published suite has settings of its own for problems with long answers.
    """

    find_size(size)
    return [
        small(name, encoding, size)
        if suite == "huang2024"
        else small_problem(task, encoding, size, group=cell(task, encoding))
        for task in tasks
        for name in [task.partition(":")[0]]
        for encoding in encodings
    ]


@dataclass(frozen=True)
class BoardCell:
    """One problem with one encoding: what was predicted and what was measured."""

    subject: str
    encoding: str
    predicted: str
    strength: str
    fragment: str | None
    depth: int | None
    accuracy: tuple[float, ...]
    reach: float
    outcome: CellOutcome
    source: str
    seeds: tuple[float, ...] = ()
    """Exact match of every seed on the last range."""
    unfitted: int = 0
    """Seeds that did not fit their training lengths."""
    runs: int = 1
    """All runs, with the rungs that did not fit."""
    interval: Interval | None = None
    trained: int = 0
    """The longest training length, of which ``reach`` and ``curve`` are multiples; 0 if unknown."""
    curve: tuple[tuple[float, tuple[tuple[int, int], ...]], ...] = ()
    """A length over the training length, and right and tried instances of every fitted seed."""

    @property
    def margin(self) -> float:
        """How far the decisive accuracy is from the line."""
        return abs(self.accuracy[-1] - LINE)

    @property
    def agrees(self) -> bool | None:
        """Whether the prediction is what was measured; None where one of them says nothing."""
        return agreement(self.predicted, self.outcome)


@dataclass(frozen=True)
class Scoreboard:
    """All cells of a suite."""

    suite: str
    size: str
    cells: tuple[BoardCell, ...]

    @property
    def fitted(self) -> list[BoardCell]:
        """The cells that decide something."""
        return [cell for cell in self.cells if cell.outcome != "not fitted"]

    @property
    def agreement(self) -> float:
        """Fraction of the fitted cells that agree; mixed ones and undecided predictions do not."""
        return sum(cell.agrees is True for cell in self.fitted) / max(1, len(self.fitted))

    @property
    def sentence(self) -> str:
        """The headline: how many of the fitted cells agree, what else there is."""
        return agreement_sentence([(cell.predicted, cell.outcome) for cell in self.cells])

    def confusion(self, encoding: str) -> dict[str, Any]:
        """Count predicted against measured for one encoding; precision and recall of yes.

        Both are over cells that hold or fail.
        """
        cells = [cell for cell in self.cells if cell.encoding == encoding]
        table = {
            f"{answer}, {outcome}": sum(
                cell.predicted == answer and cell.outcome == outcome for cell in cells
            )
            for answer in ("yes", "no", "undecided")
            for outcome in CELL_OUTCOMES
        }
        right = table["yes, holds"]
        return {
            "encoding": encoding,
            **table,
            "precision": _ratio(right, right + table["yes, fails"]),
            "recall": _ratio(right, sum(cell.outcome == "holds" for cell in cells)),
        }

    def disagreements(self) -> list[BoardCell]:
        """Return the fitted cells that do not agree, the clearest first."""
        return sorted((c for c in self.fitted if not c.agrees), key=lambda c: -c.margin)

    def to_json(self) -> dict[str, Any]:
        """Return plain data, also read by `lengthwise predict` for the expected reach."""
        encodings = dict.fromkeys(cell.encoding for cell in self.cells)
        return {
            "format": BOARD,
            "version": 2,
            "suite": self.suite,
            "size": self.size,
            "line": LINE,
            "agreement": self.agreement,
            "fitted": len(self.fitted),
            "sentence": self.sentence,
            "confusion": [self.confusion(encoding) for encoding in encodings],
            "cells": [asdict(c) | {"margin": c.margin, "agrees": c.agrees} for c in self.cells],
        }


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def predictions(
    tasks: Sequence[str],
    encodings: Sequence[str],
    *,
    time_limit: float = 60.0,
    listen: Callable[[str], None] = lambda task: None,
) -> dict[str, Prediction]:
    """Predict every task of a suite."""

    found: dict[str, Prediction] = {}
    for task in tasks:
        listen(task)
        found[task] = predict(f"task:{task}", encodings=encodings, time_limit=time_limit)
    return found


def measured_cell(
    task: str, encoding: str, prediction: Prediction, records: Sequence[StudyRun]
) -> BoardCell:
    """Put one prediction beside the run that was chosen for it."""
    return board_cell(task, encoding, prediction, Cell.of(records))


def board_cell(task: str, encoding: str, prediction: Prediction, cell: Cell | None) -> BoardCell:
    """Put one prediction beside a cell."""
    if cell is None:
        raise AssertionError("a cell of a scoreboard has runs")
    trained = cell.runs[0].spec.training.length[1]
    reach = 0.0
    for bin_ in cell.bins:
        if bin_.accuracy < LINE:
            break
        reach = bin_.high / trained
    row = _cell(task, encoding, prediction, cell.accuracies, reach, cell.runs[0].spec.id)
    return replace(
        row,
        outcome=cell.outcome,
        seeds=tuple(run.accuracies[-1] for run in cell.runs),
        unfitted=len(cell.runs) - len(cell.fitted),
        runs=cell.tried,
        interval=cell.bins[-1].interval,
        trained=trained,
        curve=length_curve(cell),
    )


def length_curve(cell: Cell) -> tuple[tuple[float, tuple[tuple[int, int], ...]], ...]:
    """Return right and tried instances of every fitted seed in eighths of the training length."""
    trained = cell.runs[0].spec.training.length[1]
    whole = [pool(run.bins) for run in cell.fitted]
    longest = max((part.high for part in whole), default=0)
    points = []
    for step in range(1, 8 * longest // trained + 1):
        low, high = (step - 1) * trained // 8 + 1, step * trained // 8
        counts = tuple(part.between(low, high).counts for part in whole)
        if low <= high and all(tried for _, tried in counts):
            points.append((step / 8, counts))
    return tuple(points)


def published_cells(found: Mapping[str, Prediction], encodings: Sequence[str]) -> list[BoardCell]:
    """Put predictions beside the published accuracies, where there are three bins of them."""

    cells: list[BoardCell] = []
    for task, prediction in found.items():
        for line in reported(task.partition(":")[0]):
            encoding = {"learned": "ape"}.get(line.encoding, line.encoding)
            if line.paper == "huang2024" and encoding in encodings:
                values = tuple(value / 100 for value in line.accuracy)
                reached = [n for n, value in enumerate(values, 1) if value >= LINE]
                reach = float(max(reached, default=0))
                cells.append(_cell(task, encoding, prediction, values, reach, line.paper))
    return cells


def published_board(
    suite: str, found: Mapping[str, Prediction], encodings: Sequence[str]
) -> Scoreboard:
    """Compare with published accuracies, or say that there are none."""
    cells = published_cells(found, encodings)
    if not cells:
        raise InputError(
            f"--against published: nothing is published for {suite} with "
            f"{', '.join(encodings)}; use --against runs."
        )
    return Scoreboard(suite, "published", tuple(cells))


def _cell(
    task: str,
    encoding: str,
    prediction: Prediction,
    accuracy: tuple[float, ...],
    reach: float,
    source: str,
) -> BoardCell:
    verdict, facts = prediction.verdict(encoding), prediction.facts
    return BoardCell(
        subject=task,
        encoding=encoding,
        predicted=verdict.answer,
        strength=verdict.label,
        fragment=facts.get("fragment"),
        depth=facts.get("depth"),
        accuracy=accuracy,
        reach=reach,
        outcome=cell_outcome([accuracy]),
        source=source,
    )


def score(
    suite: str, size: str, found: Mapping[str, Prediction], evidence: StudyEvidence
) -> Scoreboard:
    """Group the runs by task and encoding and compare."""
    names = {task.partition(":")[0] if suite == "huang2024" else task: task for task in found}
    groups = dict.fromkeys(record.group for record in evidence.records)
    cells: list[BoardCell] = []
    for group in groups:
        name, _, encoding = group.removeprefix("cell/").rpartition("/")
        task = names[name]
        cells.append(measured_cell(task, encoding, found[task], evidence.find(group)))
    return Scoreboard(suite, size, tuple(cells))


def find_size(name: str) -> str:
    """Return the name of a size that exists."""
    if name not in SIZES:
        raise unknown("size", name, SIZES)
    return name


def save(board: Scoreboard, path: Path) -> None:
    """Write a scoreboard as JSON, whole or not at all."""
    save_json(path, board.to_json())


def plan_runs(wanted: Sequence[Problem], store: Store, jobs: int | None) -> dict[str, Any]:
    """Say what a scoreboard would train first, and estimate its time by a few steps."""

    specs = [planned.spec for problem in wanted for planned in problem.sweep(StudyEvidence("plan"))]
    how = plan(specs, jobs)
    found = estimate(specs, store, how)
    return {
        "problems": list(dict.fromkeys(problem.task for problem in wanted)),
        "encodings": list(dict.fromkeys(problem.encoding for problem in wanted)),
        "runs": found.runs,
        "finished already": found.done,
        "further attempts": sum(len(problem.attempts) - 1 for problem in wanted),
        "training lengths": _ranges(problem.trained for problem in wanted),
        "test lengths": _ranges(bin_ for problem in wanted for bin_ in problem.tests),
        "processes": how.jobs,
        "at most": "unknown" if found.seconds is None else f"{found.seconds / 60:.0f} minutes",
    }


def _ranges(bins: Iterable[Range]) -> str:
    return ", ".join(f"{low} to {high}" for low, high in dict.fromkeys(bins))
