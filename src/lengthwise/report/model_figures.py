"""Pictures of models: what an encoding does, the relation it learned, where positions are."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from matplotlib import colormaps
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from torch import Tensor

from lengthwise.analysis.probes import ProbeReport
from lengthwise.analysis.relation_tables import Readout, causal
from lengthwise.core.errors import InputError
from lengthwise.positions.base import (
    EncodingModule,
    Places,
    PositionEncoding,
    Shape,
    shared_positions,
)
from lengthwise.report.colours import COLOURS

Map = tuple[str, npt.NDArray[np.float64]]

HEADS, HEAD_WIDTH = 4, 32


@torch.no_grad()
def encoding_maps(encoding: PositionEncoding, length: int, seed: int = 0) -> list[Map]:
    """Return one map ``[query, key]`` per head, or one for all; pairs without meaning are NaN.

    Logit biases are shown as they are (for the query of all ones where they depend on it),
    rotations as the similarity of the turned all-ones vector with itself, and embeddings as the
    cosine of what is added. Learned tables are shown as they start, drawn from ``seed``.

    Example:
        >>> from lengthwise.positions import load_position
        >>> title, values = encoding_maps(load_position("alibi"), 3)[0]
        >>> title, values.tolist()[2][:2]
        ('head 1: logit bias', [-0.5, -0.25])
    """
    if length < 1:
        raise InputError(f"length {length}: at least one position is needed.")
    shape = Shape(
        layers=2, heads=HEADS, head_width=HEAD_WIDTH, width=HEADS * HEAD_WIDTH, context=length
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = encoding.build(shape).eval()
    at = shared_positions(length)
    places = Places(at, at, torch.zeros_like(at), torch.tensor([max(1, length // 3)]))
    found = _bias(module, places) or _turning(module, places) or _embedding(module, places)
    return found or [("no effect", _causal(torch.zeros(length, length)))]


def _bias(module: EncodingModule, places: Places) -> list[Map]:
    ones = torch.ones(1, HEADS, places.query.shape[1], HEAD_WIDTH) / HEAD_WIDTH**0.5
    prepared = module.prepare(places)
    for layer in (0, 1):
        bias = module.bias(ones, ones, prepared, layer)
        if bias is not None:
            heads = bias.expand(1, bias.shape[1], *bias.shape[2:])[0]
            names = ["all heads"] if len(heads) == 1 else [f"head {h + 1}" for h in range(HEADS)]
            return [(f"{n}: logit bias", _causal(b)) for n, b in zip(names, heads, strict=True)]
    return []


def _turning(module: EncodingModule, places: Places) -> list[Map]:
    ones = torch.ones(1, 1, places.query.shape[1], HEAD_WIDTH)
    prepared = module.prepare(places)
    for layer in (0, 1):
        q = module.rotate_query(ones, prepared, layer)
        k = module.rotate_key(ones, prepared, layer)
        if q is not ones or k is not ones:
            alike = (q @ k.transpose(-1, -2))[0, 0] / HEAD_WIDTH
            return [("similarity of turned vectors", _causal(alike))]
    return []


def _embedding(module: EncodingModule, places: Places) -> list[Map]:
    zero = torch.zeros(1, places.query.shape[1], HEADS * HEAD_WIDTH)
    added = module.embed(zero, places.query, places)[0]
    if added is zero[0] or not added.any():
        return []
    unit = torch.nn.functional.normalize(added, dim=-1)
    return [("cosine of added vectors", _causal(unit @ unit.T))]


def _causal(values: Tensor) -> npt.NDArray[np.float64]:
    shown = values.double().masked_fill(
        torch.ones_like(values, dtype=torch.bool).triu(1), torch.nan
    )
    return shown.masked_fill(shown == -torch.inf, torch.nan).numpy()


def draw_maps(
    shown: Sequence[tuple[str, npt.NDArray[Any]]], *, title: str = "", values: int | None = None
) -> Figure:
    """Draw maps side by side on one scale; ``values`` gives whole numbers their own colours."""
    figure = Figure(figsize=(3.2 * len(shown) + 0.6, 3.4), layout="constrained")
    axes = figure.subplots(1, len(shown), squeeze=False)[0]
    options = _scale([data for _, data in shown], values)
    images = []
    for axis, (name, data) in zip(axes, shown, strict=True):
        size = len(data)
        images.append(axis.imshow(data, extent=(0.5, size + 0.5, size + 0.5, 0.5), **options))
        axis.set(title=name, xlabel="key position", ylabel="query position")
    figure.colorbar(images[-1], ax=list(axes), ticks=None if values is None else range(values))
    if title:
        figure.suptitle(title)
    return figure


def _scale(maps: Sequence[npt.NDArray[Any]], values: int | None) -> dict[str, Any]:
    """Return one scale for all maps: of two heads the steeper one looks steeper."""
    if values is not None:
        named = ListedColormap(COLOURS[:values]) if values <= len(COLOURS) else None
        colours = named or colormaps["turbo"].resampled(values)
        return {"cmap": colours, "vmin": -0.5, "vmax": values - 0.5}
    known = np.concatenate([data[np.isfinite(data)] for data in maps])
    ends = {"vmin": float(known.min()), "vmax": float(known.max())} if known.size else {}
    return {"cmap": "viridis", **ends}


def draw_readout(readout: Readout, ranks: int = 3, title: str = "") -> Figure:
    """Draw the values of the largest weights, one panel per rank, as the paper's Figure 5."""
    values = readout.weights.shape[-1]
    future = ~causal(len(readout.weights))
    maps = [
        (f"rank {rank}", np.where(future, np.nan, readout.ranked(rank)))
        for rank in range(1, min(ranks, values) + 1)
    ]
    return draw_maps(maps, title=title, values=values)


def draw_probes(report: ProbeReport) -> Figure:
    """Draw R2 by layer, within the fitted positions and beyond."""
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    styles = {"trained": "o-", "untrained": "s--", "construction": "^:"}
    for name, probes in report.probes.items():
        layers = [probe.layer for probe in probes]
        left.plot(layers, [max(p.r2, -1) for p in probes], styles[name], label=name)
        right.plot(layers, [max(p.r2_beyond, -1) for p in probes], styles[name], label=name)
    left.set(title=f"positions 1..{report.longest_fitted}", xlabel="layer", ylabel="R2 (cut at -1)")
    right.set(title="positions beyond", xlabel="layer")
    for panel in (left, right):
        panel.grid(alpha=0.25)
        panel.set_ylim(-1.05, 1.05)
        panel.set_xticks(range(max(len(probes) for probes in report.probes.values())))
    left.legend(frameon=False)
    figure.suptitle(report.subject)
    return figure
