"""The settings that are tried for a problem at the sizes a laptop can do, in order."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lengthwise.core.errors import unknown
from lengthwise.records.recipes import fits, recipes
from lengthwise.records.spec import Range, RunSpec
from lengthwise.studies.evidence import StudyEvidence, StudyRun
from lengthwise.studies.study import Planned
from lengthwise.studies.tuning import Attempt, Problem

TRAINED = {"smoke": 8, "laptop": 20}
"""Longest training length; tests go to two and three times that."""
INSTANCES = {"smoke": 20, "laptop": 500}
SEEDS = {"smoke": 1, "laptop": 3}
_SMALL: dict[str, Any] = {"rate": 1e-3, "warmup": 100, "evaluate_every": 625}
STRONG_DECAY = 1.0
"""In a few thousand steps the usual 0.01 hardly changes a weight. This one is meant to shrink
position vectors that a language has no use for; it helps D_12 and hurts D_3, so it comes late."""
LADDERS: dict[str, tuple[Attempt, ...]] = {
    "smoke": (Attempt(layers=1, heads=1, width=16, rate=1e-3, steps=10, evaluate_every=10),),
    "laptop": (
        Attempt(layers=1, heads=2, width=64, steps=2500, **_SMALL),
        Attempt(layers=2, heads=2, width=64, steps=2500, **_SMALL),
        Attempt(layers=1, heads=2, width=64, steps=2500, weight_decay=STRONG_DECAY, **_SMALL),
        Attempt(layers=1, heads=4, width=128, steps=3000, last_resort=True, **_SMALL),
    ),
}


def thirds(trained: int) -> tuple[Range, Range]:
    """Return the test lengths: to twice, and from twice to three times the training length.

    Example:
        >>> thirds(10)
        ((11, 20), (21, 30))
    """
    return (trained + 1, 2 * trained), (2 * trained + 1, 3 * trained)


def small_problem(
    task: str,
    encoding: str,
    size: str,
    *,
    group: str,
    trained: int | None = None,
    attempts: tuple[Attempt, ...] | None = None,
) -> Problem:
    """Return a problem at smoke or laptop size, with the size's own settings unless given."""
    if size not in LADDERS:
        raise unknown("size", size, LADDERS)
    longest = trained or TRAINED[size]
    return Problem(
        group=group,
        task=task,
        encoding=encoding,
        trained=(1, longest),
        tests=thirds(longest),
        instances=INSTANCES[size],
        attempts=attempts or LADDERS[size],
        seeds=SEEDS[size],
    )


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

    def ladder(self, seed: int) -> list[RunSpec]:
        """Return the runs of one seed, in the order in which they are tried."""
        return recipes().specs(
            task=self.task,
            position=self.encoding,
            seed=seed,
            style=self.style,
            training={"length": self.trained, "offsets": self.offsets},
            evaluation={"lengths": self.tests, "instances": self.instances},
        )

    def runs(self, evidence: StudyEvidence) -> list[Planned]:
        """Return the runs so far and, for each seed that does not fit yet, the next one."""
        return [
            Planned(self.group, spec)
            for seed in range(self.seeds)
            for spec in self._tried(seed, evidence)
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
            if record is None or fits(record.bins):
                break
        return tried

    def _made(self, evidence: StudyEvidence) -> dict[str, StudyRun]:
        return {record.spec.id: record for record in evidence.find(self.group)}
