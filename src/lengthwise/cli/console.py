"""How commands print: tables for people, JSON for programs."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from cyclopts import Parameter, Token, validators
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lengthwise.api.shown import Rows, Sentence, Shown
from lengthwise.core.text import printable
from lengthwise.runs.distributed import leader


def _whole(_: Any, tokens: Sequence[Token]) -> int:
    """Read a whole number; without this 2.5 would be taken as 2."""
    text = tokens[0].value
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number.") from None


Json = Annotated[bool, Parameter(name="--json", negative="")]
"""Type of the ``--json`` flag that every listing has."""
Whole = Annotated[int, Parameter(converter=_whole)]
"""Type of options that take a whole number; a bare ``int`` would round."""
Seed = Annotated[int, Parameter(converter=_whole, validator=validators.Number(gte=0, lt=2**63))]
"""Type of ``--seed``: what random generators take."""
Count = Annotated[int, Parameter(converter=_whole, validator=validators.Number(gte=1))]
"""Type of options that count something there must be one of."""


NARROW = 6
"""Columns of a terminal that a column of a table needs, borders included."""


def console() -> Console:
    """Return the console for standard output; plain and unwrapped when it is not a terminal."""
    if sys.stdout.isatty():
        return Console()
    return Console(width=200, color_system=None, soft_wrap=True)


def print_json(value: Any) -> None:
    """Print ``value`` as indented JSON on standard output."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n")


def name_damage(damaged: Mapping[str, str], most: int = 10) -> None:
    """Name damaged runs (run to problem) on standard error, one a line."""
    if not damaged:
        return
    from lengthwise.records.record import damage

    for run, problem in list(damaged.items())[:most]:
        sys.stderr.write(printable(damage(run, problem)) + "\n")
    if len(damaged) > most:
        sys.stderr.write(f"damaged: {len(damaged)} runs; `lengthwise runs --state damaged`\n")


def print_table(rows: Sequence[Mapping[str, Any]], *, title: str | None = None) -> None:
    """Print rows of equal keys as one table of plain text; the keys are the headings.

    Where the columns would be a letter or two wide, each row is a list of its values.
    """
    if title is not None:
        say(title)
    if rows and NARROW * len(rows[0]) > console().width:
        names = max(map(len, rows[0]))
        for row in rows:
            lines = [f"{key:<{names}}  {value}" for key, value in row.items() if value is not None]
            say("\n".join([*lines, ""]))
        return
    table = Table()
    for heading in rows[0] if rows else ():
        table.add_column(Text(heading, style="bold"), overflow="fold")
    for row in rows:
        table.add_row(*(plain("" if value is None else str(value)) for value in row.values()))
    console().print(table)


def plain(text: str) -> Text:
    """Return text that has no markup, and no commands for the terminal."""
    return Text(printable(text))


def say(text: str) -> None:
    """Print text as it is, without markup, colours or wrapping."""
    console().print(plain(text), soft_wrap=True)


def show(result: Shown, *, as_json: bool = False) -> None:
    """Print what a verb returned; under ``torchrun`` one process prints for all."""
    if not leader():
        return
    if as_json:
        print_json(result.to_json())
        return
    for part in result.parts():
        if isinstance(part, Rows):
            print_table(part.rows, title=part.title)
        elif isinstance(part, Sentence):
            console().print(plain(part))
        else:
            say(part)
