"""A whole store looked through: what is wrong, where, and what to do about it.

Nothing remembered is believed: every folder is read. Weights are compared with their digests only
on request (``runs.repair.check_tensors``), since that reads every byte of the store and loads
torch, which nothing here does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_json
from lengthwise.records.record import CHECKPOINT, SPEC, STATES, Record, State
from lengthwise.records.spec import content_id
from lengthwise.runs.store import LOCK, Store
from lengthwise.runs.sweep import SWEEPS, noted_sweep

Severity = Literal["damaged", "note"]
Deep = Callable[[Record], str | None]

AGAIN = "`lengthwise sweep FILE --repair` mends it and trains only what is lost"


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it should be."""

    run: str
    """The run, or the path of something else, relative to the store."""
    severity: Severity
    file: str
    problem: str
    remedy: str


@dataclass(frozen=True)
class Audit:
    """What a look through a store found."""

    store: Path
    states: dict[State, int]
    without_digests: tuple[str, ...]
    """Finished runs made before there were digests."""
    findings: tuple[Finding, ...]
    digests: bool
    """Whether weights and checkpoints were read and compared too."""

    @property
    def damaged(self) -> dict[str, str]:
        """Run to problem, of what is damaged."""
        return {f.run: f"{f.file}: {f.problem}" for f in self.findings if f.severity == "damaged"}


def audit(
    store: Store,
    deep: Deep | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Audit:
    """Look through a store; ``deep`` also checks what a record does not tell (weights).

    Example:
        >>> import tempfile
        >>> audit(Store(tempfile.mkdtemp())).states["done"]
        0
    """
    if not store.root.is_dir():
        raise InputError(f"store {str(store.root)!r}: there is no such folder.")
    states: dict[State, int] = dict.fromkeys(STATES, 0)
    old: list[str] = []
    findings: list[Finding] = []
    folders = store.folders()
    for number, folder in enumerate(folders):
        progress(number, len(folders))
        record = store.record(folder)
        found = list(_of_run(store, record, deep))
        hurt = any(finding.severity == "damaged" for finding in found)
        states["damaged" if hurt else record.state] += 1
        if record.state == "done" and record.manifest is None:
            old.append(record.id)
        findings += found
    findings += _of_sweeps(store)
    return Audit(store.root, states, tuple(old), tuple(findings), deep is not None)


def _of_run(store: Store, record: Record, deep: Deep | None) -> Iterator[Finding]:
    """Yield what is wrong with one run."""
    if record.state == "damaged":
        yield _damage(record, record.problem or "")
    elif record.state == "failed":
        retry = "`lengthwise sweep FILE --retry` tries it again"
        yield Finding(record.id, "note", "failure.json", record.problem or "", retry)
    elif record.problem:
        yield Finding(record.id, "note", *_split(record.problem), "training continues it")
    elif deep is not None and not store.running(record.folder) and (problem := deep(record)):
        yield _damage(record, problem)
    left = [path.name for path in record.folder.glob(".*.tmp")]
    if left and not store.running(record.folder):
        yield Finding(record.id, "note", left[0], "left by a killed process", "remove it")
    if (lock := record.folder / LOCK).is_symlink() or (lock.exists() and not lock.is_file()):
        yield Finding(record.id, "note", LOCK, "not a file", "remove it")


def _damage(record: Record, problem: str) -> Finding:
    return Finding(record.id, "damaged", *_split(problem), _remedy(record, problem))


def _split(problem: str) -> tuple[str, str]:
    file, _, what = problem.partition(": ")
    return file, what


def _remedy(record: Record, problem: str) -> str:
    """Say what to do about a damaged run."""
    if problem.startswith("folder: "):
        return "make it readable"
    if problem.startswith(f"{CHECKPOINT}: "):
        return "`lengthwise sweep FILE` begins the run anew, and ends with the same numbers"
    if record.spec is not None:
        return AGAIN
    try:
        name = content_id(read_json(record.folder / SPEC))
    except (InputError, ValueError, RecursionError):
        return f"{AGAIN}; without its sweep, remove the folder"
    if name == record.id:
        return f"{AGAIN}; without its sweep, remove the folder"
    if (record.folder.parent / name).exists():
        return f"remove the folder: run {name} is here"
    return f"rename the folder to {name}, if that is what it holds"


def _of_sweeps(store: Store) -> Iterator[Finding]:
    """Yield what is wrong with the notes on which runs belong to a sweep."""
    for path in sorted((store.root / SWEEPS).glob("*.json")):
        name = f"{SWEEPS}/{path.name}"
        try:
            noted_sweep(path)
        except InputError as error:
            problem = str(error).removeprefix(f"{path}: ").partition(";")[0].rstrip(".")
            remedy = "remove it; `lengthwise sweep FILE` writes it anew"
            yield Finding(name, "damaged", path.name, problem, remedy)
