"""What the report needs of a run, whether it comes from the store or from a committed file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lengthwise.positions import POSITIONS
from lengthwise.records.accuracy import AccuracyByLength, read_bins
from lengthwise.records.record import Record, load_result
from lengthwise.records.result import RunResult
from lengthwise.records.spec import RunSpec
from lengthwise.report.run_command import typed
from lengthwise.tasks import TASKS


@dataclass(frozen=True)
class Measured:
    """One finished run: what it was, and how often it was right at each length."""

    task: str
    encoding: str
    trained: tuple[int, int]
    bins: tuple[AccuracyByLength, ...]
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Everything else that distinguishes the run, flat: ``{"model.layers": 2, ...}``."""
    id: str = ""
    group: str = ""
    """The part of a study that the run belongs to."""
    spec: RunSpec | None = None
    steps: int | None = None
    stopped: str = ""
    seconds: float | None = None
    command: str = ""
    """How it was made, where a file says so."""


def from_result(result: RunResult) -> Measured:
    """Return a result as the report sees it."""
    return _of_spec(
        result.spec,
        result.bins,
        steps=result.steps,
        stopped=result.stopped,
        seconds=result.seconds,
    )


def from_record(record: Record) -> Measured:
    """Return a finished run of the store, read without torch."""
    return replace(from_result(load_result(record)), id=record.id)


def from_cell(cell: Mapping[str, Any]) -> Measured:
    """Return a run of a study's file; only task, encoding and bins have to be there.

    Example:
        >>> bins = [{"low": 1, "high": 2, "correct": {"1": 3}, "total": {"1": 4}}]
        >>> from_cell({"task": "parity", "encoding": "nope", "bins": bins}).bins[0].counts
        (3, 4)
    """
    bins = read_bins(cell["bins"])
    extra: dict[str, Any] = {
        "group": str(cell.get("group", "")),
        "steps": cell.get("steps"),
        "seconds": cell.get("seconds"),
        "command": str(cell.get("command", "")),
    }
    if isinstance(cell.get("spec"), Mapping):
        return _of_spec(RunSpec.read(cell["spec"]), bins, **extra)
    low, high = cell.get("trained") or (bins[0].low, bins[0].high)
    return Measured(
        task=str(cell["task"]),
        encoding=str(cell["encoding"]),
        trained=(int(low), int(high)),
        bins=bins,
        seed=int(cell.get("seed", 0)),
        settings={name: str(cell[name]) for name in ("model", "regularize") if cell.get(name)},
        id=str(cell.get("id") or cell.get("spec") or ""),
        **extra,
    )


def _of_spec(spec: RunSpec, bins: tuple[AccuracyByLength, ...], **extra: Any) -> Measured:

    return Measured(
        task=typed(spec.task, TASKS),
        encoding=typed(spec.position, POSITIONS),
        trained=spec.training.length,
        bins=bins,
        seed=spec.seed,
        settings=_settings(spec),
        id=spec.id,
        spec=spec,
        **extra,
    )


def _settings(spec: RunSpec) -> dict[str, Any]:
    plain = spec.model_dump(mode="json", include={"model", "training", "evaluation"})
    flat = {f"{part}.{name}": v for part, values in plain.items() for name, v in values.items()}
    del flat["training.length"]
    return flat


def varying(runs: Iterable[Measured]) -> list[str]:
    """Name the settings that differ among runs of one task, encoding and training range."""
    seen: dict[tuple[Any, ...], dict[str, set[str]]] = {}
    for run in runs:
        values = seen.setdefault((run.group, run.task, run.encoding, run.trained), {})
        for name, value in run.settings.items():
            values.setdefault(name, set()).add(str(value))
    names = [n for values in seen.values() for n, kinds in values.items() if len(kinds) > 1]
    return list(dict.fromkeys(names))
