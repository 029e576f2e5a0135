"""Everything that determines a run, as validated plain data with a content hash."""

import hashlib
import json
import math
import os
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, Field, ValidationError, model_validator

from lengthwise.core.bounds import BATCH, INSTANCES, LONGEST, STEPS
from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.core.plain import Plain
from lengthwise.models.config import ModelConfig
from lengthwise.positions import POSITIONS
from lengthwise.tasks import TASKS

_Length = Annotated[int, Field(ge=0, le=LONGEST)]
Range = tuple[_Length, _Length]


M = TypeVar("M", bound=BaseModel)
Metric = Literal["exact", "answer", "likelihood"]


def read_range(text: str, option: str) -> tuple[int, int]:
    """Read ``low:high``, both ends included; one number alone could mean two things.

    Example:
        >>> read_range("1:50", "--train-length")
        (1, 50)
    """
    low, colon, high = text.partition(":")
    if not colon and low.strip().isdecimal():
        raise InputError(f"{option} {text!r}: write 1:{low} for up to {low}, or {low}:{low}.")
    try:
        first, last = int(low), int(high)
    except ValueError:
        raise InputError(f"{option} {text!r}: use low:high with whole numbers, as 1:50.") from None
    if first < 0 or last < first:
        raise InputError(f"{option} {text!r}: the range is empty; use low:high with low <= high.")
    return first, last


