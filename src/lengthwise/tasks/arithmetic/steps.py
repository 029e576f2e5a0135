"""Copy, Shift, Parity, Addition, Multiplication and Division, one token at a time."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

from lengthwise.core.errors import InputError
from lengthwise.relations.library import step_circuit
from lengthwise.relations.step_circuits import StepCircuit
from lengthwise.tasks.arithmetic.base import CircuitTask

Layout = Literal["aligned", "zero", "unaligned"]


@lru_cache(maxsize=256)
def _circuit(name: str, layout: Layout, reference: int) -> StepCircuit:
    return step_circuit(name, layout=layout, reference=reference)


@dataclass(frozen=True, kw_only=True)
class StepTask(CircuitTask):
    """A step-by-step task in one of three layouts.

    ``aligned`` pads operands with ``_`` to two more than ``reference`` symbols, ``zero`` fills them
    with zeros to ``reference`` and writes every output, ``unaligned`` uses natural lengths.
    """

    layout: Layout = "aligned"
    reference: int = 20

    circuit_name: ClassVar[str]

    def __post_init__(self) -> None:
        if self.reference < 1:
            raise InputError(f"task {self.name!r}: reference={self.reference} must be >= 1.")

    @property
    def circuit(self) -> StepCircuit:
        """The circuit family in the chosen layout."""
        return _circuit(self.circuit_name, self.layout, self.reference)

    @property
    def longest(self) -> int | None:
        """Only the unaligned layout has room for any scale."""
        return None if self.layout == "unaligned" else self.reference


@dataclass(frozen=True, kw_only=True)
class CopySteps(StepTask):
    """``< 3 1 4 = 3 1 4 >``."""

    name: ClassVar[str] = "copy-steps"
    summary: ClassVar[str] = "copy digits, aligned or not"
    circuit_name: ClassVar[str] = "copy"


@dataclass(frozen=True, kw_only=True)
class ShiftSteps(StepTask):
    """``< 3 1 4 = 1 4 3 >``: cyclic left shift by one; ``drop_first`` forgets the first digit."""

    drop_first: bool = False

    name: ClassVar[str] = "shift-steps"
    summary: ClassVar[str] = "shift digits to the left by one"

    circuit_name: ClassVar[str] = "shift"

    @property
    def circuit(self) -> StepCircuit:
        """The cyclic or the dropping shift."""
        name = "shift-drop-first" if self.drop_first else self.circuit_name
        return _circuit(name, self.layout, self.reference)


@dataclass(frozen=True, kw_only=True)
class ParitySteps(StepTask):
    """``< 1 0 1 1 = 1 1 0 1 >``: the parity of every prefix."""

    name: ClassVar[str] = "parity-steps"
    summary: ClassVar[str] = "parity of bits, one prefix after the other"
    circuit_name: ClassVar[str] = "parity"


@dataclass(frozen=True, kw_only=True)
class AdditionSteps(StepTask):
    """``< 7 5 + 8 6 = 5 2 1 >``: 57 + 68 = 125, low digit first."""

    name: ClassVar[str] = "addition-steps"
    summary: ClassVar[str] = "add two numbers, low digit first"
    circuit_name: ClassVar[str] = "addition"


@dataclass(frozen=True, kw_only=True)
class MultiplicationSteps(StepTask):
    """``< 7 * 8 4 3 = 6 3 4 2 >``: 7 times 348 = 2436, low digit first."""

    name: ClassVar[str] = "multiplication-steps"
    summary: ClassVar[str] = "multiply by one digit, low digit first"
    circuit_name: ClassVar[str] = "multiplication"


@dataclass(frozen=True, kw_only=True)
class DivisionSteps(StepTask):
    """``< 7 4 5 / 3 = 2 4 8 >``: divide by one digit, high digit first, remainder dropped."""

    name: ClassVar[str] = "division-steps"
    summary: ClassVar[str] = "divide by one digit, high digit first"
    circuit_name: ClassVar[str] = "division"
