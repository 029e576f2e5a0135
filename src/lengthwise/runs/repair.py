"""Put a damaged run right: keep what is whole, and clear the way for training what is not."""

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from lengthwise.core.errors import InputError
from lengthwise.core.files import json_bytes, put, set_aside
from lengthwise.records.manifest import (
    EVENTS,
    MANIFEST,
    RESULT,
    SPEC,
    WEIGHTS,
    Digest,
    Manifest,
    read_manifest,
)
from lengthwise.records.record import (
    CHECKPOINT,
    Record,
    content,
    history_bytes,
    read_history,
    read_record,
    read_result,
)
from lengthwise.records.spec import RunSpec
from lengthwise.training.checkpoint import read_checkpoint, read_facts


def examined(record: Record) -> Record:
    """Return a record for which the weights were read and compared too."""
    if record.state == "done" and (problem := check_tensors(record)):
        return replace(record, state="damaged", problem=problem, result=None, history=())
    return record


def check_tensors(record: Record) -> str | None:
    """Say what is wrong with the weights or the checkpoint of a run, if anything; all is read."""
    name = WEIGHTS if record.state == "done" else CHECKPOINT
    path = record.folder / name
    if record.manifest is None and not os.path.lexists(path):  # nothing says that there was one
        return None
    try:
        if name == CHECKPOINT:
            read_checkpoint(path, record.id)
            return None
        facts = read_facts(path, content(record.folder, name, record.manifest))
    except InputError as error:
        what = str(error).removeprefix(f"{path}: ").removeprefix(f"{name}: ").rstrip(".")
        return f"{name}: {what}"
    return None if facts.get("run") == record.id else f"{name}: of another run"


def mend(folder: Path, spec: RunSpec) -> None:
    """Mend a damaged run while holding its lock.

    Afterwards it is done, if its result and weights are what was written: the specification is
    known and the evaluations stand in the result too. Otherwise the damaged result is set aside and
    the run can be trained again, from its checkpoint if it has one.
    """
    if examined(read_record(folder)).state != "damaged":
        return
    try:
        _keep(folder, spec)
    except InputError:  # some of it is lost
        lost = [MANIFEST, RESULT, WEIGHTS]
        with suppress(InputError):
            lost.append(EVENTS)
            read_history(folder, spec)
            lost.remove(EVENTS)
        for name in lost:
            set_aside(folder / name)


def _keep(folder: Path, spec: RunSpec) -> None:
    """Write anew what follows from files that are whole; refuse if that is not everything."""
    put(folder / SPEC, json_bytes(spec.model_dump(mode="json")))
    try:
        manifest = read_manifest(folder)
    except InputError:
        manifest = _vouched(folder, spec)
        set_aside(folder / MANIFEST)
        manifest.write(folder)
    result = read_result(folder, spec, manifest)
    content(folder, WEIGHTS, manifest)
    put(folder / EVENTS, history_bytes(result.history))
    found = examined(read_record(folder))
    if found.state != "done":
        raise InputError(f"{found.problem}.")


def _vouched(folder: Path, spec: RunSpec) -> Manifest:
    """Make the manifest anew for a run whose other files agree with each other.

    Every measurement stands in the result and in the events, and the weights have a checksum and
    the run's id inside.
    """
    result = read_result(folder, spec, None)
    weights = content(folder, WEIGHTS)
    agree = read_history(folder, spec) == result.history
    if not agree or read_facts(folder / WEIGHTS, weights).get("run") != folder.name:
        raise InputError("the files of the run do not agree.")
    contents = {name: content(folder, name) for name in (SPEC, EVENTS, RESULT)} | {WEIGHTS: weights}
    return Manifest(folder.name, {name: Digest.of(data) for name, data in contents.items()})
