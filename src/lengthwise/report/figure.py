"""Static figures of accuracy against length, as PNG, SVG or PDF."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.errors import InputError
from lengthwise.report.curves import Curve
from lengthwise.runs.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
# Okabe and Ito's colours, distinguishable with every common colour blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")


def check_format(path: Path) -> str:
    """Return the format that a file name asks for, or say which exist."""
    suffix = path.suffix.lstrip(".").lower()
    if suffix not in FORMATS:
        raise InputError(f"figure {str(path)!r}: use a name that ends in .{', .'.join(FORMATS)}.")
    return suffix


def save_figure(curves: Sequence[Curve], path: Path) -> None:
    """Draw the curves, one panel per task, into a file."""
    suffix = check_format(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, figure_bytes(curves, suffix))


def figure_bytes(curves: Sequence[Curve], suffix: str) -> bytes:
    """Return the figure in one of the formats."""
    data = io.BytesIO()
    metadata = {"Date": None} if suffix == "svg" else None  # the same curves, the same bytes
    _figure(curves).savefig(data, format=suffix, bbox_inches="tight", dpi=160, metadata=metadata)
    return data.getvalue()


def _figure(curves: Sequence[Curve]) -> "Figure":
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "lengthwise"
    tasks = list(dict.fromkeys(curve.task for curve in curves))
    encodings = list(dict.fromkeys(curve.encoding for curve in curves))
    columns = min(3, len(tasks))
    rows = -(-len(tasks) // columns)
    figure = Figure(figsize=(4.2 * columns, 3.1 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, task in zip(panels, tasks, strict=False):
        members = [curve for curve in curves if curve.task == task]
        panel.axvspan(0, members[0].trained_to, color="#888888", alpha=0.15, lw=0)
        for curve in members:
            colour = COLOURS[encodings.index(curve.encoding) % len(COLOURS)]
            x = [p.length for p in curve.points]
            low, high = [p.low for p in curve.points], [p.high for p in curve.points]
            panel.fill_between(x, low, high, color=colour, alpha=0.18, lw=0)
            panel.plot(x, [p.accuracy for p in curve.points], color=colour, label=curve.encoding)
        panel.set(title=task, xlabel="length", ylabel="exact match", ylim=(-0.03, 1.03))
        panel.set_xlim(left=0)
        panel.grid(alpha=0.25)
        panel.legend(loc="lower left", frameon=False, fontsize=8)
    for panel in panels[len(tasks) :]:
        panel.set_visible(False)
    return figure
