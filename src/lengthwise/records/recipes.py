"""How studies train: one table of settings, chosen beforehand and known by its hash.

The table is ``recipes.toml``. It was made by a search on problems and seeds that no study uses
(`docs/log.md`); what it says may depend on the kind of position encoding and on nothing else about
a problem. Rungs are tried in order until one fits the training lengths, so that size and number of
steps follow from the fit in distribution alone.
"""

import hashlib
import json
import tomllib
from functools import cache
from importlib import resources
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.positions import POSITIONS
from lengthwise.positions.base import PositionEncoding
from lengthwise.records.spec import TrainingConfig, first_problem

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
    table_spread: float | None = Field(default=None, gt=0)
    """Initial spread of a learned position table, where it is not the encoding's own."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        ModelConfig(**self.model)
        TrainingConfig(**self.training)
        return self

    def position(self, text: str) -> str:
        """Return an encoding with this rung's table; one without a table stays as it is.

        Example:
            >>> Rung(table_spread=0.002).position("ape"), Rung(table_spread=0.002).position("nope")
            ('ape:std=0.002', 'nope')
        """
        found = Component.parse(text, POSITIONS)
        if self.table_spread is None or found.name != "ape" or "std" in found.options:
            return text
        return f"{text}{',' if ':' in text else ':'}std={self.table_spread:g}"


class RecipeBook(BaseModel):
    """The rungs for encodings with absolute positions, and for all others.

    Example:
        >>> book = RecipeBook(edition=1, note="", absolute=(Rung(),), other=(Rung(),))
        >>> len(book.rungs("nope")), len(book.digest)
        (1, 12)
    """

    model_config = _PLAIN

    edition: int = Field(ge=1)
    note: str
    absolute: tuple[Rung, ...] = Field(min_length=1)
    other: tuple[Rung, ...] = Field(min_length=1)

    @property
    def digest(self) -> str:
        """The hash of everything that can change a run."""
        text = json.dumps(self.model_dump(exclude={"note"}), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def rungs(self, position: str) -> tuple[Rung, ...]:
        """Return the settings to try, in order, for an encoding by its name."""
        encoding = Component.parse(position, POSITIONS).build(POSITIONS, PositionEncoding)
        return self.absolute if encoding.absolute else self.other


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
