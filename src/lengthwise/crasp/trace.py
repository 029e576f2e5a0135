"""Every operation's value at every position, as a table for the terminal or the browser."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from lengthwise.crasp.interpreter import (
    accepts,
    as_words,
    evaluate_expressions,
    read_at,
)
from lengthwise.crasp.printer import show
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool, Constant, Expression, Number, postorder
from lengthwise.languages.convention import Accept
from lengthwise.languages.words import Word

TRUE, FALSE = "●", "·"
END = "⊣"


@dataclass(frozen=True)
class Trace:
    """One word's run: a row of cells per operation, and whether the word was accepted.

    ``accepted`` is None for a generating program.
    """

    word: tuple[str, ...]
    rows: tuple[tuple[str, tuple[bool | int, ...]], ...]
    accepted: bool | None
    accept: Accept

    def to_text(self) -> str:
        """Return an aligned table; Booleans are marks, the last line is the result."""
        header = ("", *self.word, *((END,) if self.accept == "end" else ()))
        table = [header, *((name, *map(_mark, cells)) for name, cells in self.rows)]
        widths = [max(len(row[column]) for row in table) for column in range(len(header))]
        lines = ["  ".join(_cells(row, widths)).rstrip() for row in table]
        if self.accepted is not None:
            lines.append("accepted" if self.accepted else "rejected")
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """Return a complete HTML page with one table."""
        header = ("", *self.word, *((END,) if self.accept == "end" else ()))
        head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
        body = "\n".join(_html_row(name, cells) for name, cells in self.rows)
        verdict = {None: "", True: "<p>accepted</p>", False: "<p>rejected</p>"}[self.accepted]
        return _PAGE.format(head=head, body=body, verdict=verdict)


def trace(
    program: Program, word: Word, *, accept: Accept = "last", operations: bool = False
) -> Trace:
    """Run one word and keep every definition's values; ``operations`` keeps unnamed parts too.

    Example:
        >>> from lengthwise.crasp.embedding import Q, count
        >>> program = Program({"C": count(Q["a"]), "more": count(Q["a"]) > 1})
        >>> print(trace(program, "aba").to_text(), end="")
              a  b  a
        C     1  1  2
        more  ·  ·  ●
        accepted
    """
    batch = as_words(program, [word])
    named = _rows(program, operations)
    nodes = [node for _, node in named]
    columns = [list(value[0]) for value in evaluate_expressions(nodes, batch)]
    if accept == "end":
        for cells, value in zip(columns, read_at(nodes, batch, "end"), strict=True):
            cells.append(value[0])
    rows = tuple(
        (name, tuple(bool(c) if isinstance(node, Bool) else int(c) for c in cells))
        for (name, node), cells in zip(named, columns, strict=True)
    )
    verdict = None if program.is_generator else bool(accepts(program, batch, accept=accept)[0])
    return Trace(tuple(word), rows, verdict, accept)


def _rows(program: Program, operations: bool) -> list[tuple[str, Expression]]:
    outputs = [(f'next "{name}"', node) for name, node in program.next.items()]
    if not operations:
        return [*program.definitions, *outputs]
    names = {node: name for name, node in program.definitions if not isinstance(node, Number)}
    rows: list[tuple[str, Expression]] = []
    for node in postorder(program.roots):
        if isinstance(node, Constant | Number):
            continue
        label = names.pop(node, None)
        text = show(node, names)
        rows.append((text if label is None else f"{label} = {text}", node))
        if label is not None:
            names[node] = label
    return [*rows, *outputs]


def _mark(cell: bool | int) -> str:
    if isinstance(cell, bool):
        return TRUE if cell else FALSE
    return str(cell)


def _cells(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        row[0].ljust(widths[0]),
        *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
    ]


def _html_row(name: str, cells: Sequence[bool | int]) -> str:
    def cell(value: bool | int) -> str:
        if isinstance(value, bool):
            return f'<td class="{"yes" if value else "no"}">{_mark(value)}</td>'
        return f"<td>{value}</td>"

    return f"<tr><th>{escape(name)}</th>{''.join(cell(value) for value in cells)}</tr>"


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>C-RASP trace</title>
<style>
body {{ font-family: system-ui, sans-serif; margin: 2em; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ border: 1px solid #ddd; padding: 0.25em 0.6em; text-align: right; }}
th {{ background: #f6f6f6; position: sticky; left: 0; text-align: left; font-weight: 600; }}
td.yes {{ background: #d8f0dd; }}
td.no {{ color: #bbb; }}
</style>
</head>
<body>
<table>
<thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody>
</table>
{verdict}
</body>
</html>
"""
