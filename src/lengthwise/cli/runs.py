"""``lengthwise runs``: what is in the store."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, name_damage, print_json, print_table
from lengthwise.core.errors import InputError, unknown
from lengthwise.records.record import STATES, Record, load_result
from lengthwise.runs.index import Row, damaged, rows, summary
from lengthwise.runs.store import Store

Flag = Parameter(negative="")


def list_runs(
    id: str | None = None,
    *,
    task: str | None = None,
    encoding: str | None = None,
    state: str | None = None,
    limit: Count = 100,
    rebuild: Annotated[bool, Flag] = False,
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
    encoding
        Only runs with this position encoding.
    state
        Only runs that are done, unfinished, failed or damaged.
    limit
        Show at most so many of the newest; 0 shows all. JSON always has all.
    rebuild
        Read every folder anew instead of what is remembered of finished runs.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print plain data.
    """
    where = Store(store)
    if state is not None and state not in STATES:
        raise unknown("--state", state, STATES)
    if id is not None:
        _show(where.find(id), as_json)
        return
    found = [
        row
        for row in rows(where, rebuild=rebuild)
        if row["task"] is None  # damaged: it may be any
        or (
            (task is None or task in (row["task"], _name(row["task"])))
            and (encoding is None or encoding in (row["position"], _name(row["position"])))
        )
    ]
    name_damage(damaged(found))
    chosen = [_row(row) for row in found if state in (None, row["state"])]
    if as_json:
        print_json(chosen)
        return
    shown = chosen[-limit:] if limit > 0 else chosen
    if shown:
        print_table([{**row, "exact match": _percent(row["exact match"])} for row in shown])
    if not chosen:
        sys.stderr.write(f"no runs in {str(where.root)!r}\n")
    elif len(shown) < len(chosen):
        sys.stderr.write(f"the newest {len(shown)} of {len(chosen)}; --limit 0 shows all\n")


def query(sql: str, *, store: Path | None = None, as_json: Json = False) -> None:
    """Answer an SQL query over the store, which it cannot change.

    Tables: runs, bins, lengths and history, all with the run's id; fields of the specification are
    columns of runs such as model_width and training_steps.

    Example: lengthwise runs query 'select position, avg(accuracy) from bins join runs using (id) \
where bin = 1 group by position'

    Parameters
    ----------
    sql
        The query, in DuckDB's SQL.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print plain data.
    """
    from lengthwise.runs.query import query as ask

    found = ask(Store(store), sql)
    answer = found.dictionaries()
    if as_json:
        print_json(answer)
    elif answer:
        print_table(answer)
    else:
        sys.stderr.write("no rows\n")
    _without(found.damaged)


def export(
    *,
    parquet: Path | None = None,
    csv: Path | None = None,
    table: Literal["runs", "bins", "lengths", "history"] = "runs",
    store: Path | None = None,
) -> None:
    """Write a table of the store to a file for pandas, polars or a spreadsheet.

    Example: lengthwise runs export --parquet lengths.parquet --table lengths

    Parameters
    ----------
    parquet
        Write Parquet to this file.
    csv
        Write CSV to this file.
    table
        runs (one row each), bins (per range of lengths), lengths (per length) or history.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    from lengthwise.runs.query import export as write

    if parquet is None and csv is None:
        raise InputError("runs export: name a file with --parquet or --csv.")
    damaged = {}
    if parquet is not None:
        damaged |= write(Store(store), table, parquet, "parquet")
    if csv is not None:
        damaged |= write(Store(store), table, csv, "csv")
    _without(damaged)


def _without(damaged: Mapping[str, str]) -> None:
    """Name the runs whose measurements a table lacks; that is not a success."""
    name_damage(damaged)
    if damaged:
        sys.exit(1)


def watch(
    sweep: str | None = None,
    *,
    once: Annotated[bool, Flag] = False,
    seconds: float = 2.0,
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Watch a sweep from any terminal: done, running, failed and why, time left.

    Example: lengthwise runs watch encodings

    Parameters
    ----------
    sweep
        How the sweep's name begins; by default the newest one of the store.
    once
        Look once and stop.
    seconds
        Time between looks.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Look once and print plain data.
    """
    from lengthwise.cli.watching import status_json, watch_sweep
    from lengthwise.runs.status import status, sweep_of

    where = Store(store)
    name, specs = sweep_of(where, sweep)
    if as_json:
        print_json({"sweep": name, **status_json(status(where, specs))})
        return
    watch_sweep(name, specs, where, once=once, seconds=seconds)


def _row(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "state": row["state"],
        "task": row["task"] or row["problem"],
        "encoding": row["position"],
        "seed": row["seed"],
        "steps": row["steps"],
        "exact match": row["accuracies"],
    }


def _name(text: str | None) -> str | None:
    """Return the name of a task or an encoding without its options."""
    if text is None:
        return None
    head, _, rest = text.partition(":")
    return f"{head}:{rest.partition(':')[0]}" if head.endswith(".py") else head


def _percent(values: list[float]) -> str:
    return " / ".join(f"{value:.1%}" for value in values)


def _show(record: Record, as_json: bool) -> None:
    if as_json:
        spec = record.spec.model_dump(mode="json") if record.spec else None
        result = record.result.model_dump(mode="json", exclude={"spec"}) if record.result else None
        known = {"problem": record.problem, "spec": spec, "result": result}
        print_json({**_row(summary(record)), **known})
        return
    from lengthwise.api.train import Trained
    from lengthwise.cli.console import console, show

    result = load_result(record)
    console().print_json(record.spec.model_dump_json() if record.spec else "null")
    show(Trained([result], record.folder.parent))
