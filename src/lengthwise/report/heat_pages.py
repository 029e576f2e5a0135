"""Pages of heat maps: learned relations and positional products, pair by pair of positions."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lengthwise.core.errors import InputError
from lengthwise.report.document import Chart, Document, Section, Table, words
from lengthwise.report.vega import Scheme, heat_map

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
    note: str = "",
) -> Chart:
    """Return a matrix (query downwards, key across) as a chart; cells that are NaN stay empty.

    Labels are numbered, so that equal tokens keep their own places.

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
    spec = heat_map(cells, names[0], names[1], names[2], scheme=scheme, height=height)
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
    future = np.triu(np.ones((shown, shown), dtype=bool))
    charts = [
        matrix_chart(
            np.where(future, np.nan, readout.ranked(rank)[:shown, :shown]),
            f"Rank {rank}",
            names=("key", "query", "value"),
            note="The value with the largest weight." if rank == 1 else "",
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
    note = "The value that the encoding gives to each pair of a query and an earlier key."
    note += _cut(size, shown)
    return Document(
        title=f"Learned relation: {found.subject}",
        facts=[("values", str(values)), ("positions", str(size))],
        sections=[Section("Relation", charts, note), *compared],
    )


def products_document(reading: "Reading") -> Document:
    """Lay out the positional products of every head and how periodic and local they are."""
    size = len(reading.products[0][0])
    shown = shown_positions(size, len(reading.heads))
    charts = [
        product_chart(products[:shown, :shown], f"Layer {layer}, head {head}")
        for layer, row in enumerate(reading.products, start=1)
        for head, products in enumerate(row, start=1)
    ]
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


def product_chart(products: Array, title: str) -> Chart:
    """Return a matrix of positional products, (key, query), as a map centred at zero."""
    future = np.triu(np.ones(products.shape, dtype=bool), 1)
    return matrix_chart(
        np.where(future, np.nan, products.T),
        title,
        names=("key", "query", "product"),
        scheme="redblue",
    )


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
    charts = [product_chart(products[:shown, :shown], name) for name, products in found.items()]
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
