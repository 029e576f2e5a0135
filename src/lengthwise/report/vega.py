"""Interactive charts: Vega-Lite specifications made with altair, and the script that draws them.

Colours and theme are the page's. Fields have fixed short names (n, a, l, h, e, ...), so that no
text of a user is ever read as an expression: names of tasks, encodings and columns only appear as
titles and as values of data.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import altair as alt
import vl_convert

from lengthwise.report.colours import COLOURS, DARK_COLOURS, DASHES, places

HEIGHT = 190
_SNIPPET = "window.vegaEmbed=vegaEmbed;window.vega=vega;"
Scheme = Literal["blues", "viridis", "redblue", "category10"]


def styles(names: Sequence[str]) -> dict[str, Any]:
    """Return colours for a light and a dark page and dashes, one per series.

    ``drawn`` are the names by which the page's style sheet knows the colours, in both themes.

    Example:
        >>> styles(["nope", "rope"])["light"]
        ['#0072B2', '#009E73']
    """
    found = places(names)
    return {
        "names": list(names),
        "light": [COLOURS[colour] for colour, _ in found],
        "dark": [DARK_COLOURS[colour] for colour, _ in found],
        "drawn": [f"var(--series-{colour})" for colour, _ in found],
        "dashes": [list(DASHES[dash]) for _, dash in found],
    }


def curve_template(names: Sequence[str]) -> dict[str, Any]:
    """Return the panel of one task without its data: shaded training, bands, lines, hover.

    The page adds the datasets ``points``, ``seeds``, ``chance`` and ``trained``; ``hidden`` holds
    switched-off series. The layer with the hover comes last.
    """
    hidden = alt.param(name="hidden", value=[])
    near = alt.selection_point(
        name="near", nearest=True, on="pointermove", clear="pointerout", empty=False
    )
    look = styles(names)
    x = alt.X("n:Q", title="length", scale=alt.Scale(zero=False, nice=False), axis=_length_axis())
    colour = alt.Color(
        "e:N", title=None, legend=None, scale=alt.Scale(domain=look["names"], range=look["light"])
    )
    dash = alt.StrokeDash(
        "e:N", legend=None, scale=alt.Scale(domain=look["names"], range=look["dashes"])
    )
    y = alt.Y("a:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=_percent_axis())
    base = alt.Chart(alt.NamedData("points")).transform_filter("indexof(hidden, datum.e) < 0")
    detail = alt.Detail("s:N")
    shade = (
        alt.Chart(alt.NamedData("trained"))
        .mark_rect(opacity=0.13)
        .encode(alt.X("lo:Q", title="length"), x2="hi:Q")
    )
    band = base.mark_area(opacity=0.16).encode(
        x, alt.Y("l:Q", title=None), colour, detail, y2="h:Q"
    )
    thin = (
        alt.Chart(alt.NamedData("seeds"))
        .transform_filter("indexof(hidden, datum.e) < 0")
        .mark_line(strokeWidth=0.7, opacity=0.55)
        .encode(x, y, colour, detail)
    )
    guess = (
        alt.Chart(alt.NamedData("chance"))
        .mark_rule(strokeDash=[2, 3], strokeWidth=1.2, clip=True)
        .encode(alt.X("lo:Q", title="length"), alt.Y("a:Q", title=None), x2="hi:Q")
    )
    line = base.mark_line(strokeWidth=1.8).encode(x, y, colour, dash, detail)
    dots = (
        base.mark_circle(size=45)
        .encode(
            x,
            y,
            colour,
            detail,
            opacity=alt.condition(near, alt.value(1), alt.value(0)),
            tooltip=[
                alt.Tooltip("e:N", title="encoding"),
                alt.Tooltip("w:N", title="lengths"),
                alt.Tooltip("a:Q", title="exact match", format=".1%"),
                alt.Tooltip("i:N", title="95% interval"),
                alt.Tooltip("k:N", title="right of all"),
                alt.Tooltip("c:N", title="run"),
            ],
        )
        .add_params(near)
        .properties(name="dots")
    )
    chart = alt.layer(shade, guess, band, thin, line, dots).add_params(hidden)
    return _plain(chart.properties(width="container", height=HEIGHT))


def _length_axis() -> Any:
    return alt.Axis(tickCount=6, grid=False, labelFlush=True)


def _percent_axis() -> Any:
    return alt.Axis(format="%", tickCount=5)


def line_chart(rows: Sequence[Mapping[str, Any]], x: str, y: str) -> dict[str, Any]:
    """Return lines of ``rows`` with x, y and s (series), and a band where there are l and h."""
    names = _series(rows)
    across = alt.X("x:Q", title=x, scale=alt.Scale(zero=False, nice=False))
    base = alt.Chart(alt.Data(values=list(rows)))
    colour = _colour(names)
    up = alt.Y("y:Q", title=y)
    tooltip = _tooltips(rows, x, y)
    line = base.mark_line(point=alt.OverlayMarkDef(size=28), strokeWidth=1.8).encode(
        across, up, colour, *_dashes(names), tooltip=tooltip
    )
    band = base.mark_area(opacity=0.16).encode(across, alt.Y("l:Q", title=y), colour, y2="h:Q")
    banded = any("l" in row for row in rows)
    return _plain(_sized(alt.layer(band, line) if banded else line))


def bar_chart(rows: Sequence[Mapping[str, Any]], x: str, y: str) -> dict[str, Any]:
    """Return bars of ``rows`` with x (a name), y and s, with whiskers where there are l and h."""
    names = _series(rows)
    order = list(dict.fromkeys(row["x"] for row in rows))
    numbers = all(isinstance(row["x"], int | float) for row in rows)
    tilt = 0 if numbers else -35
    axis = alt.Axis(labelAngle=tilt, labelLimit=160, labelOverlap="greedy" if numbers else False)
    across = alt.X("x:N", title=x, sort=None if numbers else order, axis=axis)
    base = alt.Chart(alt.Data(values=list(rows)))
    beside = alt.XOffset("s:N", sort=names)
    bars = base.mark_bar().encode(
        across, alt.Y("y:Q", title=y), _colour(names), beside, tooltip=_tooltips(rows, x, y)
    )
    whiskers = base.mark_rule().encode(across, alt.Y("l:Q", title=y), beside, y2="h:Q")
    banded = any("l" in row for row in rows)
    return _plain(_sized(alt.layer(bars, whiskers) if banded else bars))


def heat_map(
    rows: Sequence[Mapping[str, Any]],
    x: str,
    y: str,
    value: str,
    *,
    scheme: Scheme = "blues",
    ends: tuple[float, float] | None = None,
    width: int | str = "container",
    height: int = 300,
) -> dict[str, Any]:
    """Return a heat map of ``rows`` with x, y (names or numbers, in order) and v.

    Maps that are compared share the ``ends`` of their scale.
    """
    order = {key: list(dict.fromkeys(row[key] for row in rows)) for key in ("x", "y")}
    axis = alt.Axis(labelOverlap="greedy", ticks=False, domain=False, labelLimit=160)
    flat = alt.Axis(
        labelOverlap="greedy", ticks=False, domain=False, labelAngle=-90 if _long(order["x"]) else 0
    )
    legend = alt.Legend(
        orient="bottom", gradientLength=150, gradientThickness=8, format="~g", tickCount=3
    )
    chart = (
        alt.Chart(alt.Data(values=list(rows)))
        .mark_rect()
        .encode(
            alt.X("x:O", title=x, sort=order["x"], axis=flat),
            alt.Y("y:O", title=y, sort=order["y"], axis=axis),
            alt.Color("v:Q", title=value, scale=_heat_scale(rows, scheme, ends), legend=legend),
            tooltip=[
                alt.Tooltip("x:O", title=x),
                alt.Tooltip("y:O", title=y),
                alt.Tooltip("v:Q", title=value, format=".4~g"),
            ],
        )
    )
    return _plain(chart.properties(width=width, height=height))


def category_map(
    rows: Sequence[Mapping[str, Any]],
    x: str,
    y: str,
    value: str,
    *,
    names: Sequence[str] = (),
    width: int | str = "container",
    height: int = 300,
) -> dict[str, Any]:
    """Return a map of ``rows`` with x, y and v, whose values are names with a colour each.

    Maps that are compared share the ``names``, by default those that occur.
    """
    order = {key: list(dict.fromkeys(row[key] for row in rows)) for key in ("x", "y")}
    names = names or sorted({str(row["v"]) for row in rows})
    colours = [COLOURS[number % len(COLOURS)] for number in range(len(names))]
    axis = alt.Axis(labelOverlap="greedy", ticks=False, domain=False, labelAngle=0)
    chart = (
        alt.Chart(alt.Data(values=[{**row, "v": str(row["v"])} for row in rows]))
        .mark_rect()
        .encode(
            alt.X("x:O", title=x, sort=order["x"], axis=axis),
            alt.Y("y:O", title=y, sort=order["y"], axis=axis),
            alt.Color(
                "v:N",
                title=value,
                scale=alt.Scale(domain=list(names), range=colours),
                legend=alt.Legend(orient="bottom"),
            ),
            tooltip=[
                alt.Tooltip("x:O", title=x),
                alt.Tooltip("y:O", title=y),
                alt.Tooltip("v:N", title=value),
            ],
        )
    )
    return _plain(chart.properties(width=width, height=height))


def _long(labels: Sequence[Any]) -> bool:
    """Say whether labels must stand upright to fit beside each other."""
    return sum(len(str(label)) + 1 for label in labels) > 40 and any(
        isinstance(label, str) for label in labels
    )


def _heat_scale(
    rows: Sequence[Mapping[str, Any]], scheme: Scheme, ends: tuple[float, float] | None
) -> Any:
    """Centre schemes with two ends at zero."""
    if scheme == "redblue":
        values = [row["v"] for row in rows if row["v"] is not None] if ends is None else ends
        most = max(map(abs, values), default=1.0) or 1.0
        return alt.Scale(scheme=scheme, domain=[-most, most], reverse=True)
    return alt.Scale(scheme=scheme) if ends is None else alt.Scale(scheme=scheme, domain=ends)


def _series(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(str(row["s"]) for row in rows))


def _colour(names: Sequence[str]) -> Any:
    scale = alt.Scale(domain=list(names), range=styles(names)["light"])
    return alt.Color("s:N", title=None, legend=_legend(names), scale=scale)


def _legend(names: Sequence[str]) -> Any:
    return alt.Legend(orient="top", columns=4, labelLimit=240) if len(names) > 1 else None


def _dashes(names: Sequence[str]) -> list[Any]:
    """Tell lines of one colour apart."""
    look = styles(names)
    if len(set(look["light"])) == len(names):
        return []
    scale = alt.Scale(domain=list(names), range=look["dashes"])
    return [alt.StrokeDash("s:N", title=None, legend=_legend(names), scale=scale)]


def _tooltips(rows: Sequence[Mapping[str, Any]], x: str, y: str) -> list[Any]:
    shown = [alt.Tooltip("s:N", title="series")] if len(_series(rows)) > 1 else []
    return [*shown, alt.Tooltip("x", title=x, type="nominal"), alt.Tooltip("y:Q", title=y)]


def _sized(chart: Any) -> Any:
    return chart.properties(width="container", height=260)


def _plain(chart: Any) -> dict[str, Any]:
    """Return the specification without altair's own look; the page configures it."""
    found = chart.to_dict(validate=True)
    found.pop("config", None)
    found["autosize"] = {"type": "fit-x", "contains": "padding"}
    return found


@cache
def vega_bundle() -> str:
    """Return JavaScript that defines ``window.vegaEmbed`` and ``window.vega``.

    It is safe inside a ``<script>`` element: it holds neither ``</script`` nor ``<!--``.
    """
    code = vl_convert.javascript_bundle(_SNIPPET, vl_version=vega_lite_version())
    for harmful in ("</script", "<!--"):
        assert harmful not in code.lower()
    return f"(function(){{{code}}})();"


def vega_lite_version() -> str:
    """Return the version of Vega-Lite that altair writes, as vl-convert names it."""
    return ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
