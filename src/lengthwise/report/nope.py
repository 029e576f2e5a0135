"""The picture of a construction: positions that the first block writes, logits of the second."""

from typing import TYPE_CHECKING

import torch

from lengthwise.theory.nope.construction import Construction, position_decoder
from lengthwise.theory.nope.inspection import attention_logits
from lengthwise.theory.nope.verification import read_positions, sequence

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_construction(built: Construction) -> "Figure":
    """Draw position channel against t (also with half of the knots) and logits against distance."""
    from matplotlib.figure import Figure

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
