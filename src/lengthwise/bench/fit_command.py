"""What ``lengthwise dev bench --group fitting`` does: compare recipes, or search for them."""

import dataclasses
import os
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

from lengthwise.bench.bench_record import BenchRecord
from lengthwise.bench.fit_cells import FitCell
from lengthwise.bench.fit_group import TODAY, fit_jobs, measure_all, recipe_name
from lengthwise.bench.fit_problems import DEVELOPMENT
from lengthwise.bench.fit_search import ROUNDS, search
from lengthwise.bench.fit_table import fit_rows, fit_table
from lengthwise.bench.measure import Figure, Row
from lengthwise.core.files import write_json
from lengthwise.records.result import environment


def compare_recipes(
    results: Path, problems: tuple[str, ...], seeds: int, hours: float | None, save: Path | None
) -> tuple[list[dict[str, Any]], list[Row | Figure]]:
    """Train what the file lacks; return the table of problems and the summary."""
    record = BenchRecord.read(save) if save else None
    jobs = fit_jobs(problems, seeds)
    found = measure_all(jobs, results, processes=_processes(), hours=hours, told=_tell)
    rows = fit_rows(found, recipe_name(), TODAY)
    if record is not None and save is not None:
        command = f"lengthwise dev bench --group fitting --results {results.name} --seeds {seeds}"
        machine = {**environment("cpu"), "threads": 1}
        write_json(save, record.having(rows, command, machine).to_json())
    return fit_table(found, recipe_name()), rows


def search_recipes(results: Path, hours: float | None) -> dict[str, list[dict[str, Any]]]:
    """Search both rungs for both kinds of encodings; return the standings of every round.

    The first round comes first for all of them, so that a search that is cut short has seen all.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    end = None if hours is None else time.monotonic() + 3600 * hours
    how: dict[str, Any] = {"processes": _processes(), "told": _tell}
    most = max(map(len, ROUNDS.values()))
    for rounds, rung, encoding in product(range(1, most + 1), DEVELOPMENT, ("ape", "nope")):
        left = None if end is None else max(0.0, end - time.monotonic()) / 3600
        standings = search(rung, encoding, results, rounds=rounds, hours=left, **how)
        if len(standings) == rounds:
            where = {"rung": rung, "encoding": encoding, "round": rounds}
            name = " ".join(map(str, where.values()))
            found[name] = [where | dataclasses.asdict(one) for one in standings[-1]]
    return found


def _processes() -> int:
    return os.cpu_count() or 1


def _tell(cell: FitCell) -> None:
    reached = f"fits in {cell.fit_seconds:.3g} s" if cell.fitted else "does not fit"
    sys.stderr.write(f"{cell.task} {cell.encoding}, {cell.recipe}, seed {cell.seed}: {reached}\n")
    sys.stderr.flush()
