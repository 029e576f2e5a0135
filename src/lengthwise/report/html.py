"""A document as one self-contained HTML file: no network, from disk or out of an e-mail."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from lengthwise._version import __version__
from lengthwise.core.outputs import save_bytes
from lengthwise.report.document import MARKS, MEANINGS, Chart, Document, Panel, Panels
from lengthwise.report.stills import chart_still, panel_still
from lengthwise.report.vega import curve_template, styles, vega_bundle


def save(document: Document, path: Path) -> None:
    """Write a page, whole or not at all."""
    save_bytes(path, render(document).encode())


def render(document: Document) -> str:
    """Return a page as HTML; everything a user named is escaped.

    Example:
        >>> page = render(Document("a <b> title"))
        >>> "a &lt;b&gt; title" in page, "<b>" in page
        (True, False)
    """
    charts: list[Chart] = []
    drawn: list[Panel] = []
    for part in (part for section in document.sections for part in section.parts):
        if isinstance(part, Chart):
            charts.append(part)
        elif isinstance(part, Panels):
            drawn.extend(part.panels)
    data = {
        "styles": styles(document.encodings),
        "curve": curve_template(document.encodings) if drawn else None,
        "panels": [_panel_data(panel) for panel in drawn],
        "charts": [{"title": chart.title, "spec": chart.spec} for chart in charts],
        "runs": list(document.runs),
    }
    return _filled(
        "page.html",
        document,
        live=True,
        data=data,
        panel_number=_numbering(drawn),
        chart_number=_numbering(charts),
        vega=Markup(vega_bundle()) if drawn or charts else "",
    )


def render_fragment(document: Document) -> str:
    """Return a document as part of another page, such as a notebook: still pictures, no script.

    Example:
        >>> made = render_fragment(Document("a <b> title"))
        >>> "a &lt;b&gt; title" in made, "<script" in made
        (True, False)
    """
    return _filled("fragment.html", document, live=False)


@dataclass(frozen=True)
class _Stills:
    """Draws the pictures of a page."""

    names: Sequence[str]

    def panel(self, panel: Panel) -> Markup:
        return panel_still(panel, self._template, self.names)

    def chart(self, chart: Chart) -> Markup:
        return chart_still(chart.spec, wide=chart.wide)

    @cached_property
    def _template(self) -> dict[str, Any]:
        return curve_template(self.names)


def _filled(template: str, document: Document, **values: Any) -> str:
    return (
        _environment()
        .get_template(template)
        .render(
            page=document,
            styles=styles(document.encodings),
            stills=_Stills(document.encodings),
            shapes=lambda picture: Markup(picture.to_svg()),  # which escapes what it holds
            marks=MARKS,
            meanings=MEANINGS,
            version=__version__,
            **values,
        )
    )


def _numbering(things: Sequence[Any]) -> Callable[[Any], int]:
    numbers = {id(thing): number for number, thing in enumerate(things)}
    return lambda thing: numbers[id(thing)]


def _panel_data(panel: Panel) -> dict[str, Any]:
    return {
        "title": f"{panel.title} ({panel.note})",
        "trained": panel.trained,
        "series": list(panel.series),
        "chance": list(panel.chance),
    }


def _environment() -> Environment:
    made = Environment(loader=PackageLoader("lengthwise.report"), autoescape=True)
    made.trim_blocks = made.lstrip_blocks = True
    made.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    made.globals["asset"] = _asset
    return made


def _asset(name: str) -> Markup:
    """Return a script or style sheet of ours, to be written into the page as it is."""
    return Markup((files("lengthwise.report") / "templates" / name).read_text(encoding="utf-8"))
