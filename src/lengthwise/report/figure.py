"""Static figures for papers, as PDF, SVG or PNG: colour-blind-safe, with embedded fonts."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.core.errors import InputError
from lengthwise.core.files import explain, write_bytes
from lengthwise.report.charts import COLOURS
from lengthwise.report.curves import Curve
from lengthwise.report.panels import by_panel, encodings_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
WIDTHS = {"column": 3.3, "text": 6.8}
"""Inches: one column of a two-column page, and the whole text."""
FONTS = {"sans": "DejaVu Sans", "serif": "STIXGeneral"}
"""Both come with matplotlib, so that a figure looks the same everywhere."""
LINES = ("-", "--", ":")
Width = Literal["column", "text"]
Font = Literal["sans", "serif"]
Draw = Callable[["Axes"], None]


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


def check_format(path: Path) -> str:
    """Return the format that a file name asks for, or say which exist."""
    suffix = path.suffix.lstrip(".").lower()
    if suffix not in FORMATS:
        raise InputError(f"figure {str(path)!r}: use a name that ends in .{', .'.join(FORMATS)}.")
    return suffix


def save_figure(curves: Sequence[Curve], path: Path, look: Look | None = None) -> None:
    """Draw the curves, one panel per task, into a file."""
    suffix = check_format(path)
    save_bytes(path, figure_bytes(curves, suffix, look))


def save_bytes(path: Path, data: bytes) -> None:
    """Write a figure, whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explain(path, error) from error
    write_bytes(path, data)


def save_drawn(figure: "Figure", path: Path) -> None:
    """Write a figure that was drawn elsewhere; equal figures give equal bytes."""
    import matplotlib as mpl

    suffix = check_format(path)
    drawn = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "lengthwise", "svg.fonttype": "none"}):
        figure.savefig(drawn, format=suffix, dpi=110, metadata=_undated(suffix))
    save_bytes(path, drawn.getvalue())


def figure_bytes(curves: Sequence[Curve], suffix: str, look: Look | None = None) -> bytes:
    """Return the figure of some curves in one of the formats."""
    chosen = look or Look()
    return plots_bytes(curve_plots(curves, chosen), suffix, chosen)


def plots_bytes(plots: Sequence[Plot], suffix: str, look: Look) -> bytes:
    """Draw panels beside each other with one legend for all; equal panels give equal bytes."""
    from matplotlib.figure import Figure

    rows, columns = look.grid(len(plots))
    width = WIDTHS[look.width]
    data = io.BytesIO()
    with style(look):
        height = width / columns * max(plot.height for plot in plots) * rows + 0.45
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


def _undated(suffix: str) -> dict[str, Any] | None:
    return {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(suffix)


@contextmanager
def style(look: Look) -> Iterator[None]:
    """Draw with small type, few lines and TrueType fonts inside the file."""
    import matplotlib as mpl

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


def _share_labels(panels: "Sequence[Axes]", columns: int) -> None:
    """Keep equal labels only at the left and at the bottom."""
    if len({(panel.get_xlabel(), panel.get_ylabel()) for panel in panels}) > 1:
        return
    for number, panel in enumerate(panels):
        if number % columns:
            panel.set_ylabel("")
        if number + columns < len(panels):
            panel.set_xlabel("")


def _legend(figure: Any, panels: "Sequence[Axes]", look: Look) -> None:
    """Put one legend above all panels, without repeating a name."""
    shown: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            shown.setdefault(label, handle)
    if len(shown) > 1:
        columns = min(len(shown), 6 if look.width == "text" else 3)
        figure.legend(shown.values(), shown.keys(), loc="outside upper center", ncols=columns)


def line_style(number: int) -> dict[str, Any]:
    """Return colour and dashes of a series; after eight the colours repeat with dashes."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": LINES[number // len(COLOURS) % len(LINES)],
    }


def curve_plots(curves: Sequence[Curve], look: Look) -> list[Plot]:
    """Return one panel per task and training range."""
    order = encodings_of(curves)
    groups = by_panel(curves)
    if not groups:
        raise InputError("figure: there are no curves to draw.")
    several = len({task for _, task, _ in groups}) < len(groups)
    return [
        Plot(_curve_panel(members, order, look, _title(members[0], several)))
        for members in groups.values()
    ]


def _title(curve: Curve, several: bool) -> str:
    if not several:
        return curve.task
    group = f"{curve.group}: " if curve.group else ""
    return f"{group}{curve.task}, trained to {curve.trained_to}"


def _curve_panel(members: Sequence[Curve], order: Sequence[str], look: Look, title: str) -> Draw:
    def draw(axis: "Axes") -> None:
        low, high = members[0].trained
        axis.axvspan(max(low, 1) if look.log else low, high, color="#888888", alpha=0.15, lw=0)
        for curve in members:
            kind = line_style(order.index(curve.encoding))
            points = [p for p in curve.points if p.length > 0 or not look.log]
            x = [p.length for p in points]
            ends = [p.low for p in points], [p.high for p in points]
            axis.fill_between(x, *ends, color=kind["color"], alpha=0.18, lw=0)
            axis.plot(x, [p.accuracy for p in points], label=_escaped(curve.encoding), **kind)
        axis.set_title(_escaped(title), loc="left")
        axis.set(xlabel="length", ylabel="exact match", ylim=(-0.03, 1.03))
        axis.margins(x=0)
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        if look.log:
            axis.set_xscale("log")

    return draw


def _escaped(text: str) -> str:
    """Show dollars as they are instead of reading mathematics between them."""
    return text.replace("$", r"\$")
