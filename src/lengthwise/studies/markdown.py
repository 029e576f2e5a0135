"""A reproduction as Markdown tables, for documents and notes."""

from collections.abc import Iterable, Sequence
from typing import Any

from lengthwise.studies.reproduce import Reproduction


def results(found: Reproduction) -> str:
    """Return claims and tables as Markdown, with where and how long it ran."""
    held, tested = found.share
    machine = found.machine
    statuses = [outcome.status for _, outcome in found.outcomes]
    counts = ", ".join(f"{statuses.count(s)} {s}" for s in ("held", "not held", "not tested"))
    command = f"lengthwise reproduce {found.study.name} --size {found.evidence.size}"
    head = (
        f"`{command}`: {len(found.evidence.records)} runs, {found.seconds / 60:.0f} minutes on "
        f"{machine['cores']} cores ({machine['processor']}, torch {machine['torch']}).\n"
        f"Claims: {counts}; of those expected with small models {held} of {tested} tested held.\n"
    )
    rows = [
        [claim.sentence, claim.where, claim.paper, o.ours, _range(o.interval), o.status, o.reason]
        for claim, o in found.outcomes
    ]
    columns = ["claim", "where", "paper", "ours", "95%", "outcome", "reason"]
    parts = [head, table(columns, rows)]
    for extra in found.study.tables(found.evidence):
        note = f"\n{extra.note}\n" if extra.note else ""
        parts.append(f"**{extra.title}**\n{note}\n{table(extra.columns, extra.rows)}")
    return "\n".join(parts)


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table.

    Example:
        >>> print(table(["a", "b"], [[1, "x|y"]]))
        | a | b |
        | --- | --- |
        | 1 | x\\|y |
        <BLANKLINE>
    """
    lines = [_line(columns), _line("---" for _ in columns), *(_line(row) for row in rows)]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _range(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{interval[0]:.3f}-{interval[1]:.3f}"
