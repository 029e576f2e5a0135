"""Where a sweep stands, read from the store alone: any process may ask at any time."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from lengthwise.core.errors import InputError, unknown
from lengthwise.records.spec import RunSpec
from lengthwise.runs.index import rows
from lengthwise.runs.store import Store
from lengthwise.runs.sweep import SWEEPS, noted_sweep


@dataclass(frozen=True)
class Status:
    """A sweep at one moment."""

    total: int
    done: int
    failed: tuple[tuple[RunSpec, str], ...]
    damaged: tuple[tuple[RunSpec, str], ...]
    running: tuple[tuple[RunSpec, int], ...]
    """Runs that a process holds now, with the step of their last evaluation."""
    seconds_left: float | None
    """Estimated from the times of finished runs; None before the first."""

    @property
    def waiting(self) -> int:
        """Runs that nobody works on yet."""
        return self.total - self.ended - len(self.running)

    @property
    def ended(self) -> int:
        """Runs that nobody will work on unless asked to."""
        return self.done + len(self.failed) + len(self.damaged)

    @property
    def over(self) -> bool:
        """True if nothing is left to do."""
        return self.ended >= self.total


def status(store: Store, specs: Sequence[RunSpec]) -> Status:
    """Read the state of the given runs.

    Example:
        >>> import tempfile
        >>> spec = RunSpec.create(task="parity", position="nope")
        >>> status(Store(tempfile.mkdtemp()), [spec]).waiting
        1
    """
    found = {row["id"]: row for row in rows(store)}
    failed, damaged, running, left = [], [], [], []
    done = 0
    for spec in specs:
        row = found.get(spec.id)
        if row and row["state"] == "done":
            done += 1
        elif row and row["state"] == "failed":
            failed.append((spec, row["problem"]))
        elif row and row["state"] == "damaged":
            damaged.append((spec, row["problem"]))
        else:
            left.append(spec)
            if row and store.running(store.folder(spec)):
                running.append((spec, _step(store, spec)))
    seconds = _seconds_left(specs, found, left, max(1, len(running)))
    return Status(len(specs), done, tuple(failed), tuple(damaged), tuple(running), seconds)


def _step(store: Store, spec: RunSpec) -> int:
    history = store.record(store.folder(spec)).history
    return history[-1].step if history else 0


def _seconds_left(
    specs: Sequence[RunSpec], found: dict[str, dict[str, Any]], left: list[RunSpec], workers: int
) -> float | None:
    """Take a run as long as the finished ones of its shape, or of the whole sweep."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    for spec in specs:
        row = found.get(spec.id)
        if row and row["state"] == "done":
            for key in (_shape(spec), ""):
                times[key].append(row["seconds"])
    if not times:
        return None if left else 0.0
    return sum(fmean(times.get(_shape(spec)) or times[""]) for spec in left) / workers


def _shape(spec: RunSpec) -> str:
    return f"{spec.task} {spec.position} {spec.model} {spec.training}"


def sweep_of(store: Store, name: str | None = None) -> tuple[str, list[RunSpec]]:
    """Return the name and runs of a sweep noted in the store: the named or the newest one."""
    paths = sorted((store.root / SWEEPS).glob("*.json"), key=lambda path: path.lstat().st_mtime_ns)
    if not paths:
        raise InputError(f"store {str(store.root)!r} has no sweep; `lengthwise sweep` starts one.")
    if name is not None:
        matching = [path for path in paths if path.stem.startswith(name)]
        if not matching:
            raise unknown("sweep", name, [path.stem for path in paths])
        paths = matching
    return paths[-1].stem, noted_sweep(paths[-1])
