"""``lengthwise bench``: how fast, as ratios in one interleaved run."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, print_json, print_table

if TYPE_CHECKING:
    from lengthwise.bench.measure import Figure, Row

Many = Parameter(consume_multiple=False, negative="")
Flag = Parameter(negative="")


def bench(
    *,
    group: Annotated[tuple[str, ...], Many] = (),
    rounds: Count = 5,
    threads: Count | None = None,
    check: Annotated[bool, Flag] = False,
    save: Path | None = None,
    as_json: Json = False,
) -> None:
    """Measure speed against what people use today.

    Every row times ours and the peer in turn and gives the ratio of the best times, with the
    smallest and largest ratio of a single round. Exit code 1 if `--check` finds something slower.

    Example: lengthwise bench --group evaluation --rounds 3

    Parameters
    ----------
    group
        Only this group of rows; give it several times for several. All by default: end-to-end,
        steps, profile, data, evaluation, generation, memory, runs, sampling, encodings, programs,
        deciding.
    rounds
        Rounds per row; the best counts.
    threads
        Threads for both sides; by default all cores.
    check
        Compare with the ratios of the last release and name what is slower by more than 15%.
    save
        Write the ratios and the machine to this JSON file.
    as_json
        Print rows as JSON.
    """
    import warnings

    from lengthwise.bench.suite import run, slower, stored

    warnings.filterwarnings("ignore")  # the peers' own
    rows = []
    for row in run(group, rounds, threads or os.cpu_count() or 1):
        rows.append(row)
        sys.stderr.write(f"{_line(row)}\n")
        sys.stderr.flush()
    if as_json:
        print_json([row.model_dump() for row in rows])
    else:
        print_table([_cells(row) for row in rows])
    if save:
        _save(save, rows, rounds, threads)
    if check and (worse := slower(rows, stored())):
        for entry in worse:
            sys.stderr.write(f"slower: {entry['row']}: {entry['before']} -> {entry['now']}\n")
        sys.exit(1)


def _line(row: "Row | Figure") -> str:
    cells = _cells(row)
    return f"{cells['group']}: {cells['row']}: {cells['ours']} {cells['ratio']}".rstrip()


def _cells(row: "Row | Figure") -> dict[str, Any]:
    from lengthwise.bench.measure import Row

    if not isinstance(row, Row):
        limit = "" if row.at_most is None else f"at most {row.at_most:g}"
        good = "" if row.at_most is None else ("yes" if row.value <= row.at_most else "NO")
        return {
            "group": row.group,
            "row": row.name,
            "ours": f"{row.value:.3g} {row.unit}",
            "peer": "",
            "ratio": "",
            "spread": "",
            "asked": limit,
            "reached": good,
        }
    return {
        "group": row.group,
        "row": row.name,
        "ours": _time(row.ours),
        "peer": f"{_time(row.theirs)} {row.peer}",
        "ratio": f"{row.ratio:.2f}x",
        "spread": f"{row.low:.2f}-{row.high:.2f}",
        "asked": "" if row.at_least is None else f"{row.at_least:g}x",
        "reached": {None: "", True: "yes", False: "NO"}[row.reached],
    }


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def _save(path: Path, rows: list[Any], rounds: int, threads: int | None) -> None:
    from lengthwise.bench.suite import ratios
    from lengthwise.runs.files import write_json
    from lengthwise.runs.result import environment

    write_json(
        path,
        {
            "command": f"lengthwise bench --rounds {rounds}",
            "machine": {**environment("cpu"), "threads": threads or os.cpu_count()},
            "ratios": ratios(rows),
        },
    )
