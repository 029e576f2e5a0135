"""Relative embeddings: one learned vector per clipped distance, read by the query."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape
from lengthwise.positions.tables import by_relation, hide


@dataclass(frozen=True, kw_only=True)
class Shaw(PositionEncoding):
    """S[t, i] = scale * q_t . (k_i + R[min(t - i, clip)]) (Shaw et al. 2018).

    A table per layer and head; ``clip=0`` gives every distance of the context its own row, the
    "RPE" of Chen, Liang and Lin (2025). Values get no term, which is our choice. Rows start
    with spread e^-1/2: much smaller ones are learned late.
    """

    clip: int = 16

    name: ClassVar[str] = "shaw"
    summary: ClassVar[str] = "a learned vector per clipped distance, read by the query"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})

    def __post_init__(self) -> None:
        if self.clip < 0:
            raise InputError(f"encoding 'shaw': clip={self.clip} must be 0 (none) or positive.")

    def build(self, shape: Shape) -> EncodingModule:
        """Allocate the tables."""
        return _Shaw(self.clip, shape)


class _Shaw(EncodingModule):
    masks_future = True

    def __init__(self, clip: int, shape: Shape) -> None:
        super().__init__()
        self.clip, self.scale = clip, shape.logit_scale
        self.rows = clip + 1 if clip else shape.context
        table = torch.empty(shape.layers, shape.heads, self.rows, shape.head_width)
        self.vectors = nn.Parameter(nn.init.normal_(table, std=shape.head_width**-0.5))

    def prepare(self, places: Places) -> Any:
        """Compute the row of every pair."""
        distance = places.distance()
        if self.clip:
            distance = distance.clamp(max=self.clip)
        elif distance.numel() and int(distance.max()) >= self.rows:
            raise InputError(
                f"encoding 'shaw': distance {int(distance.max())} is beyond the {self.rows} rows "
                "of its table; set clip, or let the longest test length size the table."
            )
        return hide(distance, places, self.rows)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Let the queries read the rows."""
        return by_relation(q, self.scale * self.vectors[layer], None, prepared)
