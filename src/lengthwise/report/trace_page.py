"""A program's run on a word: every definition's value at every position."""

from lengthwise.crasp.program import Program
from lengthwise.crasp.trace import END, Trace, mark
from lengthwise.report.document import Document, Prose, Section, Table, TableCell


def trace_document(name: str, program: Program, found: Trace) -> Document:
    """Lay out the run and the program."""
    outcome = {True: "Accepted", False: "Rejected", None: "Read"}[found.accepted]
    note = (
        "Each row is a definition, each column a position. \N{BLACK CIRCLE} true, "
        "\N{MIDDLE DOT} false; counts are tinted by their size."
    )
    return Document(
        f"{name} on {' '.join(found.word) or 'the empty word'}",
        f"{outcome} by {name} at {_where(found)}." if found.word else f"{outcome} by {name}.",
        facts=[("symbols", str(len(found.word))), ("definitions", str(len(found.rows)))],
        sections=[
            Section("Value by value", [trace_table(found)], note),
            Section("The program", [Prose(str(program).rstrip(), code=True)]),
        ],
    )


def _where(found: Trace) -> str:
    return "the end marker" if found.accept == "end" else "the last symbol"


def trace_table(found: Trace, title: str = "") -> Table:
    """Return the values as a table: a column per position, the end marker last."""
    columns = ["", *found.word, *((END,) if found.accept == "end" else ())]
    under = ["", *(str(place) for place in range(1, len(columns)))]
    rows = [[TableCell(name, hint=name), *_cells(values)] for name, values in found.rows]
    return Table(title, columns, rows, under=under, steady=True)


def _cells(values: tuple[bool | int, ...]) -> list[TableCell]:
    most = max((abs(value) for value in values), default=0) or 1
    return [TableCell(mark(value), int(value), share=abs(value) / most) for value in values]
