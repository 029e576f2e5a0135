"""Pictures of circuits: complexity against scale, and position relations as maps."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.relations.gates import IntArray
from lengthwise.theory.circuits.src import SrcVerdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")


def draw_src(verdicts: Sequence[SrcVerdict]) -> "Figure":
    """Draw SRC against scale, one panel per task and one line per relation."""
    from matplotlib.figure import Figure

    tasks = list(dict.fromkeys(verdict.task for verdict in verdicts))
    relations = list(dict.fromkeys(verdict.relation for verdict in verdicts))
    columns = min(4, len(tasks))
    rows = -(-len(tasks) // columns)
    figure = Figure(figsize=(2.9 * columns + 1, 2.6 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, task in zip(panels, tasks, strict=False):
        for verdict in (v for v in verdicts if v.task == task):
            colour = COLOURS[relations.index(verdict.relation) % len(COLOURS)]
            style = "--" if verdict.relation == "ipe" else "-"
            scales = np.arange(1, verdict.scale + 1)
            panel.plot(scales, verdict.src, style, color=colour, label=verdict.relation)
            panel.axvspan(0, verdict.train_scale, color="#888888", alpha=0.08, lw=0)
        panel.set(title=task, xlabel="scale n", ylabel="SRC")
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.25)
    for panel in panels[len(tasks) :]:
        panel.set_visible(False)
    panels[0].legend(frameon=False, fontsize=8)
    return figure


def draw_relation(table: IntArray, name: str, labels: Sequence[str]) -> "Figure":
    """Draw one scale's relation as a map of queries against keys, one colour per slot."""
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure(figsize=(5.6, 4.2), layout="constrained")
    panel = figure.subplots()
    slots = int(table.max(initial=0))
    size = len(table)
    palette = ["#eeeeee", *(COLOURS[k % len(COLOURS)] for k in range(slots))]
    shown: Any = np.ma.masked_where(np.triu(np.ones_like(table), 1) == 1, table)
    edges = (0.5, size + 0.5, size + 0.5, 0.5)
    panel.imshow(shown, cmap=ListedColormap(palette), vmin=0, vmax=slots, extent=edges)
    panel.set(title=name, xlabel="key j", ylabel="query i")
    handles = [Patch(color=palette[k], label=label) for k, label in enumerate(labels, 1)]
    if handles:
        panel.legend(handles=handles, fontsize=8, frameon=False, loc="upper right")
    return figure
