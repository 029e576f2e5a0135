"""Pictures of the theory: complexities, relations, constructions, positional products."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from lengthwise.models.internals import attention_logits
from lengthwise.relations.gates import IntArray
from lengthwise.report.colours import COLOURS
from lengthwise.report.static import line_styles
from lengthwise.theory.circuits.src import SrcVerdict
from lengthwise.theory.limit.readout import Reading
from lengthwise.theory.linear.comparison import LinearStudy
from lengthwise.theory.linear.position_only import cells
from lengthwise.theory.nope.construction import Construction, position_decoder
from lengthwise.theory.nope.verification import read_positions, sequence


def draw_src(verdicts: Sequence[SrcVerdict]) -> Figure:
    """Draw SRC against scale, one panel per task and one line per relation."""
    tasks = list(dict.fromkeys(verdict.task for verdict in verdicts))
    relations = list(dict.fromkeys(verdict.relation for verdict in verdicts))
    columns = min(4, len(tasks))
    rows = -(-len(tasks) // columns)
    figure = Figure(figsize=(2.9 * columns + 1, 2.6 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, task in zip(panels, tasks, strict=False):
        for verdict in (v for v in verdicts if v.task == task):
            number = relations.index(verdict.relation)
            look: dict[str, Any] = {
                "color": COLOURS[number % len(COLOURS)],
                "ls": "--" if verdict.relation == "ipe" else "-",
                # lines that coincide lie on each other, thinner ones on top
                "lw": 1.5 + 2.0 * (len(relations) - 1 - number),
                "zorder": 2 + 0.1 * number,
            }
            scales = np.arange(1, verdict.scale + 1)
            panel.plot(scales, verdict.src, label=verdict.relation, **look)
            panel.axvspan(0, verdict.train_scale, color="#888888", alpha=0.08, lw=0)
        panel.set(title=task, xlabel="scale n", ylabel="SRC")
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.25)
    for panel in panels[len(tasks) :]:
        panel.set_visible(False)
    shown = panels[0].get_legend_handles_labels()
    figure.legend(*shown, frameon=False, fontsize=8, loc="outside upper center", ncols=6)
    return figure


def draw_relation(table: IntArray, name: str, labels: Sequence[str]) -> Figure:
    """Draw one scale's relation as a map of queries against keys, one colour per slot."""
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
        figure.legend(handles=handles, fontsize=8, frameon=False, loc="outside right upper")
    return figure


