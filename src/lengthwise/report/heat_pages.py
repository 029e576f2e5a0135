"""Pages of heat maps: learned relations and positional products, pair by pair of positions."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lengthwise.core.errors import InputError
from lengthwise.report.colours import COLOURS
from lengthwise.report.document import Chart, Document, Section, Table, words
from lengthwise.report.vega import Scheme, category_map, heat_map

if TYPE_CHECKING:
    from lengthwise.analysis.run_relation import RunRelation
    from lengthwise.theory.limit.products import ProductReport
    from lengthwise.theory.limit.readout import Reading
    from lengthwise.theory.limit.regulariser import Explicit

Array = npt.NDArray[Any]
LARGEST, CELLS = 160, 60_000
"""Positions of one map, and cells of all maps of a page: two megabytes."""


def matrix_chart(
    values: Array,
    title: str,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    names: tuple[str, str, str] = ("key", "query", "value"),
    scheme: Scheme = "viridis",
    ends: tuple[float, float] | None = None,
    values_of: int | None = None,
    note: str = "",
) -> Chart:
    """Return a matrix (query downwards, key across) as a chart; cells that are NaN stay empty.

    Labels are numbered, so that equal tokens keep their own places. ``values_of`` whole numbers
    from 0 get a colour each; other matrices a scale, with these ``ends`` if given.

    Example:
        >>> chart = matrix_chart(np.eye(2), "two", rows=["a", "a"])
        >>> [row["y"] for row in chart.spec["data"]["values"]][::2]
        ['1 a', '2 a']
    """
    matrix = np.asarray(values, dtype=float)
    if matrix.ndim != 2 or max(matrix.shape) > LARGEST:
        raise InputError(f"heat map {title!r}: at most {LARGEST} positions can be shown.")
    down, across = _labels(rows, matrix.shape[0]), _labels(columns, matrix.shape[1])
    cells = [
        {"x": across[j], "y": down[i], "v": _short(matrix[i, j])}
        for i in range(matrix.shape[0])
        for j in range(matrix.shape[1])
        if not math.isnan(matrix[i, j])
    ]
    height = max(140, min(420, 13 * len(down)))
    if values_of is not None and values_of <= len(COLOURS):
        whole = [{**cell, "v": str(round(cell["v"]))} for cell in cells]
        every = [str(number) for number in range(values_of)]
        spec = category_map(whole, *names, names=every, height=height)
    else:
        ends = (0, values_of - 1) if values_of is not None else ends
        spec = heat_map(cells, *names, scheme=scheme, ends=ends, height=height)
    return Chart(title, spec, note)


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _labels(names: Sequence[str] | None, size: int) -> list[str | int]:
    if names is None:
        return list(range(1, size + 1))
    if len(names) != size:
        raise InputError(f"heat map: {len(names)} labels for {size} positions.")
    return [f"{number} {name}" for number, name in enumerate(names, start=1)]


def shown_positions(size: int, maps: int) -> int:
    """Return how many positions of each map are drawn, so that the page stays small.

    Example:
        >>> shown_positions(50, 8), shown_positions(300, 1), shown_positions(300, 8)
        (50, 160, 122)
    """
    return min(size, LARGEST, math.isqrt(2 * CELLS // max(1, maps)))


def _cut(size: int, shown: int) -> str:
    return f" The first {shown} of {size} positions are drawn." if shown < size else ""


def relation_document(found: "RunRelation") -> Document:
    """Lay out a learned relation: the likeliest values of every pair, and the comparison."""
    readout = found.readout
    size, _, values = readout.weights.shape
    shown = shown_positions(size, min(3, values))
    future = np.triu(np.ones((shown, shown), dtype=bool), 1)
    charts = [
        matrix_chart(
            np.where(future, np.nan, readout.ranked(rank)[:shown, :shown]),
            f"Rank {rank}",
            values_of=values,
            note=f"The value with the {_ORDER[rank]} weight.",
        )
        for rank in range(1, min(3, values) + 1)
    ]
    lines = [["lengths", "values", "given values", "equal", "determines it", "agreement"]]
    for name, one in (("trained", found.trained), ("longer", found.beyond)):
        if one is not None:
            facts = [one.distinct, one.distinct_given, one.equal, one.refines, one.agreement]
            lines.append([name, *facts])
    table = Table(
        f"Against {found.given}", lines[0], [[words(value) for value in row] for row in lines[1:]]
    )
    compared = [Section("Comparison", [table])] if len(lines) > 1 else []
    note = "The value that the encoding gives to each pair of a query and a key up to it."
    note += _cut(size, shown)
    return Document(
        title=f"Learned relation: {found.subject}",
        subtitle=_relation_lead(found, future),
        facts=[("values", str(values)), ("positions", str(size))],
        sections=[Section("Relation", charts, note), *compared],
    )


_ORDER = {1: "largest", 2: "second largest", 3: "third largest"}


def _relation_lead(found: "RunRelation", future: Array) -> str:
    """Say how many values are used, and how well they agree with what was given."""
    values = found.readout.weights.shape[2]
    first = found.readout.ranked(1)[: len(future), : len(future)][~future]
    told = f"Of {values} values, {len(np.unique(first))} ever have the largest weight."
    compared = found.beyond or found.trained
    if compared is None:
        return told
    where = "longer" if found.beyond else "trained"
    return f"{told} At {where} lengths it agrees with {found.given} on {compared.agreement:.0%}."


def products_document(reading: "Reading") -> Document:
    """Lay out the positional products of every head and how periodic and local they are."""
    size = len(reading.products[0][0])
    shown = shown_positions(size, len(reading.heads))
    charts = product_charts(
        {
            f"Layer {layer}, head {head}": products[:shown, :shown]
            for layer, row in enumerate(reading.products, start=1)
            for head, products in enumerate(row, start=1)
        }
    )
    columns = [name.replace("_", " ") for name in vars(reading.heads[0])]
    rows = [[words(value) for value in vars(head).values()] for head in reading.heads]
    note = (
        "Residuals are shares of the variance: 0 means that the products are a function of the "
        "distance, periodic, or local."
    )
    return Document(
        title=f"Positional products: {reading.subject}",
        sections=[
            Section("Products of positions", charts, _PRODUCTS + _cut(size, shown)),
            Section("How periodic, how local", [Table("", columns, rows)], note),
        ],
    )


_PRODUCTS = "The logit that positions alone give: query i down, key j across."


def product_charts(found: Mapping[str, Array]) -> list[Chart]:
    """Return matrices of positional products, (key, query), as maps on one scale around zero."""
    masked = {
        title: np.where(np.triu(np.ones(one.shape, dtype=bool), 1), np.nan, one.T)
        for title, one in found.items()
    }
    most = max((float(np.nanmax(np.abs(one))) for one in masked.values()), default=1.0)
    names = ("key", "query", "product")
    return [
        matrix_chart(one, title, names=names, scheme="redblue", ends=(-most, most))
        for title, one in masked.items()
    ]


def program_document(name: str, model: "Explicit", report: "ProductReport") -> Document:
    """Lay out a compiled program's positional products and what breaks the product constraint.

    Heads that do not compare positions are left out.
    """
    table = np.roll(model.positions, -1, axis=0)  # row 0 holds the last position
    found = {
        f"Layer {layer}, head {head}": products
        for layer, row in enumerate(model.kq, start=1)
        for head, kq in enumerate(row, start=1)
        if (products := table @ kq @ table.T).any()
    }
    shown = shown_positions(len(table), len(found))
    charts = product_charts({name: products[:shown, :shown] for name, products in found.items()})
    rows = [[words(value) for value in vars(one).values()] for one in report.violations]
    broken = Table("", ["layer", "kind", "path", "deviation"], rows)
    verdict = "in the hypothesis class" if report.holds else "not in the hypothesis class"
    note = f"{report.products} path products, {len(rows)} violations."
    return Document(
        title=f"Positional products: {name}",
        subtitle=f"The model is {verdict}.",
        facts=[("context", str(len(table))), ("layers", str(len(model.kq)))],
        sections=[
            Section("Products of positions", charts, _PRODUCTS + _cut(len(table), shown)),
            Section("Product constraint", [broken] if rows else [], note),
        ],
    )
