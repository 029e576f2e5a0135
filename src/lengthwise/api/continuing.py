"""``train --from``: runs that go on from a finished one, on its task or another."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.records.options import gather, named_problem
from lengthwise.records.spec import (
    EvaluationConfig,
    RunSpec,
    Start,
    TrainingConfig,
    further_ranges,
)

CONFIGURATIONS = (ModelConfig, TrainingConfig, EvaluationConfig)


@dataclass(frozen=True)
class EarlierRun:
    """The run to go on from, in its store."""

    spec: RunSpec
    start: Start
    root: Path

    def specifications(
        self, tasks: Sequence[str], encodings: Sequence[str], seeds: range, settings: dict[str, Any]
    ) -> list[RunSpec]:
        """Return the runs; model and encoding are those of the run, settings unless given too."""
        from lengthwise.core.components import Component
        from lengthwise.subjects import as_task
        from lengthwise.tasks import TASKS

        given = gather(settings, *CONFIGURATIONS)
        self._check_model(encodings, given[ModelConfig])
        if not tasks:
            self.spec.task.check_trusted(False)
        named = [Component.parse(as_task(task), TASKS) for task in dict.fromkeys(tasks)]
        training, evaluation = self._settings(given)
        specs = [
            self.spec.model_copy(
                update={
                    "task": task,
                    "training": training,
                    "evaluation": evaluation,
                    "seed": seed,
                    "recipe": "",
                    "start": self.start,
                }
            )
            for task in named or [self.spec.task]
            for seed in seeds
        ]
        for spec in specs:
            self._check(RunSpec.read(spec.model_dump(mode="json")))
        return specs

    def _settings(
        self, given: dict[type, dict[str, Any]]
    ) -> tuple[TrainingConfig, EvaluationConfig]:
        """Return the run's settings with those given put in."""
        training, evaluation = given[TrainingConfig], dict(given[EvaluationConfig])
        try:
            trained = TrainingConfig(**{**dict(self.spec.training), **training})
            if "length" in training:
                evaluation.setdefault("lengths", further_ranges(trained.length))
            return trained, EvaluationConfig(**{**dict(self.spec.evaluation), **evaluation})
        except ValidationError as error:
            raise named_problem(error, *CONFIGURATIONS) from error

    def _check_model(self, encodings: Sequence[str], model: dict[str, Any]) -> None:
        """Refuse another model or encoding than the run has."""
        from lengthwise.core.components import Component
        from lengthwise.positions import POSITIONS

        own = self.spec.position
        for text in encodings:
            if text != "nope" and Component.parse(text, POSITIONS) != own:
                raise InputError(f"encoding {text}: the run to start from has {own}; leave it out.")
        if all(str(own) != text for text in encodings):
            own.check_trusted(False)
        for name, value in model.items():
            if getattr(self.spec.model, name) != value:
                raise InputError(
                    f"{name}={value}: the run to start from has {getattr(self.spec.model, name)}; "
                    "leave it out."
                )

    def _check(self, spec: RunSpec) -> None:
        """Build the model with its first weights, so that what does not fit shows at once."""
        from lengthwise.positions import POSITIONS
        from lengthwise.positions.base import PositionEncoding
        from lengthwise.runs.experiment import check
        from lengthwise.tasks import TASKS
        from lengthwise.tasks.base import Task
        from lengthwise.training.loop import build_model
        from lengthwise.training.start import begin

        check(spec)
        task, before = spec.task.build(TASKS, Task), self.spec.task.build(TASKS, Task)
        if task.vocabulary.symbols != before.vocabulary.symbols:
            raise InputError(
                f"task {task.name!r} has other symbols than {self.spec.task}, on which the run to "
                "start from was trained."
            )
        encoding = spec.position.build(POSITIONS, PositionEncoding)
        model = build_model(spec, task, encoding, task.max_tokens(spec.longest))
        begin(spec, model, self.root)


def read_continued(run: str, store: Path | None) -> EarlierRun:
    """Read the finished run that is named."""
    from lengthwise.records.record import load_result
    from lengthwise.runs.store import Store
    from lengthwise.training.start import weights_digest

    where = Store(store)
    record = where.find(run)
    if record.state != "done":
        raise InputError(
            f"--from {run}: run {record.id} is {record.state}; only a finished run can be gone on "
            "from (an unfinished one continues when its command is given again)."
        )
    result = load_result(record)
    before = 0 if result.spec.start is None else result.spec.start.steps
    start = Start(run=record.id, weights=weights_digest(record.folder), steps=before + result.steps)
    return EarlierRun(result.spec, start, where.root)
