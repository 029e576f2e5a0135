"""T5's relative bias: one learned number per head and bucket of distances."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape
from lengthwise.positions.tables import by_distance, distances


@dataclass(frozen=True, kw_only=True)
class T5Buckets(PositionEncoding):
    """S[t, i] = q_t . k_i + b[m, bucket(t - i)], shared by all layers (Raffel et al. 2020).

    The first half of the buckets is exact; the second half grows logarithmically to
    ``max_distance``, beyond which all distances share the last bucket.
    """

    buckets: int = 32
    max_distance: int = 128

    name: ClassVar[str] = "t5"
    summary: ClassVar[str] = "a learned bias per head and bucket of distances"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})

    def __post_init__(self) -> None:
        if self.buckets < 2 or self.max_distance <= self.buckets // 2:
            raise InputError(
                f"encoding 't5': buckets={self.buckets} must be at least 2 and "
                f"max_distance={self.max_distance} larger than half of it."
            )

    def build(self, shape: Shape) -> EncodingModule:
        """Allocate the table of biases."""
        return _T5(self.buckets, self.max_distance, shape)


def bucket(
    distance: Int[Tensor, "*n"], buckets: int = 32, max_distance: int = 128
) -> Int[Tensor, "*n"]:
    """Return the bucket of each distance; negative (future) distances count as 0.

    Example:
        >>> bucket(torch.tensor([0, 15, 16, 18, 19, 112, 113, 4000])).tolist()
        [0, 15, 16, 16, 17, 30, 31, 31]
    """
    exact = buckets // 2
    distance = distance.clamp(min=0)
    far = distance.clamp(min=1).double() / exact
    log = exact + (far.log() / math.log(max_distance / exact) * (buckets - exact)).long()
    return torch.where(distance < exact, distance, log.clamp(max=buckets - 1))


class _T5(EncodingModule):
    masks_future = True

    def __init__(self, buckets: int, max_distance: int, shape: Shape) -> None:
        super().__init__()
        self.buckets, self.max_distance = buckets, max_distance
        self.table = nn.Embedding(buckets, shape.heads)
        nn.init.normal_(self.table.weight, std=shape.width**-0.5)

    def prepare(self, places: Places) -> Any:
        """Look up the bias that all layers share."""
        rows = bucket(distances(places), self.buckets, self.max_distance)
        return by_distance(self.table.weight, places, rows)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Add the shared bias."""
        return prepared