def further_ranges(trained: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Return the default test bins: up to two and up to three times the training length."""
    top = trained[1]
    return (top + 1, 2 * top), (2 * top + 1, 3 * top)


SETTLE_LEAST = 500
"""Steps that a run goes on at least after its first fit, if it settles."""


class TrainingConfig(Plain):
    """How a model is fitted."""

    length: Range = Field(
        default=(1, 50),
        description="lengths of training instances, low:high, both ends included",
        json_schema_extra={"option": "train_length"},
    )
    steps: int = Field(
        default=3000,
        ge=1,
        le=STEPS,
        description="most optimiser steps; with settle, most to the first fit",
    )
    batch: int = Field(default=64, ge=1, le=BATCH, description="instances per step")
    learning_rate: float = Field(default=1e-3, gt=0, description="peak learning rate")
    weight_decay: float = Field(default=0.01, ge=0, description="weight decay")
    clip: float = Field(
        default=1.0, ge=0, description="largest gradient norm; 0 turns clipping off"
    )
    schedule: Literal["linear", "cosine", "constant"] = Field(
        default="linear", description="learning rate after warm-up"
    )
    warmup: int = Field(default=0, ge=0, le=STEPS, description="steps of linear warm-up")
    evaluate_every: int = Field(
        default=500, ge=1, le=STEPS, description="steps between evaluations"
    )
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
        default="float32", description="with bfloat16, forward and backward run under autocast"
    )
    compiled: bool = Field(default=False, description="compile the model with torch.compile")
    settle: float = Field(
        default=0.0,
        ge=0,
        description="instead of stop_when_perfect: after the first fit in distribution at step s, "
        "go on to settle*s steps while the rate falls to zero; 0 turns it off",
    )
    beta2: float = Field(
        default=0.999, gt=0, lt=1, description="how long AdamW remembers squared gradients"
    )
    beta1: float = Field(default=0.9, ge=0, lt=1, description="how long AdamW remembers gradients")
    keep: Literal["last", "best"] = Field(
        default="last",
        description="which weights and accuracies are kept: the last ones, or those of the "
        "evaluation that was best in distribution, the earliest of equals",
    )
    curriculum: int = Field(
        default=0,
        ge=0,
        le=STEPS,
        description="steps in which training goes from short to all lengths",
    )

    optimizer: Literal["adamw", "muon"] = Field(
        default="adamw", description="with muon, Muon for the matrices of the blocks"
    )
    decayed: Literal["all", "weights", "matrices"] = Field(
        default="all",
        description="what weight decay shrinks: everything, all but norms and biases, or the "
        "matrices of the blocks alone",
    )

    later: ClassVar[frozenset[str]] = frozenset(
        {"settle", "beta1", "beta2", "keep", "curriculum", "optimizer", "decayed"}
    )

    def settled(self, fitted: int) -> int:
        """Return the last step of a run that fitted its training lengths at step ``fitted``.

        Example:
            >>> TrainingConfig(settle=4).settled(100), TrainingConfig(settle=4).settled(1000)
            (600, 4000)
        """
        return max(math.ceil(self.settle * fitted), fitted + SETTLE_LEAST)

    @property
    def most(self) -> int:
        """The most steps that a run can take."""
        return self.settled(self.steps) if self.settle else self.steps


class EvaluationConfig(Plain):
    """On what a model is measured; the training range itself is always the first bin."""

    lengths: tuple[Range, ...] = Field(
        default=((51, 100), (101, 150)),
        description="lengths to test on, low:high; several ranges are possible, none for no "
        "test. By default up to two and three times the longest training length",
        json_schema_extra={"option": "test_length"},
    )
    instances: int = Field(default=2000, ge=1, le=INSTANCES, description="test instances per bin")
    metric: Metric = Field(
        default="exact",
        description="exact: the whole output is right; answer: the output is generated and the "
        "answer in it is right by the task's rule, as for scratchpads; likelihood: every right "
        "symbol is the likeliest among those that the task asks for",
    )

    later: ClassVar[frozenset[str]] = frozenset({"metric"})


class Start(Plain):
    """The finished run of the same store whose weights a run begins with."""

    run: str
    weights: str
    """The digest of its weights."""
    steps: int = Field(ge=0)
    """Steps before this run; its batches come behind theirs, so that none is seen twice."""


class RunSpec(Plain):
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
    recipe: str = Field(default="", max_length=80)
    """The edition and rung of the recipes that the settings were taken from, if they were."""

    start: Start | None = None

    later: ClassVar[frozenset[str]] = frozenset({"recipe", "start"})

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
        return read_strictly(cls, data, "specification: ")

    @property
    def id(self) -> str:
        """Identify the run by the hash of its canonical JSON."""
        return content_id(self.model_dump(mode="json"))

    @property
    def bins(self) -> tuple[Range, ...]:
        """The training range, then the test ranges."""
        return (self.training.length, *self.evaluation.lengths)

    @property
    def longest(self) -> int:
        """The largest length in any bin."""
        return max(high for _, high in self.bins)


def content_id(data: Any) -> str:
    """Return the id of a specification as plain data: the hash of its canonical JSON."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def read_strictly(kind: type[M], data: Any, where: str) -> M:
    """Validate plain data with its types exactly: no truth for 1, no text for a number.

    Example:
        >>> read_strictly(TrainingConfig, {"steps": "1"}, "")
        Traceback (most recent call last):
        lengthwise.core.errors.InputError: steps: Input should be a valid integer (got '1').
    """
    try:
        return kind.model_validate_json(json.dumps(data, default=_plain), strict=True)
    except ValidationError as error:
        raise InputError(f"{where}{first_problem(error)}") from None
    except (TypeError, ValueError, RecursionError) as error:  # keys that are no text, deep data
        raise InputError(f"{where}not plain data ({error}).") from None


def _plain(value: Any) -> Any:
    """Return a configuration, a number of numpy or a path as JSON has it; a date is refused."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, set | frozenset) or not hasattr(value, "item"):
        raise TypeError(f"{value!r} is of type {type(value).__name__}")
    return value.item()


def first_problem(error: ValidationError) -> str:
    """Say the first validation problem in one line, with the path of the field."""
    problem = error.errors()[0]
    path = ".".join(str(part) for part in problem["loc"])
    message = problem["msg"].removeprefix("Value error, ")
    message = "is missing" if problem["type"] == "missing" else message
    given = problem.get("input")
    shown = f" (got {given!r})" if isinstance(given, str | int | float | bool) else ""
    return f"{path + ': ' if path else ''}{message}{shown}."
