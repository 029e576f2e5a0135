"""What a campaign of faults counts: how often something was tried, and what must never happen."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Sin = Literal["silent", "traceback", "hang", "late", "foreign code", "unclear"]
"""A wrong answer without a word; a traceback or a bug of ours; no end; an end after the time limit;
code of a stranger that ran; an error that is not one line."""
SINS: tuple[Sin, ...] = ("silent", "traceback", "hang", "late", "foreign code", "unclear")


@dataclass(frozen=True)
class Fault:
    """One fault and how it ended; ``sin`` is what must not be."""

    what: str
    refused: bool
    """Whether the fault was named; else it did no harm."""
    sin: Sin | None = None
    details: str = ""


@dataclass
class Ledger:
    """The trials of one kind, counted."""

    kind: str
    tried: int = 0
    refused: int = 0
    sins: dict[Sin, int] = field(default_factory=lambda: dict.fromkeys(SINS, 0))
    examples: list[Fault] = field(default_factory=list)
    """Every trial with a sin."""

    def add(self, trials: Iterable[Fault]) -> Iterator[Fault]:
        """Count trials as they come."""
        for trial in trials:
            self.tried += 1
            self.refused += trial.refused
            if trial.sin is not None:
                self.sins[trial.sin] += 1
                self.examples.append(trial)
            yield trial

    def row(self) -> dict[str, Any]:
        """Return the counts as a row of the table."""
        done = {"fault": self.kind, "tried": self.tried, "refused by name": self.refused}
        return {**done, **{f"{sin}": count for sin, count in self.sins.items()}}

    def to_json(self) -> dict[str, Any]:
        """Return counts and examples."""
        return {**self.row(), "examples": [asdict(trial) for trial in self.examples]}
