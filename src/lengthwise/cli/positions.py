"""``lengthwise positions`` and ``lengthwise learned-relation``: how position is told."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Seed, console, print_json, print_table
from lengthwise.core.errors import InputError

Output = Annotated[Path | None, Parameter(name=["--output", "-o"])]


def positions(
    *,
    show: str | None = None,
    length: Count = 64,
    output: Output = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """List the position encodings, or draw one.

    Example: lengthwise positions --show rope --length 64 -o rope.svg

    Parameters
    ----------
    show
        Draw this encoding (name, `name:option=value`, or `file.py:Class`) instead of listing: its
        logit bias by head, or the similarity it gives to pairs of positions.
    length
        Number of positions in the drawing.
    output
        File of the drawing, .png, .svg or .pdf; by default the encoding's name with .png.
    seed
        Seed of the tables that an encoding would learn.
    as_json
        Print the list as JSON; with --show, print the drawn numbers.
    """
    if show is not None:
        _draw(show, length, output, seed, as_json)
        return
    from lengthwise.positions.listing import list_encodings

    rows = list_encodings()
    if as_json:
        print_json(rows)
        return
    columns = ("encoding", "summary", "touches", "options")
    print_table([{key: _cell(row[key]) for key in columns} for row in rows])


def _cell(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _draw(show: str, length: int, output: Path | None, seed: int, as_json: bool) -> None:
    from lengthwise.positions import load_position
    from lengthwise.report.model_figures import draw_maps, encoding_maps
    from lengthwise.report.output import check_format
    from lengthwise.report.static import save_drawn

    path = output or Path(f"{show.partition(':')[0]}.png")
    check_format(path)
    shown = encoding_maps(load_position(show), length, seed)
    if as_json:
        print_json([{"panel": name, "values": _plain(values.tolist())} for name, values in shown])
        return
    save_drawn(draw_maps(shown, title=show), path)
    console().print(f"{path}: {', '.join(name for name, _ in shown)}", markup=False)


def _plain(rows: list[list[float]]) -> list[list[float | None]]:
    return [[None if value != value else value for value in row] for row in rows]  # NaN


def learned_relation(
    run: str,
    *,
    length: Count | None = None,
    scale: Count | None = None,
    against: str | None = None,
    output: Output = None,
    html: Path | None = None,
    export: Path | None = None,
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Read the relation that a run with lbpe or lbpe-sh has learned.

    Prints the value of every key at the queries that are asked, how many values are used, and
    whether the relation equals the task's ideal one up to renaming.

    Example: lengthwise learned-relation 3f2a -o relation.png --export relation.npz

    Parameters
    ----------
    run
        A finished run, by its id or the beginning of it (see `lengthwise runs`).
    length
        Positions to read; by default as many as the run's longest input.
    scale
        The instance's length, for lbpe-sh.
    against
        Compare with this relation: a circuit's name, `file.py:phi`, a table .npz or an expression;
        by default the task's own.
    output
        Draw the three likeliest values of every pair to this .png, .svg or .pdf file.
    html
        Draw them with the comparison to this .html page.
    export
        Save the relation as a table .npz, for `--pe ipe:relation=FILE`.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print the values and the comparison as JSON.
    """
    from lengthwise.analysis.relation import read_run
    from lengthwise.report.output import check_format
    from lengthwise.runs.store import Store

    if output is not None:
        check_format(output)
    if export is not None and export.suffix != ".npz":
        raise InputError(f"--export {export}: a relation's table is saved as .npz.")
    found = read_run(Store(store), run, length=length, scale=scale, against=against)
    if output is not None:
        from lengthwise.report.model_figures import draw_readout
        from lengthwise.report.static import save_drawn

        save_drawn(draw_readout(found.readout, title=found.subject), output)
    if html is not None:
        from lengthwise.report.heat_pages import relation_document
        from lengthwise.report.html import save

        save(relation_document(found), html)
    if export is not None:
        found.readout.save(export)
    if as_json:
        print_json(found.plain())
        return
    for line in found.lines():
        console().print(line, markup=False, highlight=False)
