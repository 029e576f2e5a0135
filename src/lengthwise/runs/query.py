"""SQL over the store through embedded duckdb: no server, and the store cannot be changed by it.

Tables: ``runs`` (one row per run, with every field of its specification as ``model_width``,
``training_steps``, ...), ``bins`` (accuracy per range of lengths), ``lengths`` (counts per single
length) and ``history`` (every evaluation). All have the run's ``id``.
"""

import errno
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import duckdb

from lengthwise.core.errors import InputError
from lengthwise.core.outputs import saved
from lengthwise.runs.details import Details, details, forget
from lengthwise.runs.store import Store
from lengthwise.runs.sweep import PARTS

Table = Literal["runs", "bins", "lengths", "history"]
TABLES: tuple[Table, ...] = get_args(Table)

_BIN = "bin INTEGER, low INTEGER, high INTEGER, correct BIGINT, total BIGINT, accuracy DOUBLE"
_COLUMNS = {
    "id": "VARCHAR",
    "state": "VARCHAR",
    "task": "VARCHAR",
    "position": "VARCHAR",
    "seed": "BIGINT",
    "steps": "BIGINT",
    "stopped": "VARCHAR",
    "seconds": "DOUBLE",
    "accuracies": "DOUBLE[]",
    "problem": "VARCHAR",
    "digests": "BOOLEAN",
    "spec": "JSON",
    "bins": f"STRUCT({_BIN})[]",
    "lengths": "STRUCT(bin INTEGER, length INTEGER, correct BIGINT, total BIGINT)[]",
    "history": f"STRUCT(step BIGINT, loss DOUBLE, {_BIN})[]",
}


@dataclass(frozen=True)
class QueryResult:
    """The answer to a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    damaged: Mapping[str, str] = field(default_factory=dict)
    """Run to problem: the runs without measurements, if the query is about these."""

    def dictionaries(self) -> list[dict[str, Any]]:
        """Return one dictionary per row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def query(store: Store, sql: str) -> QueryResult:
    """Answer one SQL statement.

    Example:
        >>> import tempfile
        >>> query(Store(tempfile.mkdtemp()), "select count(*) as n from runs").dictionaries()
        [{'n': 0}]
    """
    named: list[Table] = [name for name in TABLES if re.search(rf"\b{name}\b", sql, re.IGNORECASE)]
    with _database(store, named) as database:
        database.execute("SET enable_external_access = false")
        try:
            found = database.execute(sql)
            if found is None:
                raise InputError("query: it is empty.")
            columns = tuple(column[0] for column in found.description or ())
            return QueryResult(columns, tuple(found.fetchall()), _damaged(database, named))
        except duckdb.Error as error:
            raise InputError(f"query: {_first_lines(error)}") from None


def _damaged(database: duckdb.DuckDBPyConnection, tables: Sequence[Table]) -> Mapping[str, str]:
    """Return the damaged runs that tables of measurements lack; ``runs`` has a row for each."""
    if not set(tables) - {"runs"}:
        return {}
    return dict(
        database.execute("SELECT id, problem FROM details WHERE state = 'damaged'").fetchall()
    )


def export(
    store: Store, table: Table, path: Path, kind: Literal["parquet", "csv"]
) -> Mapping[str, str]:
    """Write a table as Parquet or CSV, in one step; return the damaged runs, as for a query."""
    options = {"parquet": "FORMAT parquet", "csv": "FORMAT csv, HEADER"}[kind]
    with _database(store, [table]) as database, saved(path) as temporary:
        target = str(temporary).replace("'", "''")
        try:
            database.execute(f"COPY {table} TO '{target}' ({options})")
        except duckdb.Error as error:
            full = "No space left" in str(error)
            code = errno.ENOSPC if full else errno.EIO
            raise OSError(code, _first_lines(error)) from None
        return _damaged(database, [table])


@contextmanager
def _database(store: Store, tables: Sequence[Table]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database in memory with the tables that are needed."""
    settings: dict[str, Any] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    with tempfile.TemporaryDirectory() as folder:
        database = duckdb.connect(":memory:", config=settings)
        try:
            if tables:
                _load(database, store, Path(folder))
            for table in tables:
                database.execute(_definition(table))
            yield database
        finally:
            database.close()


def _load(database: duckdb.DuckDBPyConnection, store: Store, folder: Path) -> None:
    """Read the store into the table ``details``."""
    if _read(database, details(store, folder), folder):
        return
    forget(store)  # damaged, or replaced by another process meanwhile
    if not _read(database, details(store, folder), folder):
        raise InputError(f"store {str(store.root)!r} changes while it is read; ask again.")


def _read(database: duckdb.DuckDBPyConnection, found: Details, folder: Path) -> bool:
    """Read the lines that hold; say whether all of them were there."""
    marks = folder / "current.jsonl"
    lines = (json.dumps({"id": run, "stamp": mark}) for run, mark in found.current.items())
    marks.write_text("".join(line + "\n" for line in lines))
    columns = ", ".join(_COLUMNS)
    finished = _lines(found.finished, {"stamp": "VARCHAR", **_COLUMNS})
    current = _lines(marks, {"id": "VARCHAR", "stamp": "VARCHAR"})
    try:
        database.execute(
            f"CREATE OR REPLACE TABLE details AS SELECT DISTINCT ON (id) {columns} FROM {finished} "
            f"WHERE (id, stamp) IN (SELECT (id, stamp) FROM {current})"
        )
        count = database.execute("SELECT count(*) FROM details").fetchall()[0][0]
        others = _lines(found.others, _COLUMNS)
        database.execute(f"INSERT INTO details SELECT {columns} FROM {others}")
    except duckdb.Error:
        return False
    return count == len(found.current)


def _lines(path: Path, columns: dict[str, str]) -> str:
    """Return SQL that reads a file of JSON lines."""
    name = str(path).replace("'", "''")
    kinds = ", ".join(f"{column}: '{kind}'" for column, kind in columns.items())
    return f"read_json('{name}', format='newline_delimited', columns={{{kinds}}})"


def _definition(table: Table) -> str:
    if table == "runs":
        plain = [name for name, kind in _COLUMNS.items() if "STRUCT" not in kind and name != "spec"]
        fields = ", ".join([*plain, *_fields(), "spec"])
        return f"CREATE TABLE runs AS SELECT {fields} FROM details"
    return (
        f"CREATE TABLE {table} AS SELECT id, unnest({table}, recursive := true) FROM details "
        f"WHERE len({table}) > 0"
    )


def _fields() -> list[str]:
    """Return SQL for every field of a specification as a column of its own."""
    columns = []
    for part, model in PARTS.items():
        for name, info in model.model_fields.items():
            kind = _sql_type(info.annotation)
            value = f"spec->>'$.{part}.{name}'"
            columns.append(f"TRY_CAST({value} AS {kind}) AS {part}_{name}")
    return columns


def _sql_type(annotation: Any) -> str:
    """Return the column type of a field: its plain type, or text."""
    kinds = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}
    if get_origin(annotation) is tuple:
        return "VARCHAR"
    choices = [annotation, *(kind for kind in get_args(annotation) if kind is not type(None))]
    return next((kinds[kind] for kind in choices if kind in kinds), "VARCHAR")


def _first_lines(error: Exception) -> str:
    return " ".join(str(error).split())
