"""Try settings for one problem in order until one is good enough, then choose among them.

This is the procedure of Huang et al. (2024): a sweep from simple to large that ends as soon as a
setting is right in distribution and on the next longer lengths; among those that fit the training
lengths the one with the best next bin is chosen, ties go to the simplest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lengthwise.records.outcomes import FITTED
from lengthwise.records.selection import configuration, merit, simplicity
from lengthwise.records.spec import EvaluationConfig, Range, RunSpec, TrainingConfig
from lengthwise.studies.evidence import StudyEvidence, StudyRun, merged
from lengthwise.studies.study import Planned


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A model's shape and how it is trained."""

    layers: int
    heads: int
    width: int
    rate: float
    steps: int
    warmup: int = 0
    batch: int = 64
    weight_decay: float = 0.01
    schedule: str = "linear"
    decayed: str = "all"
    dropout: float = 0.0
    evaluate_every: int = 1000
    stop_when_perfect: bool = False
    last_resort: bool = False
    """Tried only where nothing before it fitted the training lengths."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One task with one encoding, its lengths, and the attempts in the order they are made."""

    group: str
    task: str
    encoding: str
    trained: Range
    tests: tuple[Range, ...]
    instances: int
    attempts: tuple[Attempt, ...]
    enough: tuple[float, float] = (FITTED, FITTED)
    """In-distribution and next-bin exact match at which no further attempt is made."""
    regularize: float = 0.0

    def spec(self, attempt: Attempt, seed: int = 0) -> RunSpec:
        """Return the run of one attempt."""
        return RunSpec.create(
            task=self.task,
            position=self.encoding,
            model={
                "layers": attempt.layers,
                "heads": attempt.heads,
                "width": attempt.width,
                **({"dropout": attempt.dropout} if attempt.dropout else {}),
            },
            training=TrainingConfig.model_validate(
                {
                    "length": self.trained,
                    "steps": attempt.steps,
                    "batch": attempt.batch,
                    "learning_rate": attempt.rate,
                    "weight_decay": attempt.weight_decay,
                    "schedule": attempt.schedule,
                    "decayed": attempt.decayed,
                    "warmup": attempt.warmup,
                    "evaluate_every": attempt.evaluate_every,
                    "stop_when_perfect": attempt.stop_when_perfect,
                    "regularize": self.regularize,
                }
            ).model_dump(),
            evaluation=EvaluationConfig(lengths=self.tests, instances=self.instances).model_dump(),
            seed=seed,
        )

    def sweep(self, evidence: StudyEvidence) -> list[Planned]:
        """Return the attempts to make, up to the first that is not made yet or is enough.

        Seeds of one setting count together: a setting that was enough once and then falls short
        with other seeds is followed by the next one.
        """
        made = {configuration(r.spec).id: r for r in settings(evidence.find(self.group))}
        planned: list[Planned] = []
        fitted = False
        for attempt in self.attempts:
            if attempt.last_resort and fitted:
                continue
            spec = self.spec(attempt)
            planned.append(Planned(self.group, spec))
            record = made.get(configuration(spec).id)
            if record is None or self._enough(record):
                break
            fitted = fitted or record.accuracies[0] >= self.enough[0]
        return planned

    def attempt(self, record: StudyRun) -> Attempt:
        """Return the attempt a record belongs to."""
        return next(
            a for a in self.attempts if configuration(self.spec(a)) == configuration(record.spec)
        )

    def _enough(self, record: StudyRun) -> bool:
        return all(
            reached >= wanted
            for reached, wanted in zip(record.accuracies, self.enough, strict=False)
        )

    def finished(self, evidence: StudyEvidence) -> bool:
        """Whether the sweep has ended."""
        made = {record.spec.id for record in evidence.find(self.group)}
        return all(planned.spec.id in made for planned in self.sweep(evidence))


def settings(records: Sequence[StudyRun]) -> list[StudyRun]:
    """Return one record for every setting, the counts of its seeds added up."""
    groups: dict[str, list[StudyRun]] = {}
    for record in records:
        groups.setdefault(configuration(record.spec).id, []).append(record)
    return [merged(members) for members in groups.values()]


def chosen(records: Sequence[StudyRun]) -> StudyRun:
    """Choose among the attempts at one problem; seeds of one setting count together."""

    def key(record: StudyRun) -> tuple[float, ...]:
        fitted = record.accuracies[0] >= FITTED
        return merit(record.accuracies, simplicity(record.spec), fitted=fitted)

    return max(settings(records), key=key)
