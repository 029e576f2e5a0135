"""A reproduction as Markdown tables, for documents and notes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lengthwise.records.outcomes import headline


def results(found: Mapping[str, Any], *, full: bool = False) -> str:
    """Return claims and tables of a study's plain data, with where and how long it ran.

    Claims that held are counted and left out, unless ``full``.
    """
    machine = found["machine"]
    claims = [c for c in found["claims"] if full or c["status"] != "held"]
    held = len(found["claims"]) - len(claims)
    head = (
        f"`{found['command']}`: {len(found['runs'])} runs, {found['seconds'] / 60:.0f} minutes on "
        f"{machine['cores']} cores ({machine['processor']}, torch {machine['torch']}).\n"
        f"{summary(found)}\n"
    )
    keys = ("sentence", "section", "paper", "ours", "interval", "status", "reason")
    rows = [[_range(c[key]) if key == "interval" else c[key] for key in keys] for c in claims]
    columns = ["claim", "where", "paper", "ours", "95%", "outcome", "reason"]
    parts = [head, table(columns, rows)] if rows else [head]
    if held:
        every = f"`lengthwise reproduce {found['study']} --kept --edition {found['edition']} --all`"
        parts.append(f"Left out of the table, because they held: {held} ({every} prints all).\n")
    for extra in found["tables"]:
        note = f"\n{extra['note']}\n" if extra["note"] else ""
        parts.append(f"**{extra['title']}**\n{note}\n{table(extra['columns'], extra['rows'])}")
    return "\n".join(parts)


def summary(found: Mapping[str, Any]) -> str:
    """Say in a line how the claims came out, under which edition, and how much of it was run.

    Example:
        >>> claims = [{"status": "held", "headline": True}]
        >>> summary({"edition": 2, "frozen": "1a2b", "claims": claims})
        'Claims: 1 of 1 held. Edition 2 (1a2b).'
    """
    claims = found["claims"]
    main = [claim["status"] for claim in claims if claim.get("headline", True)]
    other = [claim["status"] for claim in claims if not claim.get("headline", True)]
    parts = [f"Claims: {headline(main)}."]
    if other:
        parts.append(f"Exploratory: {headline(other)}.")
    return " ".join([*parts, provenance(found)])


def provenance(found: Mapping[str, Any]) -> str:
    """Say under which edition results were made, and how much of it was run.

    Example:
        >>> provenance({"edition": 2, "frozen": "1a2b"})
        'Edition 2 (1a2b).'
    """
    parts = [f"Edition {found['edition']} ({found['frozen']})."]
    made = found.get("progress") or {"run": 0, "planned": 0}
    if made["run"] < made["planned"]:
        parts.append(f"Unfinished: {made['run']} of {made['planned']} cells run.")
    if found.get("rules") == "old":
        parts.append("Made under the old rules: most cells have one seed.")
    return " ".join(parts)


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


def _range(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f"{interval[0]:.3f}-{interval[1]:.3f}"
