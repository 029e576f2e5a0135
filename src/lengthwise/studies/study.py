"""A paper as something that can be run: its runs, its claims as predicates, its figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from lengthwise.records.spec import RunSpec
from lengthwise.runs.store import Store
from lengthwise.studies.evidence import StudyEvidence

Status = Literal["held", "not held", "not tested"]
SIZES = ("smoke", "laptop", "paper")


@dataclass(frozen=True)
class ClaimOutcome:
    """What became of a claim here: ours beside the paper's number, an interval, a reason."""

    status: Status
    ours: str = "-"
    interval: tuple[float, float] | None = None
    reason: str = ""


def outcome(
    held: bool, ours: str, interval: tuple[float, float] | None = None, reason: str = ""
) -> ClaimOutcome:
    """Return the outcome of a claim that was tested.

    Example:
        >>> outcome(0.9 > 0.5, "0.90").status
        'held'
    """
    return ClaimOutcome("held" if held else "not held", ours, interval, reason)


def untested(reason: str) -> ClaimOutcome:
    """Return the outcome of a claim that this size cannot decide, and why."""
    return ClaimOutcome("not tested", reason=reason)


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper as a predicate over evidence, with the paper's number."""

    name: str
    where: str
    sentence: str
    paper: str
    check: Callable[[StudyEvidence], ClaimOutcome]
    small: bool = True
    """Whether it is expected to show with small models."""


@dataclass(frozen=True)
class Planned:
    """A run and the part of the study it belongs to."""

    group: str
    spec: RunSpec


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
    """Data of a picture: points with x, y and series, drawn by the report."""

    title: str
    kind: Literal["line", "bars", "heatmap"]
    x: str
    y: str
    data: Sequence[Mapping[str, Any]]
    series: str = ""
    note: str = ""


@dataclass(frozen=True)
class Study:
    """One paper, or one question of our own.

    ``plan`` is a pure function of size and evidence and is asked again until it names no new run,
    so a study can decide by its first runs which further ones it needs.
    """

    name: str
    title: str
    source: str
    plan: Callable[[str, StudyEvidence], Sequence[Planned]]
    claims: Callable[[str], Sequence[Claim]]
    measures: Callable[[str], Sequence[Measure]] = lambda size: ()
    tables: Callable[[StudyEvidence], Sequence[StudyTable]] = lambda evidence: ()
    figures: Callable[[StudyEvidence], Sequence[StudyFigure]] = lambda evidence: ()
    notes: Mapping[str, str] = field(default_factory=dict)
    """What each size is, in a sentence."""
