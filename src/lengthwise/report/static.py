"""Static figures for papers, as PDF, SVG or PNG: colour-blind-safe, with embedded fonts."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lengthwise.core.outputs import save_bytes
from lengthwise.report.colours import COLOURS, DASHES, places
from lengthwise.report.output import check_format

WIDTHS = {"column": 3.3, "text": 6.8}
"""Inches: one column of a two-column page, and the whole text."""
_LETTERS = {"column": 48, "text": 100}
"""Letters of a legend that fit beside each other."""
FONTS = {"sans": "DejaVu Sans", "serif": "STIXGeneral"}
"""Both come with matplotlib, so that a figure looks the same everywhere."""
Width = Literal["column", "text"]
Font = Literal["sans", "serif"]
Draw = Callable[[Axes], None]


@dataclass(frozen=True)
class Look:
    """Size and style of a figure; ``columns`` of panels are chosen by its width if not given."""

    width: Width = "text"
    columns: int | None = None
    font: Font = "sans"
    log: bool = False

    def grid(self, panels: int) -> tuple[int, int]:
        """Return rows and columns for so many panels.

        Example:
            >>> Look("text").grid(5), Look("column").grid(5)
            ((2, 3), (3, 2))
        """
        usual = (3 if panels <= 12 else 4) if self.width == "text" else 2
        columns = min(panels, self.columns or usual)
        return -(-panels // columns), columns


@dataclass(frozen=True)
class Plot:
    """One panel: how it is drawn, and how high it is as a share of its width."""

    draw: Draw
    height: float = 0.78
    series: tuple[str, ...] = ()
    """What it adds to the legend, for which there must be room."""


def plots_bytes(plots: Sequence[Plot], suffix: str, look: Look) -> bytes:
    """Draw panels beside each other with one legend for all; equal panels give equal bytes."""
    rows, columns = look.grid(len(plots))
    width = WIDTHS[look.width]
    data = io.BytesIO()
    with style(look):
        height = width / columns * max(plot.height for plot in plots) * rows + 0.45
        height += 0.14 * len({s for plot in plots for s in plot.series}) / 6
        figure = Figure(figsize=(width, height), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel, plot in zip(panels, plots, strict=False):
            plot.draw(panel)
        for panel in panels[len(plots) :]:
            panel.set_visible(False)
        _share_labels(list(panels[: len(plots)]), columns)
        _legend(figure, list(panels[: len(plots)]), look)
        metadata = _undated(suffix)
        figure.savefig(data, format=suffix, dpi=300, metadata=metadata)
    return data.getvalue()


def save_drawn(figure: Figure, path: Path) -> None:
    """Write a picture that was drawn by itself, with text that can be searched."""
    suffix = check_format(path)
    data = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "lengthwise", "svg.fonttype": "none"}):
        figure.savefig(data, format=suffix, dpi=150, metadata=_undated(suffix), bbox_inches="tight")
    save_bytes(path, data.getvalue())


def _undated(suffix: str) -> dict[str, Any] | None:
    return {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(suffix)


@contextmanager
def style(look: Look) -> Iterator[None]:
    """Draw with small type, few lines and TrueType fonts inside the file."""
    settings: dict[Any, Any] = {
        "font.family": FONTS[look.font],
        "mathtext.fontset": "stix" if look.font == "serif" else "dejavusans",
        "font.size": 8 if look.font == "serif" else 7,
        "axes.titlesize": "medium",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.6,
        "axes.grid": True,
        "axes.grid.axis": "y",
        "grid.linewidth": 0.4,
        "grid.alpha": 0.5,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "lines.linewidth": 1.2,
        "legend.frameon": False,
        "pdf.fonttype": 42,
        "ps.fonttype": 42,
        "svg.fonttype": "path",
        "svg.hashsalt": "lengthwise",
    }
    with mpl.rc_context(settings):
        yield


def _share_labels(panels: Sequence[Axes], columns: int) -> None:
    """Keep equal labels only at the left and at the bottom."""
    if len({(panel.get_xlabel(), panel.get_ylabel()) for panel in panels}) > 1:
        return
    for number, panel in enumerate(panels):
        if number % columns:
            panel.set_ylabel("")
        if number + columns < len(panels):
            panel.set_xlabel("")


def _legend(figure: Any, panels: Sequence[Axes], look: Look) -> None:
    """Put one legend above all panels, without repeating a name."""
    shown: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            shown.setdefault(label, handle)
    if len(shown) > 1:
        longest = max(map(len, shown)) + 5  # letters, with the line before them
        columns = max(1, min(len(shown), int(_LETTERS[look.width] / longest)))
        figure.legend(shown.values(), shown.keys(), loc="outside upper center", ncols=columns)


def line_styles(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return colour and dashes of every series; an encoding has the same in every figure."""
    return {
        name: {
            "color": COLOURS[colour],
            "linestyle": "-" if dash == 0 else (0, tuple(n / 2 for n in DASHES[dash])),
        }
        for name, (colour, dash) in zip(names, places(names), strict=True)
    }
