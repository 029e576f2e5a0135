"""The one reader of a run: all that its folder says, or what in it is damaged.

Every command that shows or counts runs reads them here, so that a file that was cut, edited or put
into the wrong folder is named and never taken for a measurement. Nothing here loads torch.
"""

import json
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from lengthwise.core.errors import InputError
from lengthwise.core.files import MOST_INPUT, read_bytes, read_json, why
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.manifest import (
    EVENTS,
    MANIFEST,
    RESULT,
    SPEC,
    WEIGHTS,
    DamagedError,
    Manifest,
    read_manifest,
)
from lengthwise.records.result import (
    Evaluation,
    ResultFile,
    RunResult,
    contradiction,
    impossible,
)
from lengthwise.records.spec import RunSpec, content_id, first_problem

CHECKPOINT, FAILURE = "checkpoint.safetensors", "failure.json"
FILES = (SPEC, EVENTS, RESULT, WEIGHTS, MANIFEST, CHECKPOINT, FAILURE)

State = Literal["done", "unfinished", "failed", "damaged"]
STATES: tuple[State, ...] = get_args(State)

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Record:
    """A run as the store sees it, without loading torch.

    A damaged run has no result; ``problem`` then names the file and what is wrong with it.
    """

    id: str
    folder: Path
    state: State
    spec: RunSpec | None = None
    result: RunResult | None = None
    history: tuple[Evaluation, ...] = ()
    problem: str | None = None
    manifest: Manifest | None = None
    """The digests of a finished run; None also if it was made before there were any."""

    @property
    def bins(self) -> tuple[AccuracyByLength, ...]:
        """The last measured bins: of the result, or of the newest evaluation."""
        if self.result is not None:
            return self.result.bins
        return self.history[-1].bins if self.history else ()


def read_record(folder: Path) -> Record:
    """Read what a folder holds; damage is told in the record, not raised."""
    spec = None
    try:
        names = _names(folder)
        if names.isdisjoint(FILES):
            return Record(folder.name, folder, "unfinished")
        manifest = read_manifest(folder) if MANIFEST in names else None
        spec = read_spec(folder, manifest)
        if manifest or RESULT in names:
            result = read_result(folder, spec, manifest)
            if manifest or _without_digests(folder, names, result):
                check_rest(folder, names, spec, result, manifest)
                plain = RunResult(spec=spec, **{k: v for k, v in result if k != "run"})
                return Record(
                    folder.name, folder, "done", spec, plain, plain.history, manifest=manifest
                )
    except DamagedError as damage:
        return Record(folder.name, folder, "damaged", spec, problem=str(damage))
    problem = failure(folder)
    state: State = "failed" if problem else "unfinished"
    try:
        history = read_history(folder, spec) if EVENTS in names else ()
    except DamagedError as damage:  # the checkpoint knows the history: the run can go on
        history, problem = (), problem or str(damage)
    return Record(folder.name, folder, state, spec, None, history, problem)


def read_spec(folder: Path, manifest: Manifest | None = None) -> RunSpec:
    """Read a run's specification; one that belongs to another folder is damage."""
    data = content(folder, SPEC, manifest)
    spec = _model(SPEC, RunSpec, data)
    # The id of what is written there, not of what is read: defaults added later change the latter.
    if (found := content_id(json.loads(data))) != folder.name:
        raise DamagedError(f"{SPEC}: it is the specification of run {found}")
    return spec


def read_result(folder: Path, spec: RunSpec, manifest: Manifest | None) -> ResultFile:
    """Read a finished run's result."""
    found = _model(RESULT, ResultFile, content(folder, RESULT, manifest))
    if found.run not in (None, folder.name):
        raise DamagedError(f"{RESULT}: it is the result of run {found.run}")
    if wrong := contradiction(spec, found):
        raise DamagedError(f"{RESULT}: {wrong}")
    return found


