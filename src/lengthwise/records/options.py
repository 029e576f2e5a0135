"""Configurations as options: every field has one name, on the command line and in Python.

``TrainingConfig.steps`` is ``--steps`` and ``lw.train(..., steps=...)``; a field whose plain name
would be ambiguous says its option in ``json_schema_extra`` (``training.length`` is
``--train-length``). What the field means, its type, default and bounds stand in the field alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from lengthwise.core.errors import InputError, unknown
from lengthwise.records.spec import Range, read_range


@dataclass(frozen=True)
class Option:
    """One field of a configuration, as users name it."""

    name: str
    owner: type[BaseModel]
    field: str
    info: FieldInfo

    @property
    def is_range(self) -> bool:
        """Whether it is typed as ``low:high``."""
        return self.info.annotation == Range

    @property
    def is_ranges(self) -> bool:
        """Whether it is several ranges."""
        return self.info.annotation == tuple[Range, ...]

    @property
    def flag(self) -> str:
        """The option as typed in a shell."""
        return "--" + self.name.replace("_", "-")

    def read(self, value: Any) -> Any:
        """Read ranges typed as text; everything else is validated by the configuration."""
        if self.is_range and isinstance(value, str):
            return read_range(value, self.flag)
        if not self.is_ranges:
            return value
        several = (value,) if isinstance(value, str) else tuple(value)
        if several == ("none",):
            return ()
        return tuple(read_range(v, self.flag) if isinstance(v, str) else v for v in several)

    def write(self, value: Any) -> list[str]:
        """Return the words of a command line that set it."""
        if self.is_range:
            return [self.flag, "{}:{}".format(*value)]
        if self.is_ranges:
            typed = [f"{low}:{high}" for low, high in value] or ["none"]
            return [word for text in typed for word in (self.flag, text)]
        if isinstance(value, bool):
            return [self.flag if value else "--no-" + self.flag.removeprefix("--")]
        return [self.flag, str(value)]


def options(*owners: type[BaseModel]) -> dict[str, Option]:
    """Return the options of some configurations by name.

    Example:
        >>> from lengthwise.records.spec import TrainingConfig
        >>> options(TrainingConfig)["train_length"].field
        'length'
    """
    listed: dict[str, Option] = {}
    for owner in owners:
        for field, info in owner.model_fields.items():
            extra = info.json_schema_extra
            name = str(extra["option"]) if isinstance(extra, dict) and "option" in extra else field
            assert name not in listed, f"two fields are called {name}"
            listed[name] = Option(name, owner, field, info)
    return listed


def gather(
    given: Mapping[str, Any], *owners: type[BaseModel]
) -> dict[type[BaseModel], dict[str, Any]]:
    """Sort given values by the configuration they belong to; None means not given."""
    listed = options(*owners)
    values: dict[type[BaseModel], dict[str, Any]] = {owner: {} for owner in owners}
    for name, value in given.items():
        if name not in listed:
            raise unknown("option", name, listed)
        if value is not None:
            option = listed[name]
            values[option.owner][option.field] = option.read(value)
    return values


def named_problem(error: ValidationError, *owners: type[BaseModel]) -> InputError:
    """Say the first problem of a validation in one line, by the name that users gave."""
    problem = error.errors()[0]
    flags = {option.field: option.flag for option in options(*owners).values()}
    where = flags.get(str(problem["loc"][0]), "") if problem["loc"] else ""
    message = problem["msg"].removeprefix("Value error, ")
    given = problem.get("input")
    shown = f" {given}" if where and isinstance(given, str | int | float | bool) else ""
    return InputError(f"{where}{shown}{': ' if where else ''}{message}.")
