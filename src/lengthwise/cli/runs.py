"""``lengthwise runs``: what is in the store."""

from pathlib import Path
from typing import Any

from lengthwise.cli.console import Json, print_json, print_table
from lengthwise.runs.store import Record, Store


def runs(
    id: str | None = None,
    *,
    task: str | None = None,
    pe: str | None = None,
    state: str | None = None,
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """List the runs of the store, or show one.

    Example: lengthwise runs --task parity --state done

    Parameters
    ----------
    id
        Show the run whose id begins like this, with its curve.
    task
        Only runs of this task.
    pe
        Only runs with this position encoding.
    state
        Only runs that are done, unfinished or unreadable.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print plain data.
    """
    where = Store(store)
    if id is not None:
        _show(where.find(id), as_json)
        return
    rows = [
        _row(record)
        for record in where.records()
        if (state is None or record.state == state)
        and (task is None or (record.spec is not None and record.spec.task.name == task))
        and (pe is None or (record.spec is not None and record.spec.position.name == pe))
    ]
    if as_json:
        print_json(rows)
    elif rows:
        print_table([{**row, "exact match": _percent(row["exact match"])} for row in rows])
    else:
        import sys

        sys.stderr.write(f"no runs in {str(where.root)!r}\n")


def _row(record: Record) -> dict[str, Any]:
    spec = record.spec
    return {
        "id": record.id,
        "state": record.state,
        "task": str(spec.task) if spec else record.problem,
        "encoding": str(spec.position) if spec else None,
        "seed": spec.seed if spec else None,
        "steps": record.result["steps"] if record.result else None,
        "exact match": [_accuracy(bin_) for bin_ in record.bins] if spec else [],
    }


def _accuracy(bin_: dict[str, Any]) -> float:
    return sum(bin_["correct"].values()) / max(1, sum(bin_["total"].values()))


def _percent(values: list[float]) -> str:
    return " / ".join(f"{value:.1%}" for value in values)


def _show(record: Record, as_json: bool) -> None:
    from lengthwise.runs.store import load_result

    if as_json:
        spec = record.spec.model_dump(mode="json") if record.spec else None
        print_json({**_row(record), "spec": spec, "result": record.result})
        return
    from lengthwise.cli.console import console
    from lengthwise.cli.results import print_results

    result = load_result(record)
    console().print_json(record.spec.model_dump_json() if record.spec else "null")
    print_results([result])
