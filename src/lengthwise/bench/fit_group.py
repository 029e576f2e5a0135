"""``lengthwise dev bench --group fitting``: how soon models fit, and whether their seeds agree.

A file of results, one line for each cell, is the whole state: what stands there is not computed
again, so that hours of it can be stopped and continued.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from importlib import resources
from multiprocessing import get_context
from pathlib import Path

from pydantic import ValidationError

from lengthwise.bench.fit_cells import CAP, FitCell, measure_cell
from lengthwise.bench.fit_problems import FitProblem, study_problems
from lengthwise.bench.fit_published import cheap, measure_published
from lengthwise.core.errors import InputError, unknown
from lengthwise.records.recipes import Rung, recipes

TODAY, PUBLISHED = "today", "published"
"""The settings of the studies before there were recipes, and those of the papers under Trainer."""


@dataclass(frozen=True, kw_only=True)
class FitJob:
    """A cell that is still to be measured."""

    problem: FitProblem
    recipe: str
    rungs: tuple[Rung, ...]
    seed: int
    cap: float = CAP

    @property
    def key(self) -> tuple[str, str, str, int]:
        """The key that its cell will have."""
        return self.problem.task, self.problem.encoding, self.recipe, self.seed

    def measure(self) -> FitCell:
        """Train and return the cell."""
        if self.recipe == PUBLISHED:
            return measure_published(self.problem, self.seed, self.cap)
        return measure_cell(self.problem, self.recipe, self.rungs, self.seed, self.cap)


def recipe_name() -> str:
    """Name the edition of the recipes that comes with the library."""
    return f"edition {recipes().edition} ({recipes().digest})"


def fit_jobs(names: Sequence[str], seeds: int) -> list[FitJob]:
    """Return all cells of the named problems (all if none is named), seed by seed.

    Problems are in an order that a hash shuffles, so that what is cut short is still a fair sample.
    """
    chosen = sorted(_named(study_problems(), names), key=_shuffled)
    return [
        FitJob(problem=problem, recipe=recipe, rungs=rungs, seed=problem.first_seed + number)
        for number in range(seeds)
        for recipes_of in (_compared, _published)
        for problem in chosen
        for recipe, rungs in recipes_of(problem)
    ]


def _shuffled(problem: FitProblem) -> str:
    return hashlib.sha256(problem.name.encode()).hexdigest()


def _compared(problem: FitProblem) -> list[tuple[str, tuple[Rung, ...]]]:
    return [(recipe_name(), recipes().rungs), (TODAY, problem.today)]


def _published(problem: FitProblem) -> list[tuple[str, tuple[Rung, ...]]]:
    return [(PUBLISHED, ())] if cheap(problem) else []


def _named(problems: Sequence[FitProblem], names: Sequence[str]) -> list[FitProblem]:
    known = {name: p for p in problems for name in (p.task.partition(":")[0], p.study, p.name)}
    for name in names:
        if name not in known:
            raise unknown("problem", name, known)
    asked = set(names)
    return [p for p in problems if not asked or asked & {p.task.partition(":")[0], p.study, p.name}]


def read_cells(path: Path | None) -> list[FitCell]:
    """Read the cells that a file of results holds; a line that was cut short is left out."""
    if path is None or not path.exists():
        return []
    lines = path.read_text().splitlines()
    cells = []
    for number, line in enumerate(lines, start=1):
        try:
            cells.append(FitCell.model_validate_json(line))
        except ValidationError:
            if number == len(lines):  # the process ended while it wrote
                break
            raise InputError(f"--results {path}: line {number} is not a cell.") from None
    return cells


def kept_cells() -> Path:
    """Return the file of results that comes with the library; the docs show it."""
    return Path(str(resources.files("lengthwise.bench").joinpath("fitted.jsonl")))


def measure_all(
    jobs: Iterable[FitJob],
    path: Path,
    *,
    processes: int,
    hours: float | None = None,
    told: Callable[[FitCell], None] = lambda cell: None,
) -> list[FitCell]:
    """Measure what the file does not hold yet, one process per core; return all asked cells.

    After ``hours`` no further cell is begun.
    """
    asked = {job.key: job for job in jobs}
    cells = {cell.key: cell for cell in read_cells(path)}
    left = iter([job for key, job in asked.items() if key not in cells])
    for cell in _measured(
        left, processes, None if hours is None else time.monotonic() + 3600 * hours
    ):
        _append(path, cell)
        cells[cell.key] = cell
        told(cell)
    return [cells[key] for key in asked if key in cells]


def _measured(jobs: Iterator[FitJob], processes: int, end: float | None) -> Iterator[FitCell]:
    spawned = get_context("spawn")
    running: set[Future[FitCell]] = set()
    with ProcessPoolExecutor(processes, mp_context=spawned) as pool:
        while True:
            while len(running) < processes and (end is None or time.monotonic() < end):
                job = next(jobs, None)
                if job is None:
                    break
                running.add(pool.submit(job.measure))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            try:
                yield from [future.result() for future in done]
            except BrokenProcessPool:
                raise InputError(
                    "--group fitting: a process was ended from outside, perhaps for want of "
                    "memory; the file of results holds what is done, and the same command goes on."
                ) from None


def _append(path: Path, cell: FitCell) -> None:
    """Write a cell behind the others; a line that was cut short is ended first."""
    text = path.read_bytes() if path.exists() else b""
    whole = text[: text.rfind(b"\n") + 1]
    if whole != text:
        path.write_bytes(whole)
    with path.open("a") as file:
        file.write(json.dumps(cell.model_dump(mode="json")) + "\n")
