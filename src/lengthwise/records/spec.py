"""Everything that determines a run, as validated plain data with a content hash."""

import hashlib
import json
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.positions import POSITIONS
from lengthwise.tasks import TASKS

Range = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class TrainingConfig(_Plain):
    """How a model is fitted."""

    length: Range = Field(
        default=(1, 50), description="lengths of training instances, both ends included"
    )
    steps: int = Field(default=3000, ge=1, description="most optimiser steps")
    batch: int = Field(default=64, ge=1, description="instances per step")
    learning_rate: float = Field(default=1e-3, gt=0, description="peak learning rate of AdamW")
    weight_decay: float = Field(default=0.01, ge=0, description="weight decay of AdamW")
    clip: float = Field(
        default=1.0, ge=0, description="largest gradient norm; 0 turns clipping off"
    )
    schedule: Literal["linear", "cosine", "constant"] = Field(
        default="linear", description="after warm-up"
    )
    warmup: int = Field(default=0, ge=0, description="steps of linear warm-up")
    evaluate_every: int = Field(default=500, ge=1, description="steps between evaluations")
    stop_when_perfect: bool = Field(
        default=True, description="stop at the first evaluation that is perfect in distribution"
    )
    offsets: bool = Field(
        default=True, description="random position offsets for absolute encodings"
    )
    regularize: float = Field(
        default=0.0, ge=0, description="weight of the penalty on attention between positions"
    )
    precision: Literal["float32", "bfloat16"] = Field(
        default="float32", description="bfloat16 runs forward and backward under autocast"
    )
    compiled: bool = Field(default=False, description="compile the model with torch.compile")


class EvaluationConfig(_Plain):
    """On what a model is measured; the training range itself is always the first bin."""

    lengths: tuple[Range, ...] = Field(
        default=((51, 100), (101, 150)), description="bins of test lengths"
    )
    instances: int = Field(default=2000, ge=1, description="test instances per bin")


class RunSpec(_Plain):
    """One training run: task, encoding, model, training, evaluation and seed.

    Example:
        >>> spec = RunSpec.create(task="parity", position="nope", seed=1)
        >>> spec.id == RunSpec.create(task="parity", position="nope", seed=1).id
        True
    """

    format: Literal[1] = 1
    task: Component
    position: Component
    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    seed: int = Field(default=0, ge=0, lt=2**63)

    @model_validator(mode="after")
    def _ranges(self) -> Self:
        for name, (low, high) in [
            ("training length", self.training.length),
            *(("test length", bin_) for bin_ in self.evaluation.lengths),
        ]:
            if high < low:
                raise ValueError(f"{name} {low}:{high} is reversed; use low:high with low <= high")
        return self

    @classmethod
    def create(cls, *, task: str, position: str, **fields: Any) -> Self:
        """Build a specification from names as typed on the command line."""

        return cls.read(
            {
                "task": Component.parse(task, TASKS).model_dump(),
                "position": Component.parse(position, POSITIONS).model_dump(),
                **fields,
            }
        )

    @classmethod
    def read(cls, data: Any) -> Self:
        """Validate plain data; a mistake is named by its path."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise InputError(f"specification: {first_problem(error)}") from error

    @property
    def id(self) -> str:
        """Identify the run by the hash of its canonical JSON."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def bins(self) -> tuple[Range, ...]:
        """The training range, then the test ranges."""
        return (self.training.length, *self.evaluation.lengths)

    @property
    def longest(self) -> int:
        """The largest length in any bin."""
        return max(high for _, high in self.bins)


def first_problem(error: ValidationError) -> str:
    """Say the first validation problem in one line, with the path of the field."""
    problem = error.errors()[0]
    path = ".".join(str(part) for part in problem["loc"])
    message = problem["msg"].removeprefix("Value error, ")
    given = problem.get("input")
    shown = f" (got {given!r})" if isinstance(given, str | int | float | bool) else ""
    return f"{path + ': ' if path else ''}{message}{shown}."
