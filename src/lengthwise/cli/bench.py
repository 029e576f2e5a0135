"""``lengthwise dev bench``: how fast, as ratios in one interleaved run."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    smallest and largest ratio of a single round; each group has a process of its own. Exit code 1
    if `--check` finds something slower.

    Example: lengthwise dev bench --group evaluation --rounds 3

    Parameters
    ----------
    group
        Only this group of rows; give it several times for several. All by default: end-to-end,
        steps, profile, data, evaluation, generation, memory, runs, sampling, encodings, programs,
        deciding.
    rounds
        Rounds per row, more where one takes milliseconds; the best counts.
    threads
        Threads for both sides; by default all cores.
    check
        Compare with the ratios of the last release and name what is slower by more than 15%.
    save
        Write rows and machine to this JSON file, group by group; what it holds of others stays.
    as_json
        Print rows as JSON.
    """
    from lengthwise.bench.measure import cells
    from lengthwise.bench.record import Record
    from lengthwise.bench.suite import chosen, ratios, run, slower
    from lengthwise.core.files import write_json
    from lengthwise.records.result import environment

    threads = threads or os.cpu_count() or 1
    record = Record.read(save) if save else Record()
    command = " ".join(["lengthwise dev bench", *(f"--group {name}" for name in group)])
    machine = {**environment("cpu"), "threads": threads}
    rows: list[Row | Figure] = []
    for name in chosen(group):
        found: list[Row | Figure] = []
        for row in run(name, rounds, threads):
            found.append(row)
            sys.stderr.write(f"{_line(row)}\n")
            sys.stderr.flush()
        rows += found
        if save:
            record = record.having(found, f"{command} --rounds {rounds}", machine)
            write_json(save, record.to_json())
    if as_json:
        print_json([row.model_dump() for row in rows])
    else:
        print_table([{"group": row.group, **cells(row)} for row in rows])
    if check and (worse := slower(rows, ratios(Record.stored().rows()))):
        for entry in worse:
            sys.stderr.write(f"slower: {entry['row']}: {entry['before']} -> {entry['now']}\n")
        sys.exit(1)


def _line(row: "Row | Figure") -> str:
    from lengthwise.bench.measure import cells

    found = cells(row)
    return f"{row.group}: {found['row']}: {found['ours']} {found['ratio']}".rstrip()
