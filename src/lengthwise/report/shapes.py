"""Pictures as plain data: a list of shapes that the page builds node by node, never from markup."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Self

TAGS = ("circle", "line", "path", "polygon", "rect", "text")
"""The only elements a picture has; the page refuses others."""
LOOK = """
text { text-anchor: middle; font: 14px system-ui, sans-serif; fill: #1c1e21; }
.symbol { font-family: ui-monospace, Menlo, Consolas, monospace; fill: #0b5cad; }
.note { font-size: 11px; fill: #5f6670; }
.edge { fill: none; stroke: #5f6670; stroke-width: 1.4; } .tip { fill: #5f6670; }
.state { fill: #ffffff; stroke: #1c1e21; stroke-width: 1.5; } .accepting { fill: #e2f3e8; }
.marked { stroke: #a3231f; stroke-width: 3; } .ring { fill: none; stroke: #1c1e21; }
"""
"""The style of a picture that stands in a file of its own."""


@dataclass(frozen=True)
class Element:
    """One element: its tag, its attributes, its text and what a pointer held over it shows."""

    tag: str
    attributes: Mapping[str, str | float]
    text: str = ""
    title: str = ""

    def to_json(self) -> list[Any]:
        """Return plain data."""
        return [self.tag, dict(self.attributes), self.text, self.title]

    def to_svg(self) -> str:
        """Return the element as markup, everything escaped."""
        pairs = "".join(f' {k}="{escape(str(v))}"' for k, v in self.attributes.items())
        title = f"<title>{escape(self.title)}</title>" if self.title else ""
        return f"<{self.tag}{pairs}>{title}{escape(self.text)}</{self.tag}>"


@dataclass
class Picture:
    """Shapes inside a box, with a sentence for those who cannot see them.

    Example:
        >>> picture = Picture("a dot").add("circle", cx=1, cy=1, r=1)
        >>> picture.to_json()["shapes"]
        [['circle', {'cx': 1, 'cy': 1, 'r': 1}, '', '']]
    """

    label: str
    shapes: list[Element] = field(default_factory=list)
    box: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Left, top, width and height."""

    def add(self, tag: str, *, text: str = "", title: str = "", **attributes: str | float) -> Self:
        """Add a shape; ``_`` in attribute names stands for ``-``, and ``class_`` is ``class``."""
        assert tag in TAGS
        named = {key.rstrip("_").replace("_", "-"): _round(v) for key, v in attributes.items()}
        self.shapes.append(Element(tag, named, text, title))
        return self

    def to_json(self) -> dict[str, Any]:
        """Return plain data for the page."""
        shapes = [shape.to_json() for shape in self.shapes]
        return {"label": self.label, "box": [_round(x) for x in self.box], "shapes": shapes}

    def to_svg(self, *, alone: bool = False) -> str:
        """Return a complete SVG document of its natural size; ``alone`` with its own colours."""
        box = " ".join(str(_round(x)) for x in self.box)
        width, height = map(round, self.box[2:])
        inner = "".join(shape.to_svg() for shape in self.shapes)
        look = f"<style>{LOOK}</style>" if alone else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{width}" '
            f'height="{height}" role="img" aria-label="{escape(self.label)}">{look}{inner}</svg>'
        )


def path(points: Sequence[tuple[float, float]]) -> str:
    """Return path data through some points."""
    return "M" + "L".join(f"{_round(x)} {_round(y)}" for x, y in points)


def _round(value: Any) -> Any:
    return round(value, 1) if isinstance(value, float) else value
