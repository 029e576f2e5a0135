"""ALiBi: logits fall linearly with distance, with a slope per head."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape


@dataclass(frozen=True, kw_only=True)
class ALiBi(PositionEncoding):
    """S[t, i] = q_t . k_i - s_m (t - i) with fixed slopes s_m (Press et al. 2022)."""

    name: ClassVar[str] = "alibi"
    summary: ClassVar[str] = "logits fall linearly with distance"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})

    def build(self, shape: Shape) -> EncodingModule:
        """Fix one slope per head."""
        return _ALiBi(shape.heads)


def slopes(heads: int) -> list[float]:
    """Return the slopes of the original code, for any number of heads.

    Example:
        >>> slopes(4)
        [0.25, 0.0625, 0.015625, 0.00390625]
    """
    below = 2 ** int(math.log2(heads))
    geometric = [2 ** (-8 * (m + 1) / below) for m in range(below)]
    if below == heads:
        return geometric
    return geometric + slopes(2 * below)[0::2][: heads - below]


class _ALiBi(EncodingModule):
    masks_future = True
    slope: Tensor

    def __init__(self, heads: int) -> None:
        super().__init__()
        table = torch.tensor(slopes(heads)).reshape(1, heads, 1, 1)
        self.register_buffer("slope", table, persistent=False)

    def prepare(self, places: Places) -> Any:
        """Compute the bias that all layers share."""
        bias = -self.slope * places.distance()[:, None]
        return bias.masked_fill_(~places.visible()[:, None], -torch.inf)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Add the shared bias."""
        return prepared
