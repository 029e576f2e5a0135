"""Train a cell by the recipe: every seed climbs the rungs until one fits its training lengths.

    seed 0   rung 1 fits
    seed 1   rung 1 does not, rung 2 does      the run that counts is the one that fitted
    seed 2   rung 1 and 2 do not, rung 3 ...   or the last, which then confirms nothing

Size and steps follow from the fit in distribution alone; nobody looks at longer lengths.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.records.intervals import wilson
from lengthwise.records.outcomes import agreement, agreement_sentence
from lengthwise.records.recipes import Rung, recipes
from lengthwise.records.spec import Metric, Range, RunSpec
from lengthwise.studies.board import BoardCell
from lengthwise.studies.evidence import Cell, StudyEvidence, StudyRun
from lengthwise.studies.frozen_file import Frozen
from lengthwise.studies.study import ClaimOutcome, Planned, inconclusive, not_run, outcome


def thirds(trained: int) -> tuple[Range, Range]:
    """Return the test lengths: to twice, and from twice to three times the training length.

    Example:
        >>> thirds(10)
        ((11, 20), (21, 30))
    """
    return (trained + 1, 2 * trained), (2 * trained + 1, 3 * trained)


SMOKE = Rung(
    model={"layers": 1, "heads": 1, "width": 16},
    training={"steps": 10, "evaluate_every": 10, "stop_when_perfect": False},
)
"""What a smoke size trains: it exercises the machinery and decides nothing."""


@dataclass(frozen=True, kw_only=True)
class Climb:
    """A problem trained by the recipes: for every seed rung after rung until one fits.

    ``runs`` is what a study plans, asked again as evidence comes in; seeds do not wait for each
    other, and nothing but the fit of the training lengths decides about a further rung.
    """

    group: str
    task: str
    encoding: str
    trained: Range
    tests: tuple[Range, ...]
    instances: int = 500
    seeds: int = 5
    style: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the model that belong to the problem and not to the recipe."""
    offsets: bool = True
    training: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the training that belong to the question, as the regulariser's weight."""
    metric: Metric = "exact"
    rungs: int | None = None
    """How many rungs are climbed; all of them if nothing is said."""
    smoke: bool = False

    def ladder(self, seed: int) -> list[RunSpec]:
        """Return the runs of one seed, in the order in which they are tried."""
        fields: dict[str, Any] = {
            "task": self.task,
            "position": self.encoding,
            "seed": seed,
            "style": self.style,
            "training": {**self.training, "length": self.trained, "offsets": self.offsets},
            "evaluation": {
                "lengths": self.tests,
                "instances": self.instances,
                "metric": self.metric,
            },
        }
        return [SMOKE.spec(**fields)] if self.smoke else recipes().specs(**fields)[: self.rungs]

    def runs(self, evidence: StudyEvidence) -> list[Planned]:
        """Return the runs so far and, for each seed that does not fit yet, the next one."""
        return [
            Planned(self.group, spec, rung)
            for seed in range(self.seeds)
            for rung, spec in enumerate(self._tried(seed, evidence))
        ]

    def reached(self, evidence: StudyEvidence) -> list[StudyRun]:
        """Return the last run of every seed that needs no further one."""
        made = self._made(evidence)
        ends = [made.get(self._tried(seed, evidence)[-1].id) for seed in range(self.seeds)]
        return [record for record in ends if record is not None]

    def finished(self, evidence: StudyEvidence) -> bool:
        """Whether every seed has fitted or has no rung left."""
        return len(self.reached(evidence)) == self.seeds

    def _tried(self, seed: int, evidence: StudyEvidence) -> list[RunSpec]:
        made, tried = self._made(evidence), []
        for spec in self.ladder(seed):
            tried.append(spec)
            record = made.get(spec.id)
            if record is None or record.fitted:
                break
        return tried

    def _made(self, evidence: StudyEvidence) -> dict[str, StudyRun]:
        return {record.spec.id: record for record in evidence.find(self.group)}


@dataclass(frozen=True)
class ClimbingStudy:
    """Cells that climb the recipe, as a study plans them: from the settings of its frozen file."""

    file: Frozen
    cells: Callable[[str], Iterable[Climb]]

    def plan(self, size: str, evidence: StudyEvidence) -> list[Planned]:
        """Return the runs so far; the first cells come first, with all their seeds and rungs."""
        if size != "smoke":
            self.file.trained_by_recipe()
        return [run for cell in self.cells(size) for run in cell.runs(evidence)]

    def whole(self, evidence: StudyEvidence, group: str) -> Cell | None:
        """Return a cell whose seeds have all fitted, or have no rung left to climb."""
        found, about = evidence.cell(group), self.file.of_size(evidence.size)
        rungs = 1 if evidence.size == "smoke" else about.get("rungs") or len(recipes().rungs)
        if found is None or len(found.runs) < about["seeds"]:
            return None
        return found if all(run.fitted or run.rung + 1 >= rungs for run in found.runs) else None

    def expected(self, size: str) -> float | None:
        """Return the planned seconds of one core: so many for a seed."""
        about = self.file.of_size(size)
        if "seconds" not in about:
            return None
        return sum(cell.seeds for cell in self.cells(size)) * about["seconds"]


def climb(file: Frozen, size: str, longest: int | None = None, **cell: Any) -> Climb:
    """Return a cell with the settings of a size: lengths, instances, seeds and rungs."""
    about = file.of_size(size)
    longest = int(about["trained"]) if longest is None else longest
    return Climb(
        trained=(1, longest),
        tests=thirds(longest),
        instances=int(about["instances"]),
        seeds=int(about["seeds"]),
        rungs=about.get("rungs"),
        smoke=size == "smoke",
        **cell,
    )


def digest(rows: Sequence[dict[str, Any]]) -> str:
    """Return the hash of rows that a study was frozen with."""
    text = json.dumps(rows, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def frozen_rows(package: str, name: str, key: str, frozen: str, made_by: str) -> list[Any]:
    """Read the rows of a kept file; one that is not what was frozen is refused."""
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    found = json.loads(text)[key]
    if digest(found) != frozen:
        raise InputError(f"{name} is not what was frozen; see {made_by}.")
    return found


def share_as_predicted(
    made: Sequence[BoardCell], planned: int, least: float, name: Callable[[BoardCell], str]
) -> ClaimOutcome:
    """Claim that at least so many of the fitted cells are as predicted; mixed counts against."""
    if not made:
        return not_run()
    fitted = [cell for cell in made if cell.outcome != "not fitted"]
    right = sum(agreement(c.predicted, c.outcome) is True for c in fitted)
    ours = agreement_sentence([(c.predicted, c.outcome) for c in made])
    around = wilson(right, len(fitted))
    if len(made) < planned:
        return inconclusive(f"{len(made)} of {planned} cells run", ours, around)
    if 2 * len(fitted) < len(made):
        return inconclusive("fewer than half of the cells were fitted", ours, around)
    wrong = [name(cell) for cell in fitted if cell.agrees is not True]
    return outcome(right >= least * len(fitted), ours, around, ", ".join(wrong))
