"""Predictions held against measurements: a suite of problems, two encodings, one line at 70%.

For every problem the theory predicts and models are trained; the measured answer is whether exact
match between two and three times the training length reaches 70%, where the values published by
Huang et al. (2024) separate. Runs live in the store, so a stopped scoreboard goes on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError, unknown
from lengthwise.core.outputs import save_json
from lengthwise.predict import predict
from lengthwise.predict.types import Prediction
from lengthwise.records.outcomes import LINE, cell_outcome
from lengthwise.records.published import reported
from lengthwise.records.spec import Range
from lengthwise.runs.estimate import estimate
from lengthwise.runs.processes import plan
from lengthwise.runs.store import Store
from lengthwise.studies.board import BoardCell, Scoreboard, board_cell
from lengthwise.studies.climbing import Climb, thirds
from lengthwise.studies.evidence import Cell, StudyEvidence, StudyRun
from lengthwise.studies.huang2024.problems import LENGTHS, SYMBOLS, cell

TRAINED = {"smoke": 8, "laptop": 20}
"""Longest training length; tests go to two and three times that."""
INSTANCES = {"smoke": 20, "laptop": 500}
SEEDS = {"smoke": 1, "laptop": 5}
SIZES = tuple(TRAINED)


def problems(suite: str, tasks: Sequence[str], encodings: Sequence[str], size: str) -> list[Climb]:
    """Return every task with every encoding and its lengths, to be trained by the recipe.

    The published suite has training lengths of its own for problems with long answers.
    """
    find_size(size)
    smoke = size == "smoke"
    found: list[Climb] = []
    for task in tasks:
        name = task.partition(":")[0]
        own = LENGTHS.get(name) if suite == "huang2024" and not smoke else None
        trained = own or TRAINED[size]
        symbols = suite == "huang2024" and name in SYMBOLS
        found += [
            Climb(
                group=cell(name if suite == "huang2024" else task, encoding),
                task=f"{name}:symbols={3 * trained}" if symbols else task,
                encoding=encoding,
                trained=(1, trained),
                tests=thirds(trained),
                instances=INSTANCES[size],
                seeds=SEEDS[size],
                smoke=smoke,
            )
            for encoding in encodings
        ]
    return found


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
    cell = Cell.of(records)
    if cell is None:
        raise AssertionError("a cell of a scoreboard has runs")
    return board_cell(task, encoding, _said(prediction, encoding), cell)


def _said(prediction: Prediction, encoding: str) -> dict[str, Any]:
    """Return what a board keeps of a prediction."""
    verdict, facts = prediction.verdict(encoding), prediction.facts
    about = {key: facts.get(key) for key in ("fragment", "depth")}
    return {"answer": verdict.answer, "strength": verdict.label, **about}


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
    said = _said(prediction, encoding)
    return BoardCell(
        subject=task,
        encoding=encoding,
        predicted=said["answer"],
        strength=said["strength"],
        fragment=said["fragment"],
        depth=said["depth"],
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


def plan_runs(wanted: Sequence[Climb], store: Store, jobs: int | None) -> dict[str, Any]:
    """Say what a scoreboard would train first, and estimate its time by a few steps."""

    specs = [planned.spec for problem in wanted for planned in problem.runs(StudyEvidence("plan"))]
    how = plan(specs, jobs)
    found = estimate(specs, store, how)
    return {
        "problems": list(dict.fromkeys(problem.task for problem in wanted)),
        "encodings": list(dict.fromkeys(problem.encoding for problem in wanted)),
        "runs": found.runs,
        "finished already": found.done,
        "further attempts": sum(problem.seeds * (len(problem.ladder(0)) - 1) for problem in wanted),
        "training lengths": _ranges(problem.trained for problem in wanted),
        "test lengths": _ranges(bin_ for problem in wanted for bin_ in problem.tests),
        "processes": how.jobs,
        "at most": "unknown" if found.seconds is None else f"{found.seconds / 60:.0f} minutes",
    }


def _ranges(bins: Iterable[Range]) -> str:
    return ", ".join(f"{low} to {high}" for low, high in dict.fromkeys(bins))
