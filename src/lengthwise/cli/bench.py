"""``lengthwise dev bench``: how fast, as ratios in one interleaved run."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from lengthwise.cli.console import Count, Json, print_json, print_table
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.bench.measure import Measured

Many = Parameter(consume_multiple=False, negative="")
Flag = Parameter(negative="")


def bench(
    *,
    group: Annotated[tuple[str, ...], Many] = (),
    rounds: Count = 5,
    threads: Count | None = None,
    check: Annotated[bool, Flag] = False,
    save: Path | None = None,
    results: Path | None = None,
    problem: Annotated[tuple[str, ...], Many] = (),
    seeds: Count = 5,
    hours: Annotated[float | None, Parameter(validator=Number(gt=0))] = None,
    search: Annotated[bool, Flag] = False,
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
        start-up, deciding, answers (which says how often `predict` is right, not how fast it
        is). The group fitting takes hours and is measured only if named, with
        `--results`.
    rounds
        Rounds per row, more where one takes milliseconds; the best counts.
    threads
        Threads for both sides; by default all cores.
    check
        Compare with the ratios of the last release and name what is slower by more than 15%.
    save
        Write rows and machine to this JSON file, group by group; what it holds of others stays.
    results
        With `--group fitting`: the file to which every trained model is written, one a line; what
        it holds is not trained again.
    problem
        With `--group fitting`: only this task or study; give it several times for several.
    seeds
        With `--group fitting`: seeds for each problem and recipe.
    hours
        With `--group fitting`: begin nothing after so many hours.
    search
        With `--group fitting`: search for recipes on the development problems instead.
    as_json
        Print rows as JSON.
    """
    if "fitting" in group:
        _fitting(group, results, problem, seeds, hours, search, save, as_json)
        return
    if results or problem or hours or search:
        raise InputError("--results, --problem, --hours and --search are for --group fitting.")
    from lengthwise.bench.bench_record import BenchRecord
    from lengthwise.bench.measure import cells
    from lengthwise.bench.suite import chosen, ratios, run, slower
    from lengthwise.core.outputs import save_json
    from lengthwise.records.result import environment

    threads = threads or os.cpu_count() or 1
    record = BenchRecord.read(save) if save else BenchRecord()
    command = " ".join(["lengthwise dev bench", *(f"--group {name}" for name in group)])
    machine = {**environment("cpu"), "threads": threads}
    rows: list[Measured] = []
    for name in chosen(group):
        found: list[Measured] = []
        for row in run(name, rounds, threads):
            found.append(row)
            sys.stderr.write(f"{_line(row)}\n")
            sys.stderr.flush()
        rows += found
        if save:
            record = record.having(found, f"{command} --rounds {rounds}", machine)
            save_json(save, record.to_json())
    if as_json:
        print_json([row.model_dump() for row in rows])
    else:
        for kind in dict.fromkeys(map(type, rows)):  # kinds of rows have columns of their own
            print_table([{"group": r.group, **cells(r)} for r in rows if isinstance(r, kind)])
    if check and (worse := slower(rows, ratios(BenchRecord.stored().rows()))):
        for entry in worse:
            sys.stderr.write(f"slower: {entry['row']}: {entry['before']} -> {entry['now']}\n")
        sys.exit(1)


def _fitting(
    group: tuple[str, ...],
    results: Path | None,
    problem: tuple[str, ...],
    seeds: int,
    hours: float | None,
    search: bool,
    save: Path | None,
    as_json: bool,
) -> None:
    """Measure the group that takes hours; its state is the file of results."""
    from lengthwise.bench.fit_command import compare_recipes, search_recipes

    if len(group) > 1:
        raise InputError("--group fitting takes hours and is measured alone.")
    if results is None:
        raise InputError("--group fitting: name a file with --results; it is continued from there.")
    if search:
        found = search_recipes(results, hours)
        print_json(found) if as_json else [print_table(part) for part in found.values() if part]
        return
    table, rows = compare_recipes(results, problem, seeds, hours, save)
    if as_json:
        print_json({"problems": table, "rows": [row.model_dump() for row in rows]})
    else:
        from lengthwise.bench.measure import cells

        print_table(table)
        print_table([cells(row) for row in rows])


def _line(row: "Measured") -> str:
    from lengthwise.bench.measure import cells

    found = cells(row)
    shown = " ".join(found.get(name, "") for name in ("ours", "ratio", "answer", "outcome"))
    return f"{row.group}: {found['row']}: {' '.join(shown.split())}"
