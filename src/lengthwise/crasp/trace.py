"""Every operation's value at every position, as a table."""

from collections.abc import Sequence
from dataclasses import dataclass

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
        table = [header, *((name, *map(mark, cells)) for name, cells in self.rows)]
        widths = [max(len(row[column]) for row in table) for column in range(len(header))]
        lines = ["  ".join(_cells(row, widths)).rstrip() for row in table]
        if self.accepted is not None:
            lines.append("accepted" if self.accepted else "rejected")
        return "\n".join(lines) + "\n"


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


def mark(cell: bool | int) -> str:
    """Return a value as it is shown: a dot for true, a number for a count."""
    if isinstance(cell, bool):
        return TRUE if cell else FALSE
    return str(cell)


def _cells(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        row[0].ljust(widths[0]),
        *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
    ]
