"""What was measured for this release: the docs show it, and the guard compares with it."""

from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from lengthwise.bench.measure import Measured
from lengthwise.core.errors import InputError


class Group(BaseModel):
    """The rows of one group, how and where they were measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str
    machine: dict[str, Any]
    rows: list[Measured]


class BenchRecord(BaseModel):
    """Groups by the name that their rows carry; each may come from a run of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    groups: dict[str, Group] = {}

    @classmethod
    def stored(cls) -> Self:
        """Return the record that comes with the library."""
        file = resources.files("lengthwise.bench").joinpath("measured.json")
        return cls.model_validate_json(file.read_text())

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the record in a file, or an empty one where there is none."""
        if not path.exists():
            return cls()
        try:
            return cls.model_validate_json(path.read_bytes())
        except ValidationError as error:
            raise InputError(
                f"--save {path}: it exists and is not a record of this benchmark, so it is not "
                "overwritten; name another file."
            ) from error

    def having(self, rows: Iterable[Measured], command: str, machine: dict[str, Any]) -> Self:
        """Return the record with the groups of these rows put in place of what it had of them."""
        new: dict[str, list[Measured]] = {}
        for row in rows:
            new.setdefault(row.group, []).append(_rounded(row))
        groups = {
            name: Group(command=command, machine=machine, rows=found) for name, found in new.items()
        }
        return self.model_copy(update={"groups": {**self.groups, **groups}})

    def to_json(self) -> Any:
        """Return plain values, without what is absent."""
        return self.model_dump(mode="json", exclude_none=True)

    def rows(self) -> list[Measured]:
        """Return the rows of all groups."""
        return [row for group in self.groups.values() for row in group.rows]


def _rounded(row: Measured) -> Measured:
    numbers = {
        name: float(f"{value:.4g}")
        for name, value in row.model_dump().items()
        if isinstance(value, float)
    }
    return row.model_copy(update=numbers)
