"""Pictures of limit objects: what heads owe to positions, and accuracy beyond the context."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lengthwise.analysis.limit_object import LINE, AtLength, LimitComparison, LimitReport
from lengthwise.report.colours import COLOURS
from lengthwise.theory.limit.finite_to_limit import HeadPart


def draw_limit(report: LimitReport) -> Figure:
    """Draw for every head D(j, i) and f beside its fit; below, both curves by length."""
    heads = report.extracted.heads
    columns = len(heads)
    figure = Figure(figsize=(2.5 * max(columns, 2) + 0.5, 6.6), layout="constrained")
    grid = figure.add_gridspec(3, max(columns, 2))
    for number, head in enumerate(heads):
        _differences(figure, figure.add_subplot(grid[0, number]), head)
        _profile(figure.add_subplot(grid[1, number]), head, report)
    _curves(figure.add_subplot(grid[2, :]), report.curve, report)
    figure.suptitle(report.subject, fontsize=10)
    return figure


def draw_compared(found: LimitComparison) -> Figure:
    """Draw both curves of every run, and last how generalizing goes with agreement."""
    reports = sorted(found.reports, key=lambda r: -(r.accuracy(beyond=True) or 0.0))
    columns = 4
    rows = -(-(len(reports) + 1) // columns)
    figure = Figure(figsize=(2.9 * columns, 2.3 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, report in zip(panels, reports, strict=False):
        _curves(panel, report.curve, report)
        panel.set_title(report.subject.split("(")[-1].rstrip(")"), fontsize=8)
        panel.get_legend().set_visible(panel is panels[0])
    last = panels[len(reports)]
    for report in reports:
        fitted = (report.accuracy(beyond=False) or 0.0) >= LINE
        colour = COLOURS[0] if fitted else "#999999"
        last.plot(report.agreement, report.accuracy(beyond=True), "o", color=colour, alpha=0.7)
    last.set(xlabel="answered alike, trained lengths", ylabel="model right, longer")
    last.set_title("grey: training lengths not fitted", fontsize=8)
    last.grid(alpha=0.25)
    for panel in panels[len(reports) + 1 :]:
        panel.set_visible(False)
    return figure


def _differences(figure: Figure, axis: Axes, head: HeadPart) -> None:
    image = axis.imshow(head.differences.T, cmap="RdBu_r", interpolation="nearest")
    axis.set_title(f"layer {head.layer}, head {head.head}", fontsize=9)
    axis.set(xlabel="key", ylabel="query")
    figure.colorbar(image, ax=axis, shrink=0.7)


def _profile(axis: Axes, head: HeadPart, report: LimitReport) -> None:
    seen = np.arange(len(head.fit.profile))
    far = np.arange(2 * len(seen))
    fitted = head.fit.function.values(len(far))
    shift = (head.fit.profile - fitted[: len(seen)]).mean()
    axis.plot(seen, head.fit.profile - shift, ".", color="#333333", ms=4, label="seen")
    axis.plot(far, fitted, "-", color=COLOURS[0], lw=1, label="periodic + local")
    axis.set_title(f"rest {head.fit.rest:.2g} of {head.fit.size:.2g}", fontsize=8)
    axis.set(xlabel="distance", ylabel="logit")
    axis.grid(alpha=0.25)
    if head is report.extracted.heads[0]:
        axis.legend(frameon=False, fontsize=7)


def _curves(axis: Axes, curve: Sequence[AtLength], report: LimitReport) -> None:
    model = [(row.length, row.model) for row in curve if row.model is not None]
    axis.plot(*zip(*model, strict=True), "o-", color=COLOURS[0], label="model")
    axis.plot(
        [row.length for row in curve],
        [row.limit for row in curve],
        "s--",
        color=COLOURS[1],
        label="limit object",
    )
    axis.axvspan(*report.trained, color="#888888", alpha=0.15, lw=0)
    axis.axvline(model[-1][0], color="#888888", lw=0.8, ls=":")
    axis.set(xlabel="length (grey: trained)", ylabel="right", ylim=(-0.03, 1.03))
    axis.grid(alpha=0.25)
    axis.legend(frameon=False, fontsize=8)
