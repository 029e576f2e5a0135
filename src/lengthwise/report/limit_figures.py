"""Pictures of limit objects: what heads owe to positions, and accuracy beyond the context."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lengthwise.analysis.limit_object import AtLength, LimitReport
from lengthwise.report.colours import COLOURS
from lengthwise.theory.limit.extraction import HeadPart


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
