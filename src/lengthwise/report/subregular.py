"""A picture of classes of languages: how many of each lie where."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

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
