"""CoPE: positions are counts of the keys that the query finds worth counting."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape


@dataclass(frozen=True, kw_only=True)
class CoPE(PositionEncoding):
    """p_ti = sum over l = i..t of sigmoid(q_t . k_l); S = scale * q_t . (k_i + e[p_ti]).

    e is interpolated between integer positions and ends at ``most`` (Golovneva et al. 2024). A
    table per layer, shared by heads, starting at 0. The gates depend on the content, so this one
    encoding needs several tensors of size (b, h, t, t) in each layer.
    """

    most: int = 64

    name: ClassVar[str] = "cope"
    summary: ClassVar[str] = "positions count the keys that the query finds worth counting"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})

    def __post_init__(self) -> None:
        if self.most < 2:
            raise InputError(f"encoding 'cope': most={self.most} must be at least 2.")

    def build(self, shape: Shape) -> EncodingModule:
        """Allocate one table per layer."""
        return _CoPE(shape, self.most)


class _CoPE(EncodingModule):
    masks_future = True

    def __init__(self, shape: Shape, most: int) -> None:
        super().__init__()
        self.scale = shape.logit_scale
        self.table = nn.Parameter(torch.zeros(shape.layers, most, shape.head_width))

    def prepare(self, places: Places) -> Any:
        """Keep which keys are visible."""
        return ~places.visible()[:, None]

    def counts(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], hidden: Tensor
    ) -> Float[Tensor, "#b #h q k"]:
        """Return p: how much is counted from each key to the query."""
        gates = (self.scale * (q @ k.transpose(-1, -2))).sigmoid().masked_fill(hidden, 0.0)
        counted = gates.flip(-1).cumsum(-1).flip(-1)
        return counted.clamp(max=self.table.shape[1] - 1)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Interpolate the query's scores between the two nearest whole positions."""
        position = self.counts(q, k, prepared)
        scores = self.scale * (q @ self.table[layer].T)
        below = position.detach().floor()
        part = position - below
        low = scores.gather(-1, below.long())
        high = scores.gather(-1, position.detach().ceil().long())
        return torch.lerp(low, high, part).masked_fill(prepared, -torch.inf)
