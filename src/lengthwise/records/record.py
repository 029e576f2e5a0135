"""The one reader of a run: all that its folder says, or what in it is damaged.

Every command that shows or counts runs reads them here, so that a file that was cut, edited or put
into the wrong folder is named and never taken for a measurement. Nothing here loads torch.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_bytes, read_json
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.result import (
    Evaluation,
    ResultFile,
    RunResult,
    contradiction,
    impossible,
)
from lengthwise.records.spec import RunSpec, content_id, first_problem

SPEC, EVENTS, RESULT = "spec.json", "events.jsonl", "result.json"
WEIGHTS, CHECKPOINT = "model.safetensors", "checkpoint.safetensors"
FAILURE = "failure.json"
FILES = (SPEC, EVENTS, RESULT, WEIGHTS, CHECKPOINT, FAILURE)

State = Literal["done", "unfinished", "failed", "damaged"]
STATES: tuple[State, ...] = get_args(State)

M = TypeVar("M", bound=BaseModel)


class DamagedError(InputError):
    """A file of a run is not what was written; the message begins with its name."""


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

    @property
    def bins(self) -> tuple[AccuracyByLength, ...]:
        """The last measured bins: of the result, or of the newest evaluation."""
        return self.history[-1].bins if self.history else ()


def read_record(folder: Path) -> Record:
    """Read what a folder holds; damage is told in the record, not raised."""
    spec = None
    try:
        if not any(_there(folder / name) for name in FILES):
            return Record(folder.name, folder, "unfinished")
        spec = read_spec(folder)
        if _there(folder / RESULT):
            result = read_result(folder, spec)
            return Record(folder.name, folder, "done", spec, result, result.history)
    except DamagedError as damage:
        return Record(folder.name, folder, "damaged", spec, problem=str(damage))
    try:
        history, problem = read_history(folder, spec), failure(folder)
    except DamagedError as damage:  # the checkpoint knows the history: the run can go on
        history, problem = (), str(damage)
    state: State = "failed" if failure(folder) else "unfinished"
    return Record(folder.name, folder, state, spec, None, history, problem)


def read_spec(folder: Path) -> RunSpec:
    """Read a run's specification; one that belongs to another folder is damage."""
    data = _content(folder, SPEC)
    spec = _model(SPEC, RunSpec, data)
    # The id of what is written there, not of what is read: defaults added later change the latter.
    if (found := content_id(json.loads(data))) != folder.name:
        raise DamagedError(f"{SPEC}: it is the specification of run {found}")
    return spec


def read_result(folder: Path, spec: RunSpec) -> RunResult:
    """Read a finished run's result."""
    found = _model(RESULT, ResultFile, _content(folder, RESULT))
    if wrong := contradiction(spec, found):
        raise DamagedError(f"{RESULT}: {wrong}")
    return RunResult(spec=spec, **dict(found))


def read_history(folder: Path, spec: RunSpec) -> tuple[Evaluation, ...]:
    """Read the evaluations of a run that is under way."""
    if not _there(folder / EVENTS):
        return ()
    lines = _content(folder, EVENTS).splitlines()
    history = tuple(_model(EVENTS, Evaluation, line) for line in lines)
    if wrong := impossible(spec, history):
        raise DamagedError(f"{EVENTS}: {wrong}")
    return history


def failure(folder: Path) -> str | None:
    """Return why a run failed, if it did."""
    if not _there(folder / FAILURE):
        return None
    try:
        return str(read_json(folder / FAILURE)["reason"])
    except (InputError, KeyError, TypeError):
        return f"{FAILURE} is not readable"


def load_result(record: Record) -> RunResult:
    """Return the result of a finished run; say why another has none."""
    if record.result is None:
        why = f": {record.problem.rstrip('.')}" if record.problem else ""
        remedy = (
            "; train it with --again, or its sweep with --repair"
            if record.state == "damaged"
            else ""
        )
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


def _there(path: Path) -> bool:
    """Whether the folder has an entry of this name, be it a broken link."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except OSError:  # the folder itself cannot be looked into
        return True
    return True


def _content(folder: Path, name: str) -> bytes:
    try:
        return read_bytes(folder / name)
    except InputError as error:
        what = str(error).removeprefix(f"{folder / name}: ").rstrip(".")
        raise DamagedError(f"{name}: {what.replace('there is no such file', 'missing')}") from None


def _model(name: str, kind: type[M], data: bytes) -> M:
    """Read JSON of one kind, with its types exactly: no text for numbers, no truth for one."""
    try:
        return kind.model_validate_json(data, strict=True)
    except ValidationError as error:
        if error.errors()[0]["type"] == "json_invalid":
            raise DamagedError(f"{name}: not JSON") from None
        raise DamagedError(f"{name}: {first_problem(error)[:200].rstrip('.')}") from None
