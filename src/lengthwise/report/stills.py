"""Charts as pictures: what is seen on paper, in mail and without JavaScript.

Colours are the page's variables, so that one picture fits a light and a dark page.
"""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import vl_convert
from markupsafe import Markup

from lengthwise.report.document import Panel
from lengthwise.report.vega import styles, vega_lite_version

WIDTH, WIDE = 480, 1000
MOST_CELLS = 700
"""A heat map of more cells is a picture of dots, which is much smaller."""
FONT = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, sans-serif"


def panel_still(panel: Panel, template: Mapping[str, Any], names: Sequence[str]) -> Markup:
    """Return one task's curves as SVG."""
    spec = filled(panel, template, names)
    spec["layer"] = spec["layer"][:-1]  # without the hover
    drawn = styles(names)["drawn"]
    for layer in spec["layer"]:
        if "color" in layer["encoding"]:
            layer["encoding"]["color"]["scale"]["range"] = drawn
    return _svg({**spec, "width": WIDTH})


def filled(
    panel: Panel, template: Mapping[str, Any], names: Sequence[str], *, log: bool = False
) -> dict[str, Any]:
    """Return the template of curves with the data of one panel in it."""
    spec = json.loads(json.dumps(template))
    points = [
        row for number, line in enumerate(panel.series) for row in _points(line, names, number)
    ]
    seeds = [
        {"n": n, "a": a, "e": names[line["e"]], "s": f"{number} {seed}"}
        for number, line in enumerate(panel.series)
        for seed, thin in enumerate(line.get("seeds", ()))
        for n, a in zip(thin["n"], thin["a"], strict=True)
    ]
    lengths = [row["n"] for row in points] or [0, 1]
    low, high = min(lengths), max(lengths)
    shade = {"lo": max(low, panel.trained[0]), "hi": min(high, panel.trained[1])}
    spec["datasets"] = {
        "points": points,
        "seeds": seeds,
        "trained": [shade] if shade["lo"] < shade["hi"] else [],
        "chance": [
            {**one, "lo": max(low, one["lo"]), "hi": min(high, one["hi"])} for one in panel.chance
        ],
    }
    domain = [low, high] if low < high else [low * 0.9, high * 1.1 + 1]
    kind = {"type": "log", "base": 2} if log and domain[0] > 0 else {}
    for layer in spec["layer"]:
        layer["encoding"]["x"]["scale"] = {**kind, "domain": domain, "nice": False, "zero": False}
    return spec


def _points(line: Mapping[str, Any], names: Sequence[str], number: int) -> list[dict[str, Any]]:
    """Return the points of a line, with what a pointer held over one shows."""
    columns = zip(*(line[name] for name in ("n", "a", "l", "h", "k", "t")), strict=True)
    lengths = line.get("w", line["n"])
    shared = {"e": names[line["e"]], "s": number, "c": line["c"]}
    return [
        shared
        | {"n": n, "a": a, "l": low, "h": high, "w": str(at), "k": f"{right} of {tried}"}
        | {"i": f"{low:.1%} to {high:.1%}"}
        for (n, a, low, high, right, tried), at in zip(columns, lengths, strict=True)
    ]


def chart_still(spec: Mapping[str, Any], *, wide: bool = False) -> Markup:
    """Return a figure as SVG, or as a picture of dots where it has very many marks."""
    width = WIDE if wide else WIDTH
    if spec.get("width", "container") != "container":
        width = spec["width"]
    sized = {**json.loads(json.dumps(spec)), "width": width}
    values = sized.get("data", {}).get("values", ())
    if len(values) > MOST_CELLS:
        return _png(sized)
    for encoding in _encodings(sized):
        scale = encoding.get("color", {}).get("scale", {})
        if "range" in scale and "domain" in scale:
            scale["range"] = styles(scale["domain"])["drawn"]
    return _svg(sized)


def _encodings(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    own = [spec["encoding"]] if "encoding" in spec else []
    return [*own, *(e for layer in spec.get("layer", ()) for e in _encodings(layer))]


def _svg(spec: dict[str, Any]) -> Markup:
    made = vl_convert.vegalite_to_svg(
        {**spec, "config": _config("var(--soft)", "var(--text)", "var(--line)")},
        vl_version=vega_lite_version(),
    )
    # as wide as there is room, at most a quarter larger than drawn
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', made)
    assert size is not None
    sized = made.replace(size[0], f'style="width:100%;max-width:{1.25 * float(size[1]):.0f}px"', 1)
    return Markup(re.sub(r"(\d\.\d\d)\d+", r"\1", sized))


def _png(spec: dict[str, Any]) -> Markup:
    grey = "#828a95"  # can be read on both grounds
    made = vl_convert.vegalite_to_png(
        {**spec, "config": _config(grey, grey, grey)}, vl_version=vega_lite_version(), scale=1.4
    )
    data = base64.b64encode(made).decode()
    return Markup(f'<img alt="" style="width:100%" src="data:image/png;base64,{data}">')


def _config(soft: str, text: str, line: str) -> dict[str, Any]:
    """Return the look of a chart; ``page.js`` has the same for the ones that move."""
    small = {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"}
    axis = {"labelColor": soft, "titleColor": soft, "domainColor": soft, "tickColor": soft}
    return {
        "background": None,
        "font": FONT,
        "view": {"stroke": None},
        "rect": {"fill": soft},
        "axis": {**axis, "gridColor": line, **small},
        "legend": {"labelColor": text, "titleColor": soft, **small},
        "rule": {"color": soft},
        "text": {"color": text},
    }
