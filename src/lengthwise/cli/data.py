"""``lengthwise tasks`` and ``lengthwise show``: what there is to learn."""

from lengthwise.cli.console import Json, console, print_json, print_table


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
    task: str, *, length: int = 5, count: int = 3, seed: int = 0, as_json: Json = False
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
    as_json
        Print the lines as a JSON list.
    """
    import numpy as np

    from lengthwise.tasks import load_task

    chosen = load_task(task)
    lengths = np.repeat(chosen.check_range(length, length), count)
    lines = chosen.render(chosen.sample(np.random.default_rng(seed), lengths))
    if as_json:
        print_json(lines)
        return
    for line in lines:
        console().print(line, markup=False, highlight=False)
