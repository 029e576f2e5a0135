"""KERPLE: conditionally positive definite kernels of the distance."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape
from lengthwise.positions.tables import by_distance, distances


@dataclass(frozen=True, kw_only=True)
class Kerple(PositionEncoding):
    """log: S = q . k - r1 log(1 + r2 d); power: S = q . k - r1 d^r2 (Chi et al. 2022).

    r1 and r2 are positive and learned per head; r2 <= 2 in the power kernel. Sharing them over
    layers and starting at r1 = r2 = 1 (power: r2 = 1, ALiBi's shape) are our choices.
    """

    kernel: Literal["log", "power"] = "log"

    name: ClassVar[str] = "kerple"
    summary: ClassVar[str] = "logits fall with the log or a power of distance, learned"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})

    def build(self, shape: Shape) -> EncodingModule:
        """Allocate two numbers per head."""
        return _Kerple(self.kernel, shape.heads)


def kernel_value(
    kernel: str, d: Float[Tensor, "d 1"], r1: Float[Tensor, "h"], r2: Float[Tensor, "h"]
) -> Float[Tensor, "d h"]:
    """Return the bias at each distance.

    Example:
        >>> one = torch.ones(1)
        >>> kernel_value("power", torch.tensor([[3.0]]), one, 2 * one).tolist()
        [[-9.0]]
    """
    if kernel == "log":
        return -r1 * torch.log1p(r2 * d)
    far = d.clamp(min=1) ** r2  # 0 ** r2 has no gradient in r2; distance 0 is 0 by itself
    return -r1 * torch.where(d > 0, far, torch.zeros_like(far))


class _Kerple(EncodingModule):
    masks_future = True

    def __init__(self, kernel: str, heads: int) -> None:
        super().__init__()
        self.kernel = kernel
        self.log_r1 = nn.Parameter(torch.zeros(heads))
        self.raw_r2 = nn.Parameter(torch.zeros(heads))

    def prepare(self, places: Places) -> Any:
        """Compute the bias that all layers share."""
        r2 = self.raw_r2.exp() if self.kernel == "log" else 2 * self.raw_r2.sigmoid()
        d = distances(places)[:, None].to(r2.dtype)
        return by_distance(kernel_value(self.kernel, d, self.log_r1.exp(), r2), places)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Add the shared bias."""
        return prepared
