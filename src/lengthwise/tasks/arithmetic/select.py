"""Select the first, middle or last of some digits."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from lengthwise.relations.select_circuits import SelectCircuit
from lengthwise.tasks.arithmetic.base import CircuitTask


@dataclass(frozen=True, kw_only=True)
class _Select(CircuitTask):
    """One output behind ``=``; ``begin`` puts ``<`` in front."""

    begin: bool = False

    which: ClassVar[Literal["first", "middle", "last"]]

    @property
    def circuit(self) -> SelectCircuit:
        """The circuit family: one gate for each scale."""
        return SelectCircuit(self.which, self.begin)


@dataclass(frozen=True, kw_only=True)
class SelectFirst(_Select):
    """``3 1 4 1 5 = 3``."""

    name: ClassVar[str] = "select-first"
    summary: ClassVar[str] = "the first of some digits"
    which: ClassVar[Literal["first", "middle", "last"]] = "first"


@dataclass(frozen=True, kw_only=True)
class SelectMiddle(_Select):
    """``3 1 4 1 5 = 4``; the left one of two middle digits."""

    name: ClassVar[str] = "select-middle"
    summary: ClassVar[str] = "the middle one of some digits"
    which: ClassVar[Literal["first", "middle", "last"]] = "middle"


@dataclass(frozen=True, kw_only=True)
class SelectLast(_Select):
    """``3 1 4 1 5 = 5``."""

    name: ClassVar[str] = "select-last"
    summary: ClassVar[str] = "the last of some digits"
    which: ClassVar[Literal["first", "middle", "last"]] = "last"
