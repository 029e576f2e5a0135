"""Figures of a study: plain points with named columns, drawn as lines, bars, heat or maps."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.core.errors import InputError
from lengthwise.report.document import Chart
from lengthwise.report.vega import bar_chart, category_map, heat_map, line_chart

KINDS = ("line", "bars", "heatmap", "map")
HEAT = ("heatmap", "map")
"""Kinds with a colour in every cell: of numbers, of names."""
_VALUES = ("value", "accuracy", "z")


@dataclass(frozen=True)
class Drawing:
    """A figure with its columns renamed: x, y, s (series), l and h (interval) or v (heat)."""

    title: str
    kind: str
    x: str
    y: str
    value: str
    note: str
    rows: Sequence[Mapping[str, Any]]


def read_figure(figure: Mapping[str, Any]) -> Drawing:
    """Check a figure and rename its columns; what is wrong is said with the figure's title.

    Example:
        >>> data = [{"length": 1, "accuracy": 0.5}]
        >>> figure = {"title": "t", "kind": "line", "x": "length", "y": "accuracy", "data": data}
        >>> read_figure(figure).rows
        [{'x': 1, 'y': 0.5, 's': ''}]
    """
    title, kind = str(figure.get("title") or ""), figure.get("kind", "line")
    if kind not in KINDS:
        raise InputError(f"figure {title!r}: kind {kind!r} is not one of {', '.join(KINDS)}.")
    x, y = str(figure.get("x", "x")), str(figure.get("y", "y"))
    data = list(figure.get("data") or [])
    series = str(figure.get("series") or "")
    value = str(figure.get("value") or "")
    if kind in HEAT:
        value = value or _value_column(data, (x, y), series)
        series = ""
    try:
        rows = [_row(point, x, y, series, value if kind in HEAT else "") for point in data]
    except KeyError as error:
        raise InputError(f"figure {title!r}: a point has no {error.args[0]!r}.") from None
    return Drawing(title, str(kind), x, y, value, str(figure.get("note") or ""), rows)


def _value_column(data: Sequence[Mapping[str, Any]], taken: tuple[str, str], series: str) -> str:
    """Find the column that a heat map shows: the named one, or the only other one."""
    if series:
        return series
    names = [name for name in (data[0] if data else {}) if name not in taken]
    return next((name for name in _VALUES if name in names), names[0] if names else "value")


def _row(point: Mapping[str, Any], x: str, y: str, series: str, value: str) -> dict[str, Any]:
    row = {"x": _plain(point[x]), "y": _plain(point[y])}
    if value:
        return {**row, "v": _plain(point[value])}
    row["s"] = str(point.get(series, "")) if series else ""
    if point.get("low") is not None and point.get("high") is not None:
        row |= {"l": _plain(point["low"]), "h": _plain(point["high"])}
    return row


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def chart(figure: Mapping[str, Any]) -> Chart:
    """Return a figure of a study as a chart of a page."""
    drawing = read_figure(figure)
    if drawing.kind in HEAT:
        tall = len({row["y"] for row in drawing.rows})
        make = heat_map if drawing.kind == "heatmap" else category_map
        height = max(160, min(520, 24 * tall))
        spec = make(drawing.rows, drawing.x, drawing.y, drawing.value, height=height)
    else:
        make = {"line": line_chart, "bars": bar_chart}[drawing.kind]
        spec = make(drawing.rows, drawing.x, drawing.y)
    many = len({row["x"] for row in drawing.rows}) > 14
    return Chart(drawing.title, spec, drawing.note, wide=drawing.kind != "line" and many)
