"""Sandwich: the inner product of sinusoids as a bias, without parameters."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape
from lengthwise.positions.tables import by_distance, distances


@dataclass(frozen=True, kw_only=True)
class Sandwich(PositionEncoding):
    """S[t, i] = q_t . k_i + H / (8h) * sum_j cos((t - i) base^(-2j/D)) in head h = 1..H.

    The sum over j < D/2 is the inner product of two sinusoids (Chi et al. 2023); D is ``width``
    (128 in the paper, whatever the model's width). H / (8h) was not compared with their code.
    """

    width: int = 128
    base: float = 10000.0

    name: ClassVar[str] = "sandwich"
    summary: ClassVar[str] = "the inner product of sinusoids as a fixed bias"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})

    def __post_init__(self) -> None:
        if self.width < 2 or self.width % 2:
            raise InputError(f"encoding 'sandwich': width={self.width} must be even, at least 2.")

    def build(self, shape: Shape) -> EncodingModule:
        """Fix one compression ratio per head."""
        return _Sandwich(shape.heads, self.width, self.base)


def inner_product(d: Int[Tensor, "d"], width: int, base: float) -> Float[Tensor, "d"]:
    """Return p_t . p_{t-d} for sinusoids of this width.

    Example:
        >>> inner_product(torch.tensor([0]), 128, 10000.0).tolist()
        [64.0]
    """
    exponent = torch.arange(0, width, 2, dtype=torch.float64, device=d.device) / width
    return (d[:, None].double() * base**-exponent).cos().sum(dim=1)


class _Sandwich(EncodingModule):
    masks_future = True
    ratio: Tensor

    def __init__(self, heads: int, width: int, base: float) -> None:
        super().__init__()
        self.width, self.base = width, base
        ratio = 8 * torch.arange(1, heads + 1) / heads
        self.register_buffer("ratio", ratio, persistent=False)

    def prepare(self, places: Places) -> Any:
        """Compute the bias that all layers share."""
        product = inner_product(distances(places), self.width, self.base)
        return by_distance(product[:, None].float() / self.ratio, places)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Add the shared bias."""
        return prepared
