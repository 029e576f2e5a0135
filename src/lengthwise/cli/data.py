"""``lengthwise tasks`` and ``lengthwise show``: what there is to learn."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Seed, Whole, console, print_json, print_table
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.tasks.base import Task


def tasks(*, as_json: Json = False) -> None:
    """List the tasks.

    Example: lengthwise tasks --json

    Parameters
    ----------
    as_json
        Print the list as JSON.
    """
    from lengthwise.tasks import TASKS

    rows = []
    for name in TASKS:
        kind = TASKS.load(name)
        takes = getattr(kind, "argument", None)
        rows.append({"task": f"{name}:{takes.upper()}" if takes else name, "summary": kind.summary})
    if as_json:
        print_json(rows)
    else:
        print_table(rows)


def show(
    task: str,
    *,
    length: Whole = 5,
    count: Count = 3,
    seed: Seed = 0,
    windows: Annotated[bool, Parameter(negative="")] = False,
    as_json: Json = False,
) -> None:
    """Print examples of a task in readable form; the answer stands behind the arrow.

    Example: lengthwise show addition --length 8

    Parameters
    ----------
    task
        A task by name, `name:option=value`, or `file.py:Class`.
    length
        Length of the examples.
    count
        How many examples.
    seed
        Seed of the draw.
    windows
        Print the ranges of lengths of the papers instead of examples: where to train and to test.
    as_json
        Print the lines as a JSON list.
    """
    import numpy as np

    from lengthwise.tasks import load_task

    chosen = load_task(task)
    if windows:
        _show_windows(chosen, as_json)
        return
    lengths = np.repeat(chosen.check_range(length, length), count)
    lines = chosen.render(chosen.sample(np.random.default_rng(seed), lengths))
    if as_json:
        print_json(lines)
        return
    for line in lines:
        console().print(line, markup=False, highlight=False)


def _show_windows(task: "Task", as_json: bool) -> None:
    from lengthwise.tasks.formal.lengths import length_ranges

    rows = length_ranges(task)
    if not rows:
        raise InputError(f"task {task.name!r}: the papers give no ranges of lengths for it.")
    if as_json:
        print_json(rows)
    else:
        print_table(rows)