def draw_construction(built: Construction) -> Figure:
    """Draw position channel against t (also with half of the knots) and logits against distance."""
    figure = Figure(figsize=(9, 3.3), layout="constrained")
    left, right = figure.subplots(1, 2)
    size = built.positions
    place = torch.arange(1, size + 1)
    half = max(2, size // 2)
    short = position_decoder(size, knots=half)
    tokens = sequence(built)
    left.plot(place, read_positions(built, tokens)[0], "-", color="#0072B2", label=f"{size} knots")
    left.plot(
        place,
        read_positions(short, sequence(short))[0],
        "--",
        color="#D55E00",
        label=f"{half} knots",
    )
    left.set(title="channel 3 after block 1", xlabel="position t", ylabel="value")
    q, k = attention_logits(built.model, tokens, 1)
    logits = (q[..., :2] @ k[..., :2].mT)[0]
    distance = (place[:, None] - place[None, :])[torch.ones(size, size).tril() == 1]
    for head, (slope, values) in enumerate(zip(built.slope, logits, strict=True)):
        seen = values[torch.ones(size, size).tril() == 1]
        thin = max(1, len(seen) // 300)
        right.plot(distance[::thin], seen[::thin], ".", ms=2, label=f"head {head}: slope {slope:g}")
    right.set(title="block 2: logits minus content", xlabel="distance t - i", ylabel="logit")
    for panel in (left, right):
        panel.grid(alpha=0.25)
        panel.legend(frameon=False, fontsize=8)
    return figure


def draw_study(found: LinearStudy) -> Figure:
    """Draw the target, its complexity by scale, and each encoding's error by scale."""
    figure = Figure(figsize=(10.5, 3.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    scales = np.arange(1, len(found.target) + 1)
    shown = np.ma.masked_where(np.tri(len(scales), k=-1, dtype=bool), found.target)
    image = left.imshow(
        shown, cmap="viridis", extent=(0.5, len(scales) + 0.5, len(scales) + 0.5, 0.5)
    )
    left.plot([0.5, found.n0 + 0.5, found.n0 + 0.5], [found.n0 + 0.5] * 2 + [0.5], "r-", lw=1.5)
    left.set(title=f"target: {found.name}", xlabel="query j", ylabel="key i")
    figure.colorbar(image, ax=left, shrink=0.8)
    middle.plot(scales, found.lrc, "k.-", label="LRC")
    middle.plot(scales, found.lrc_nonzero, ".--", color="#777777", label="LRC_0")
    middle.set(title="complexity", xlabel="scale n", ylim=(0, None))
    looks = line_styles(list(found.fits))
    for encoding, fit in found.fits.items():
        errors = np.maximum(fit.errors, 1e-16)
        right.semilogy(scales, errors, marker=".", label=encoding, **looks[encoding])
    right.set(title="largest error", xlabel="scale n", ylim=(1e-17, 30))
    for panel in (middle, right):
        panel.axvspan(0.5, found.n0 + 0.5, color="#888888", alpha=0.15, lw=0)
        panel.legend(frameon=False, fontsize=8)
        panel.grid(alpha=0.25)
    return figure


def draw_theorem1(rows: Sequence[dict[str, Any]], n0: int, n: int) -> Figure:
    """Draw the share of concepts that can be extrapolated against the resolution."""
    figure = Figure(figsize=(4.6, 3.2), layout="constrained")
    panel = figure.subplots()
    levels = np.array([row["levels"] for row in rows])
    panel.loglog(levels, [row["counted share"] for row in rows], "o", label="counted")
    slope = cells(n) - cells(n0)
    line = (cells(n0) + 1.0) ** slope * levels.astype(float) ** -slope
    panel.loglog(levels, line, "k--", lw=1, label=f"slope -{slope} = -(D({n}) - D({n0}))")
    panel.set(xlabel="levels per entry q", ylabel="share that some encoding extrapolates")
    panel.grid(alpha=0.25)
    panel.legend(frameon=False)
    return figure


def draw_reading(reading: Reading) -> Figure:
    """Draw p_j^T K^T Q p_i of every head: query i downwards, key j across."""
    rows, columns = len(reading.products), max(len(row) for row in reading.products)
    figure = Figure(figsize=(2.6 * columns + 0.6, 2.6 * rows + 0.6), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    for layer, row in enumerate(reading.products):
        for head, products in enumerate(row):
            shown = np.where(np.tri(len(products), dtype=bool), products.T, np.nan)
            axis = axes[layer][head]
            image = axis.imshow(shown, cmap="RdBu_r", interpolation="nearest")
            axis.set_title(f"layer {layer + 1}, head {head + 1}", fontsize=9)
            figure.colorbar(image, ax=axis, shrink=0.7)
    figure.suptitle(reading.subject)
    return figure


SHADES = {
    "plain": "#009E73",
    "periodic or local": "#56B4E9",
    "outside": "#D55E00",
    "undecided": "#999999",
}
"""One colour per place, from the palette that colour-blind readers can tell apart."""


def draw_families(table: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw one bar per class, cut into shares: plain, periodic or local, outside, undecided."""
    order = sorted(table, key=lambda row: (-row["plain"] / row["languages"], row["outside"]))
    figure = Figure(figsize=(6.4, 0.34 * len(order) + 1.2), layout="constrained")
    panel = figure.subplots()
    names = [f"{row['class']} ({row['languages']})" for row in order]
    left = [0.0] * len(order)
    for place, colour in SHADES.items():
        shares = [100 * row[place] / row["languages"] for row in order]
        if any(shares):
            panel.barh(names, shares, left=left, color=colour, label=place)
            left = [one + two for one, two in zip(left, shares, strict=True)]
    panel.invert_yaxis()
    panel.set(xlabel="% of the languages of a class", xlim=(0, 100))
    panel.legend(frameon=False, ncols=4, fontsize=8, loc="upper center", bbox_to_anchor=(0.4, 1.12))
    return figure
