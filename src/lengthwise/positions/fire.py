"""FIRE: a learned function of the distance relative to the query's position."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape


@dataclass(frozen=True, kw_only=True)
class Fire(PositionEncoding):
    """S[t, i] = q_t . k_i + f(psi(t - i) / psi(max(t, L)))_m, psi(x) = log(c x + 1).

    f is an MLP with ``hidden`` units that gives one number per head; c > 0 and the threshold L are
    learned. All arguments of f lie in [0, 1], whatever the length. One f is shared by all layers
    (the paper also has one per layer). ``threshold`` is L's first value; up to L
    positions the bias is a function of distance alone. Li et al. (2024).
    """

    hidden: int = 32
    threshold: float = 512.0

    name: ClassVar[str] = "fire"
    summary: ClassVar[str] = "a learned function of distance relative to the position"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})
    shift_invariant: ClassVar[bool] = False
    example: ClassVar[str] = "threshold=4"

    def __post_init__(self) -> None:
        if self.hidden < 1 or self.threshold <= 0:
            raise InputError(
                f"encoding 'fire': hidden={self.hidden} and threshold={self.threshold} "
                "must be positive."
            )

    def build(self, shape: Shape) -> EncodingModule:
        """Allocate the MLP, c and L."""
        return _Fire(shape.heads, self.hidden, self.threshold)


class _Fire(EncodingModule):
    masks_future = True

    def __init__(self, heads: int, hidden: int, threshold: float) -> None:
        super().__init__()
        self.first = nn.Linear(1, hidden)
        self.second = nn.Linear(hidden, heads)
        self.c = nn.Parameter(torch.tensor(0.1))
        self.threshold = threshold
        self.multiplier = nn.Parameter(torch.tensor(1.0))

    def normalised(self, places: Places) -> Float[Tensor, "#b q k"]:
        """Return psi(t - i) / psi(max(t, L)), in [0, 1] at visible keys."""
        c = self.c.abs()
        far = torch.log1p(c * places.distance().clamp(min=0))
        limit = torch.maximum(places.query.to(c.dtype), (self.multiplier * self.threshold).abs())
        return far / (torch.log1p(c * limit) + 1e-6)[:, :, None]

    def prepare(self, places: Places) -> Any:
        """Compute the bias that all layers share."""
        value = self.second(torch.relu(self.first(self.normalised(places)[..., None])))
        return value.permute(0, 3, 1, 2).masked_fill(~places.visible()[:, None], -torch.inf)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Add the shared bias."""
        return prepared
