"""A paper as something that can be run: its runs, its claims as predicates, its figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, Literal

from lengthwise.core.errors import InputError
from lengthwise.records.intervals import Interval
from lengthwise.records.outcomes import Status
from lengthwise.records.spec import RunSpec
from lengthwise.runs.store import Store
from lengthwise.studies.board import Scoreboard
from lengthwise.studies.evidence import Cell, StudyEvidence
from lengthwise.studies.frozen_file import Frozen

SIZES = ("smoke", "laptop", "paper")


@dataclass(frozen=True)
class ClaimOutcome:
    """What became of a claim here: ours beside the paper's number, an interval, a reason."""

    status: Status
    ours: str = "-"
    interval: Interval | None = None
    reason: str = ""


Rule = Callable[..., ClaimOutcome]
"""Judges evidence, with what a claim of the file gives it besides."""


def outcome(
    held: bool | Status, ours: str, interval: Interval | None = None, reason: str = ""
) -> ClaimOutcome:
    """Return the outcome of a claim that came out one way or the other, or has a status already.

    Example:
        >>> outcome(0.9 > 0.5, "0.90").status, outcome("inconclusive", "0.69").status
        ('held', 'inconclusive')
    """
    status: Status = held if isinstance(held, str) else "held" if held else "not held"
    return ClaimOutcome(status, ours, interval, reason)


def not_run(reason: str = "not run") -> ClaimOutcome:
    """Return the outcome of a claim whose runs this size does not have, and why."""
    return ClaimOutcome("not run", reason=reason)


def inconclusive(reason: str, ours: str = "-", interval: Interval | None = None) -> ClaimOutcome:
    """Return the outcome of a claim that the runs do not decide: unfitted, or too close."""
    return ClaimOutcome("inconclusive", ours, interval, reason)


def cell_claim(cell: Cell | None, holds: bool, seeds: int) -> ClaimOutcome:
    """Claim that a cell holds, or that it fails, with at least so many seeds.

    Seeds that differ count against the claim; a cell that was not fitted decides nothing.
    """
    if cell is None:
        return not_run()
    around = cell.bins[-1].interval
    if len(cell.runs) < seeds:
        return inconclusive(f"{len(cell.runs)} of {seeds} seeds", cell.shown, around)
    if cell.outcome == "not fitted":
        return inconclusive("the training lengths were not fitted", cell.shown, around)
    held = cell.outcome == ("holds" if holds else "fails")
    return outcome(held, cell.shown, around, cell.reason)


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper as a predicate over evidence, with the paper's number."""

    name: str
    where: str
    sentence: str
    paper: str
    check: Callable[[StudyEvidence], ClaimOutcome]
    headline: bool = True
    """Whether it counts in the headline; the others are exploratory, or too large for the size."""


@dataclass(frozen=True)
class Planned:
    """A run and the part of the study it belongs to."""

    group: str
    spec: RunSpec
    rung: int = 0
    """Which of the recipe's settings it is; a later one is tried where none before it fitted."""


@dataclass(frozen=True)
class Bench:
    """What a measure may use: the store with the runs' weights, and the records so far."""

    store: Store
    evidence: StudyEvidence


@dataclass(frozen=True)
class Measure:
    """A computation besides training; its plain result is kept beside the runs."""

    name: str
    compute: Callable[[Bench], Any]
    from_runs: bool = True
    """Whether it reads the runs, so that it waits until all of them are there."""


def on_use(name: str) -> Callable[..., Any]:
    """Return a function that is loaded when it is called, so that old results need no torch.

    Example:
        >>> on_use("math:sqrt")(9)
        3.0
    """

    def load_and_call(*arguments: Any) -> Any:
        module, _, attribute = name.partition(":")
        return getattr(import_module(module), attribute)(*arguments)

    return load_and_call


@dataclass(frozen=True)
class StudyTable:
    """Rows of plain values with a title."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


@dataclass(frozen=True)
class StudyFigure:
    """Data of a picture: points with x, y and series, drawn by the report.

    A ``heatmap`` shows numbers, a ``map`` names: categories with a colour each.
    """

    title: str
    kind: Literal["line", "bars", "heatmap", "map"]
    x: str
    y: str
    data: Sequence[Mapping[str, Any]]
    series: str = ""
    note: str = ""


@dataclass(frozen=True)
class Study:
    """One paper, or one question of our own.

    ``frozen`` holds the claims and settings of the current edition, decided before anything is run.
    ``plan`` is a pure function of size and evidence and is asked again until it names no new run,
    so a study can decide by its first runs which further ones it needs.
    """

    name: str
    title: str
    source: str
    frozen: Frozen
    plan: Callable[[str, StudyEvidence], Sequence[Planned]]
    rules: Mapping[str, Rule]
    """What judges the claims of the file, by the names that they give."""
    measures: Callable[[str], Sequence[Measure]] = lambda size: ()
    tables: Callable[[StudyEvidence], Sequence[StudyTable]] = lambda evidence: ()
    figures: Callable[[StudyEvidence], Sequence[StudyFigure]] = lambda evidence: ()
    board: Callable[[StudyEvidence], Scoreboard | None] = lambda evidence: None
    """Predictions beside measured cells, where the study has them."""
    expected: Callable[[str], float | None] = lambda size: None
    """Seconds of one core that a size is planned to take, rungs and repeats included."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """What each size is, in a sentence."""

    @property
    def claims(self) -> list[Claim]:
        """The claims of the file, each with the rule that it names; evidence says which apply."""
        found: list[Claim] = []
        for one in self.frozen.claims:
            rule = one.rule or one.id
            if rule not in self.rules:
                raise InputError(f"claim {one.id!r}: no rule {rule!r}.")
            check = partial(self.rules[rule], **one.given)
            found.append(Claim(one.id, one.where, one.sentence, one.paper, check, one.headline))
        return found
