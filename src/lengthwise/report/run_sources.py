"""What a report is about: runs of the store, or a file that a study or a scoreboard wrote."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError, nearest
from lengthwise.core.files import read_json
from lengthwise.records.record import Record
from lengthwise.report.measured import Measured, from_record
from lengthwise.runs.store import Store
from lengthwise.studies.known_results import BOARD
from lengthwise.studies.reproduce import FORMAT as STUDY


@dataclass(frozen=True)
class Source:
    """Runs, or a file's content; exactly one of them."""

    runs: Sequence[Measured] = ()
    left_out: int = 0
    """Runs of the store that are not finished."""
    damaged: Mapping[str, str] = field(default_factory=dict)
    """Run to problem: what belongs here and cannot be shown."""
    file: Mapping[str, Any] | None = None
    name: str = ""


def find(
    words: Sequence[str], store: Store, *, task: str | None = None, encodings: Collection[str] = ()
) -> Source:
    """Resolve what the command line names: nothing (all runs), run ids, or one JSON file."""
    if len(words) == 1 and words[0].endswith(".json"):
        if task is not None or encodings:
            raise InputError("--task and --encoding choose among runs; a file is shown whole.")
        return Source(file=read_file(Path(words[0])), name=words[0])
    for word in words:
        if word.endswith(".json"):
            raise InputError(f"{word!r}: give one file alone, or run ids.")
    if words:
        chosen = [from_record(store.find(word)) for word in dict.fromkeys(words)]
        return Source(_unique([run for run in chosen if _matches(run, task, encodings)]))
    records = list(store.records())
    done = [record for record in records if record.state == "done"]
    runs = [from_record(r) for r in done if _may_match(r, task, encodings)]
    runs = [run for run in runs if _matches(run, task, encodings)]
    damaged = {
        record.id: record.problem or ""
        for record in records
        if record.state == "damaged"
        and (record.spec is None or _may_match(record, task, encodings))
    }
    if not runs:
        raise _nothing(store, done, task, encodings, damaged)
    return Source(runs, sum(r.state in ("unfinished", "failed") for r in records), damaged)


def _nothing(
    store: Store,
    done: Sequence[Record],
    task: str | None,
    encodings: Collection[str],
    damaged: Collection[str],
) -> InputError:
    """Say that no run was found, with the nearest task or encoding that there is."""
    where = f"no finished run in {str(store.root)!r}"
    bad = f"; {len(damaged)} damaged (`lengthwise runs --state damaged`)" if damaged else ""
    if not done:
        return InputError(f"there is {where} yet{bad}; `lengthwise train` makes some.")
    specs = [record.spec for record in done if record.spec is not None]
    tasks = {name for spec in specs for name in (spec.task.name, str(spec.task))}
    known = {name for spec in specs for name in (spec.position.name, str(spec.position))}
    if task is not None and task not in tasks:
        return InputError(f"--task {task}: {where} is of this task.{nearest(task, tasks)}")
    for encoding in encodings:
        if encoding not in known:
            hint = nearest(encoding, known)
            return InputError(f"--encoding {encoding}: {where} has this encoding.{hint}")
    return InputError(f"--task {task} and --encoding {' '.join(encodings)}: {where} has both.")


def read_file(path: Path) -> Mapping[str, Any]:
    """Read a study or a scoreboard; anything else is refused by name."""
    try:
        found = read_json(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from None
    kind = found.get("format") if isinstance(found, dict) else None
    if kind not in (STUDY, BOARD):
        raise InputError(
            f"{path}: neither a study (`lengthwise reproduce`) nor a scoreboard "
            "(`lengthwise lab scoreboard --output`)."
        )
    return found


def _unique(runs: Sequence[Measured]) -> list[Measured]:
    if not runs:
        raise InputError("none of the named runs has this --task and --encoding.")
    return list({run.id: run for run in runs}.values())


def _may_match(record: Record, task: str | None, encodings: Collection[str]) -> bool:
    """Spare reading the counts of runs that are not asked for."""
    spec = record.spec
    if spec is None:
        return False
    named = task is None or task.startswith(spec.task.name)
    return named and (
        not encodings or any(encoding.startswith(spec.position.name) for encoding in encodings)
    )


def _matches(run: Measured, task: str | None, encodings: Collection[str]) -> bool:
    spec = run.spec
    assert spec is not None
    named = task in (None, run.task, str(spec.task), spec.task.name)
    told = {run.encoding, str(spec.position), spec.position.name}
    return named and (not encodings or bool(told & set(encodings)))
