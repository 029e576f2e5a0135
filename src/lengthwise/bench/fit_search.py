"""The search for recipes: successive halving on problems and seeds that no study uses.

Round by round the better half of the candidates goes on to more problems and seeds. A candidate is
judged by three ranks: the share of cells that fit, the time to fit, and how far its seeds are apart
at two and three times the training length. What was predicted for a problem is never looked at.
"""

import hashlib
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.bench.fit_cells import FitCell
from lengthwise.bench.fit_group import FitJob, measure_all
from lengthwise.bench.fit_problems import FitProblem, development_problems
from lengthwise.records.recipes import Rung

SEARCH_CAP = 60.0
ROUNDS = {"first": ((2, 4), (5, 4)), "second": ((3, 2), (5, 4))}
"""Problems of the development set and seeds in each round; after each the better half goes on."""

_BASE: dict[str, Any] = {"warmup": 20, "beta2": 0.95, "evaluate_every": 10**6}
_SHAPE: dict[str, Any] = {"layers": 2, "heads": 2, "width": 64}
_LARGE: dict[str, Any] = {"init": "t5", "scale_output": True}
"""A larger start: what small initial weights do not fit in time."""
_DECAY: dict[str, Any] = {"weight_decay": 0.3, "decayed": "matrices"}
_QUICK: dict[str, Any] = {"learning_rate": 3e-3, "steps": 1000, "settle": 4.0, **_DECAY}
_MUON: dict[str, Any] = {"optimizer": "muon", "learning_rate": 1e-2, "weight_decay": 0.1}


def _first(model: dict[str, Any] | None = None, **training: Any) -> Rung:
    settings = {**_BASE, "schedule": "constant", **_QUICK, **training}
    return Rung(model={**_SHAPE, **(model or {})}, training=settings)


def _second(model: dict[str, Any] | None = None, **training: Any) -> Rung:
    settings = {**_BASE, "steps": 3000, "settle": 2.0, "schedule": "linear", **training}
    return Rung(model={**_SHAPE, **_LARGE, **(model or {})}, training=settings)


def candidates(rung: str, encoding: str) -> dict[str, Rung]:
    """Return what is tried for an encoding, by a name that says what is unusual about it."""
    one: dict[str, Any] = {"layers": 1}
    if rung == "second":
        return {
            "large start": _second(),
            "constant": _second(schedule="constant"),
            "small batch": _second(learning_rate=2e-3, batch=32, schedule="constant"),
            "muon": _second(optimizer="muon", learning_rate=3e-3, schedule="constant"),
            "four layers": _second({"layers": 4}, steps=6000),
        }
    return {
        "quick": _first(),
        "one layer": _first(one),
        "one layer, long": _first(one, settle=40.0),
        "strong muon": _first(**_MUON),
        "strong muon, one layer": _first(one, **_MUON),
        "large start, one layer": _first({**one, **_LARGE}, learning_rate=1e-3),
    }


@dataclass(frozen=True)
class Standing:
    """How a candidate stands after a round."""

    name: str
    fitted: float
    """Share of cells."""
    fit_seconds: float
    """Geometric mean; what does not fit counts with the cap."""
    seconds: float
    """Geometric mean to the end."""
    spread: float
    """Mean over problems of the standard deviation over seeds at longer lengths."""


def search(
    rung: str,
    encoding: str,
    path: Path,
    *,
    processes: int,
    rounds: int | None = None,
    hours: float | None = None,
    told: Callable[[FitCell], None] = lambda cell: None,
) -> list[list[Standing]]:
    """Return the standings of the first rounds, as far as they could be completed, best first."""
    left = candidates(rung, encoding)
    found: list[list[Standing]] = []
    for problems, seeds in ROUNDS[rung][:rounds]:
        jobs = _jobs(left, development_problems(rung, encoding)[:problems], seeds)
        cells = measure_all(jobs, path, processes=processes, hours=hours, told=told)
        if len(cells) < len(jobs):
            break
        found.append(ranked(left, cells))
        kept = found[-1][: math.ceil(len(left) / 2)]
        left = {standing.name: left[standing.name] for standing in kept}
    return found


def _jobs(left: Mapping[str, Rung], problems: Sequence[FitProblem], seeds: int) -> list[FitJob]:
    return [
        FitJob(
            problem=problem,
            recipe=labelled(name, rung),
            rungs=(rung,),
            seed=problem.first_seed + number,
            cap=SEARCH_CAP,
        )
        for number in range(seeds)
        for problem in problems
        for name, rung in left.items()
    ]


def labelled(name: str, rung: Rung) -> str:
    """Name a candidate together with the hash of its settings."""
    return f"{name} ({hashlib.sha256(rung.model_dump_json().encode()).hexdigest()[:8]})"


def ranked(left: Mapping[str, Rung], cells: Sequence[FitCell]) -> list[Standing]:
    """Order candidates by the mean of their three ranks."""
    found = [
        standing(name, [cell for cell in cells if cell.recipe == labelled(name, rung)])
        for name, rung in left.items()
    ]
    orders = [
        [(-one.fitted) for one in found],
        [one.fit_seconds for one in found],
        [one.spread for one in found],
    ]
    total = {
        one.name: sum(sum(other < order[at] for other in order) for order in orders)
        for at, one in enumerate(found)
    }
    return sorted(found, key=lambda one: (total[one.name], one.seconds))


def standing(name: str, cells: Sequence[FitCell]) -> Standing:
    """Sum up a candidate's cells."""
    problems = {(cell.task, cell.encoding) for cell in cells}
    spreads = [
        statistics.pstdev(cell.accuracies[bin_] for cell in cells if _of(cell) == problem)
        for problem in problems
        for bin_ in (1, 2)
    ]

    def mean(values: Sequence[float]) -> float:
        return math.exp(statistics.fmean(math.log(value) for value in values))

    return Standing(
        name=name,
        fitted=statistics.fmean(cell.fitted for cell in cells),
        fit_seconds=mean([cell.fit_seconds for cell in cells]),
        seconds=mean([cell.seconds for cell in cells]),
        spread=statistics.fmean(spreads),
    )


def _of(cell: FitCell) -> tuple[str, str]:
    return cell.task, cell.encoding