def _without_digests(folder: Path, names: Collection[str], result: ResultFile) -> bool:
    """Say whether a result without manifest is one that never had any, or not quite finished."""
    if result.run is None:
        return True
    if CHECKPOINT in names:  # its last act: the manifest is written, then the checkpoint removed
        return False
    raise DamagedError(f"{MANIFEST}: missing")


def check_rest(
    folder: Path,
    names: Collection[str],
    spec: RunSpec,
    result: ResultFile,
    manifest: Manifest | None,
) -> None:
    """Refuse a finished run whose evaluations or weights are not those of its result.

    Weights are told here by their size alone: whoever loads them compares their digest.
    """
    if (manifest or EVENTS in names) and read_history(folder, spec, manifest) != result.history:
        raise DamagedError(f"{EVENTS}: not the history that {RESULT} tells")
    if manifest is None:
        return
    try:
        size = os.stat(folder / WEIGHTS).st_size
    except FileNotFoundError:
        raise DamagedError(f"{WEIGHTS}: missing") from None
    except OSError as error:
        raise DamagedError(f"{WEIGHTS}: cannot be read ({why(error)})") from None
    if size != manifest.files[WEIGHTS].size:
        raise DamagedError(
            f"{WEIGHTS}: {size} bytes of {manifest.files[WEIGHTS].size} that were written"
        )


def read_history(
    folder: Path, spec: RunSpec, manifest: Manifest | None = None
) -> tuple[Evaluation, ...]:
    """Read the evaluations of a run."""
    history = parse_history(content(folder, EVENTS, manifest))
    if wrong := impossible(spec, history):
        raise DamagedError(f"{EVENTS}: {wrong}")
    return history


def parse_history(data: bytes) -> tuple[Evaluation, ...]:
    """Read evaluations, one a line."""
    return tuple(_model(EVENTS, Evaluation, line) for line in data.splitlines())


def history_bytes(history: tuple[Evaluation, ...]) -> bytes:
    """Return evaluations as ``events.jsonl`` holds them."""
    return "".join(event.model_dump_json() + "\n" for event in history).encode()


def failure(folder: Path) -> str | None:
    """Return why a run failed, if it did."""
    if not os.path.lexists(folder / FAILURE):
        return None
    try:
        return str(read_json(folder / FAILURE)["reason"])
    except (InputError, KeyError, TypeError):
        return f"{FAILURE} is not readable"


def load_result(record: Record) -> RunResult:
    """Return the result of a finished run; say why another has none."""
    if record.result is None:
        why = f": {record.problem.rstrip('.')}" if record.problem else ""
        mend = "; train it with --again, or its sweep with --repair"
        remedy = mend if record.state == "damaged" else ""
        raise InputError(f"run {record.id} is {record.state}{why}{remedy}.")
    return record.result


def damage(run: str, problem: str) -> str:
    """Say in one line which file of a run is damaged and how.

    Example:
        >>> damage("3f2a", "result.json: not JSON")
        'damaged: result.json of 3f2a: not JSON'
    """
    file, _, what = problem.partition(": ")
    return f"damaged: {file} of {run}: {what}"


def content(folder: Path, name: str, manifest: Manifest | None = None) -> bytes:
    """Read a file of a run; with a manifest, only what was written."""
    path = folder / name
    try:
        data = read_bytes(path, MOST_INPUT if name in (SPEC, EVENTS, RESULT) else None)
    except InputError as error:
        what = str(error).removeprefix(f"{path}: ").rstrip(".")
        raise DamagedError(f"{name}: {what.replace('there is no such file', 'missing')}") from None
    if manifest:
        manifest.check(name, data)
    return data


def _names(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise DamagedError(f"folder: cannot be read ({why(error)})") from None


def _model(name: str, kind: type[M], data: bytes) -> M:
    """Read JSON of one kind, with its types exactly: no text for numbers, no truth for one."""
    try:
        return kind.model_validate_json(data, strict=True)
    except ValidationError as error:
        if error.errors()[0]["type"] == "json_invalid":
            raise DamagedError(f"{name}: not JSON") from None
        raise DamagedError(f"{name}: {first_problem(error)[:200].rstrip('.')}") from None
