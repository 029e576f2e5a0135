"""What a report is about: runs of the store, or a file that a study or a scoreboard wrote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_json
from lengthwise.report.measured import Measured, from_record
from lengthwise.runs.store import Record, Store
from lengthwise.studies.known_results import BOARD
from lengthwise.studies.reproduce import FORMAT as STUDY


@dataclass(frozen=True)
class Source:
    """Runs, or a file's content; exactly one of them."""

    runs: Sequence[Measured] = ()
    left_out: int = 0
    """Runs of the store that are not finished or cannot be read."""
    file: Mapping[str, Any] | None = None
    name: str = ""


def find(
    words: Sequence[str], store: Store, *, task: str | None = None, pe: str | None = None
) -> Source:
    """Resolve what the command line names: nothing (all runs), run ids, or one JSON file."""
    if len(words) == 1 and words[0].endswith(".json"):
        if task is not None or pe is not None:
            raise InputError("--task and --pe choose among runs; a file is shown whole.")
        return Source(file=read_file(Path(words[0])), name=words[0])
    for word in words:
        if word.endswith(".json"):
            raise InputError(f"{word!r}: give one file alone, or run ids.")
    if words:
        chosen = [from_record(store.find(word)) for word in dict.fromkeys(words)]
        return Source(_unique([run for run in chosen if _matches(run, task, pe)]))
    records = list(store.records())
    runs = [from_record(r) for r in records if r.state == "done" and _may_match(r, task, pe)]
    runs = [run for run in runs if _matches(run, task, pe)]
    if not runs:
        asked = "".join(
            f" with {name} {value!r}" for name, value in (("--task", task), ("--pe", pe)) if value
        )
        raise InputError(f"store {str(store.root)!r}: there are no finished runs{asked}.")
    return Source(runs, sum(r.state != "done" for r in records))


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
            "(`lengthwise scoreboard --output`)."
        )
    return found


def _unique(runs: Sequence[Measured]) -> list[Measured]:
    if not runs:
        raise InputError("none of the named runs has this --task and --pe.")
    return list({run.id: run for run in runs}.values())


def _may_match(record: Record, task: str | None, pe: str | None) -> bool:
    """Spare reading the counts of runs that are not asked for."""
    spec = record.spec
    if spec is None:
        return False
    named = task is None or task.startswith(spec.task.name)
    return named and (pe is None or pe.startswith(spec.position.name))


def _matches(run: Measured, task: str | None, pe: str | None) -> bool:
    spec = run.spec
    assert spec is not None
    named = task in (None, run.task, str(spec.task), spec.task.name)
    return named and pe in (None, run.encoding, str(spec.position), spec.position.name)
