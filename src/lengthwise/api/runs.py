"""The runs of a store: ``lw.runs.query()``; each is ``lengthwise runs NAME``.

What is no verb is a name of the room ``lengthwise.runs``: ``lw.runs.store``.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.sweep import select as select
from lengthwise.api.sweep import work as work
from lengthwise.api.verb import verb
from lengthwise.api.verified_store import verify as verify
from lengthwise.core.bounds import Whole
from lengthwise.core.errors import unknown
from lengthwise.core.later import names_of

if TYPE_CHECKING:
    from lengthwise.records.record import Record
    from lengthwise.runs.index import Row
    from lengthwise.runs.query import QueryResult
    from lengthwise.runs.store import Store

__getattr__ = names_of("lengthwise.runs")


@dataclass(frozen=True)
class ListedRuns(Shown):
    """Runs of a store, oldest first."""

    rows: Sequence[Mapping[str, Any]]
    store: Path
    limit: int
    problems: Mapping[str, str]

    def _newest(self) -> Sequence[Mapping[str, Any]]:
        return self.rows[-self.limit :] if self.limit else self.rows

    def parts(self) -> Iterator[str | Rows]:
        """Yield a table of the newest."""
        if self.rows:
            shown = self._newest()
            yield Rows([{**row, "exact match": _percent(row["exact match"])} for row in shown])

    def to_json(self) -> list[dict[str, Any]]:
        """Return all, whatever the limit."""
        return [dict(row) for row in self.rows]

    def notes(self) -> Iterator[str]:
        """Say that there is none, or that there are more."""
        if not self.rows:
            yield f"no runs in {str(self.store)!r}"
        elif len(self._newest()) < len(self.rows):
            yield f"the newest {self.limit} of {len(self.rows)}; --limit 0 shows all"

    @property
    def damaged(self) -> Mapping[str, str]:
        """Damaged runs; whatever they were, they are named."""
        return self.problems

    def failed(self) -> bool:
        """A listing shows damaged runs as such: nothing is missing from it."""
        return False


@dataclass(frozen=True)
class OneRun(Shown):
    """One run with its specification and, where it is finished, its curve."""

    record: "Record"

    def parts(self) -> Iterator[str | Rows]:
        """Yield the specification, the table and the curve."""
        from lengthwise.api.train import Trained
        from lengthwise.records.record import load_result

        result = load_result(self.record)
        spec = json.loads(result.spec.model_dump_json())
        yield json.dumps(spec, indent=2, ensure_ascii=False)
        yield from Trained([result], self.record.folder.parent).parts()

    def to_json(self) -> dict[str, Any]:
        """Return everything known, also of a run that is not finished or damaged."""
        from lengthwise.runs.index import summary

        record = self.record
        spec = record.spec.model_dump(mode="json") if record.spec else None
        result = record.result.model_dump(mode="json", exclude={"spec"}) if record.result else None
        known = {"problem": record.problem, "spec": spec, "result": result}
        return {**_row(summary(record)), **known}


@verb()
def list_runs(
    id: str | None = None,
    *,
    task: str | None = None,
    encoding: str | None = None,
    state: str | None = None,
    limit: Whole = 100,
    rebuild: bool = False,
    store: Path | None = None,
) -> ListedRuns | OneRun:
    """List the runs of the store, or show one.

    Example: lengthwise runs --task parity --state done

    Args:
        id: Show the run whose id begins like this, with its curve.
        task: Only runs of this task.
        encoding: Only runs with this position encoding.
        state: Only runs that are done, unfinished, failed or damaged.
        limit: Show at most so many of the newest; 0 shows all. JSON always has all.
        rebuild: Read every folder anew instead of what is remembered of finished runs.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    from lengthwise.records.record import STATES
    from lengthwise.runs.index import damaged, rows
    from lengthwise.runs.store import Store

    where = Store(store)
    if state is not None and state not in STATES:
        raise unknown("--state", state, STATES)
    if id is not None:
        return OneRun(where.find(id))
    found = [
        row
        for row in rows(where, rebuild=rebuild)
        if row["task"] is None  # damaged: it may be any
        or (
            (task is None or task in (row["task"], _name(row["task"])))
            and (encoding is None or encoding in (row["position"], _name(row["position"])))
        )
    ]
    chosen = [_row(row) for row in found if state in (None, row["state"])]
    return ListedRuns(chosen, where.root, limit, damaged(found))


@dataclass(frozen=True)
class QueryRows(Shown):
    """The rows that answer a query."""

    answer: "QueryResult"

    def parts(self) -> Iterator[str | Rows]:
        """Yield the table."""
        if self.answer.rows:
            yield Rows(self.answer.dictionaries())

    def to_json(self) -> list[dict[str, Any]]:
        """Return one dictionary per row."""
        return self.answer.dictionaries()

    def notes(self) -> Iterator[str]:
        """Say that nothing was found."""
        if not self.answer.rows:
            yield "no rows"

    @property
    def damaged(self) -> Mapping[str, str]:
        """The runs whose measurements the tables lack."""
        return self.answer.damaged


@verb()
def query(sql: str, *, store: Path | None = None) -> QueryRows:
    """Answer an SQL query over the store, which it cannot change.

    Tables: runs, bins, lengths and history, all with the run's id; fields of the specification are
    columns of runs such as model_width and training_steps.

    Example: lengthwise runs query 'select position, avg(accuracy) from bins join runs using (id) \
where bin = 1 group by position'

    Args:
        sql: The query, in DuckDB's SQL.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    from lengthwise.runs.query import query as ask
    from lengthwise.runs.store import Store

    return QueryRows(ask(Store(store), sql))


Table = Literal["runs", "bins", "lengths", "history"]


class ExportedTable(Shown):
    """A table of a store, to be written; it is read when it is asked for."""

    def __init__(self, store: "Store", table: Table) -> None:
        self.store = store
        self.table: Table = table
        self._lacking: Mapping[str, str] | None = None

    def parts(self) -> Iterator[str | Rows]:
        """Yield nothing: the file is the output."""
        yield from ()

    def to_json(self) -> list[dict[str, Any]]:
        """Return the rows."""
        from lengthwise.runs.query import query as ask

        found = ask(self.store, f"from {self.table} order by all")
        self._lacking = found.damaged
        return found.dictionaries()

    @property
    def damaged(self) -> Mapping[str, str]:
        """The runs whose measurements the table lacks."""
        if self._lacking is None:
            self.to_json()
        assert self._lacking is not None
        return self._lacking

    @writes(".parquet", needed=True)
    def parquet(self, path: Path) -> None:
        """Write Parquet to this file."""
        from lengthwise.runs.query import export as write

        self._lacking = write(self.store, self.table, path, "parquet")

    @writes(".csv", needed=True)
    def csv(self, path: Path) -> None:
        """Write CSV to this file."""
        from lengthwise.runs.query import export as write

        self._lacking = write(self.store, self.table, path, "csv")


@verb()
def export(*, table: Table = "runs", store: Path | None = None) -> ExportedTable:
    """Write a table of the store to a file for pandas, polars or a spreadsheet.

    Example: lengthwise runs export --parquet lengths.parquet --table lengths

    Args:
        table: Which one: runs (one row each), bins (per range of lengths), lengths (per length) or
            history.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    from lengthwise.runs.store import Store

    return ExportedTable(Store(store), table)


def _row(row: "Row") -> dict[str, Any]:
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
