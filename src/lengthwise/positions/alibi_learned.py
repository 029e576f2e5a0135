"""ALiBi with a slope that each head learns."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.positions.alibi import slopes
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape
from lengthwise.positions.tables import by_distance, distances


@dataclass(frozen=True, kw_only=True)
class LearnedALiBi(PositionEncoding):
    """S[t, i] = q_t . k_i - exp(a_m) (t - i), with exp(a_m) starting at ALiBi's slopes.

    One number per head, shared by all layers (Kazemnejad et al. 2023, their code only).
    """

    name: ClassVar[str] = "alibi-learned"
    summary: ClassVar[str] = "ALiBi with learned slopes"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})

    def build(self, shape: Shape) -> EncodingModule:
        """Start from the fixed slopes."""
        return _LearnedALiBi(shape.heads)


class _LearnedALiBi(EncodingModule):
    masks_future = True

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.log_slope = nn.Parameter(torch.tensor(slopes(heads)).log())

    def prepare(self, places: Places) -> Any:
        """Compute the bias that all layers share."""
        return by_distance(-distances(places)[:, None] * self.log_slope.exp(), places)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Add the shared bias."""
        return prepared
