"""How studies train: one table of settings, chosen beforehand and known by its hash.

The table is ``recipes.toml``. It was chosen on problems and seeds that no study uses
(`docs/log.md`), and it is the same for every task and every encoding. Rungs are tried in order
until one fits the training lengths, so that size and number of steps follow from the fit in
distribution alone.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.outcomes import FITTED
from lengthwise.records.result import RunResult
from lengthwise.records.selection import Execute
from lengthwise.records.spec import RunSpec, TrainingConfig, first_problem

_PLAIN = ConfigDict(frozen=True, extra="forbid")


class Rung(BaseModel):
    """One setting: fields of `ModelConfig` and of `TrainingConfig` that are not the default.

    Example:
        >>> Rung(model={"layers": 1}, training={"steps": 500}).training["steps"]
        500
    """

    model_config = _PLAIN

    model: dict[str, Any] = {}
    training: dict[str, Any] = {}

    @model_validator(mode="after")
    def _known(self) -> Self:
        ModelConfig(**self.model)
        TrainingConfig(**self.training)
        return self

    def spec(
        self,
        *,
        style: Mapping[str, Any] = MappingProxyType({}),
        model: Mapping[str, Any] = MappingProxyType({}),
        training: Mapping[str, Any] = MappingProxyType({}),
        **fields: Any,
    ) -> RunSpec:
        """Return the run with these settings: ``style`` yields to them, the others overrule them.

        Example:
            >>> spec = Rung(model={"layers": 3}, training={"steps": 500}).spec(
            ...     task="parity", position="nope", style={"layers": 1}, training={"batch": 8}
            ... )
            >>> spec.model.layers, spec.training.steps, spec.training.batch
            (3, 500, 8)
        """
        return RunSpec.create(
            model={**style, **self.model, **model},
            training={**self.training, **training},
            **fields,
        )


class RecipeBook(BaseModel):
    """The rungs, from simple to large.

    Example:
        >>> book = RecipeBook(edition=1, note="", rungs=(Rung(),))
        >>> len(book.rungs), len(book.digest)
        (1, 12)
    """

    model_config = _PLAIN

    edition: int = Field(ge=1)
    note: str
    rungs: tuple[Rung, ...] = Field(min_length=1)

    @property
    def digest(self) -> str:
        """The hash of everything that can change a run."""
        text = json.dumps(self.model_dump(exclude={"note"}), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def specs(self, **fields: Any) -> list[RunSpec]:
        """Return the runs to try, in order, each with the name of its rung (`Rung.spec`).

        Example:
            >>> book = RecipeBook(edition=3, note="", rungs=(Rung(), Rung()))
            >>> [spec.recipe[:10] for spec in book.specs(task="parity", position="nope")]
            ['3, rung 1 ', '3, rung 2 ']
        """
        return [
            rung.spec(recipe=self._name(number), **fields)
            for number, rung in enumerate(self.rungs, start=1)
        ]

    def _name(self, number: int) -> str:
        return f"{self.edition}, rung {number} ({self.digest})"


def climb(ladders: Sequence[Sequence[RunSpec]], execute: Execute) -> list[RunResult]:
    """Execute the runs of every ladder in turn until one fits; return the last of each.

    The first runs of all ladders are executed together, then the second ones of those that need it.
    """
    last: dict[int, RunResult] = {}
    for height in range(max(map(len, ladders), default=0)):
        going = [
            number
            for number, ladder in enumerate(ladders)
            if height < len(ladder) and not (number in last and fits(last[number].bins))
        ]
        found = execute([ladders[number][height] for number in going])
        last |= dict(zip(going, found, strict=True))
    return [last[number] for number in range(len(ladders))]


def fits(bins: Sequence[AccuracyByLength]) -> bool:
    """Whether a run ended right on its training lengths, which are its first bin."""
    return bins[0].accuracy >= FITTED


@cache
def recipes() -> RecipeBook:
    """Return the table that comes with the library."""
    text = resources.files("lengthwise.records").joinpath("recipes.toml").read_text()
    return read_recipes(text, "recipes.toml")


def read_recipes(text: str, name: str) -> RecipeBook:
    """Read a table; a mistake is named by its place."""
    try:
        return RecipeBook.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: {error}.") from None
    except ValidationError as error:
        raise InputError(f"{name}: {first_problem(error)}") from None
