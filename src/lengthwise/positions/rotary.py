"""Rotary positions: queries and keys turn with their position."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape


@dataclass(frozen=True, kw_only=True)
class Rotary(PositionEncoding):
    """Rotate each pair (x_2j, x_2j+1) of queries and keys by p * base^(-2j/r).

    Only the first ``fraction`` of a head's dimensions turn: r = int(fraction * head width), a
    quarter in Kazemnejad et al. (2023), all of them in most later models. Logits then depend on
    position differences only.
    """

    fraction: float = 1.0
    base: float = 10000.0

    name: ClassVar[str] = "rope"
    summary: ClassVar[str] = "rotary: queries and keys turn with position"
    touches: ClassVar[frozenset[Place]] = frozenset({"queries/keys"})

    def __post_init__(self) -> None:
        if not 0 < self.fraction <= 1:
            raise InputError(f"encoding 'rope': fraction={self.fraction} is not in (0, 1].")

    def build(self, shape: Shape) -> EncodingModule:
        """Check that the turning dimensions pair up."""
        turning = int(self.fraction * shape.head_width)
        if turning < 2 or turning % 2:
            raise InputError(
                f"encoding 'rope' turns int(fraction * head width) = {turning} dimensions of a head "
                f"of width {shape.head_width}; it must be even and at least 2."
            )
        return _Rotary(turning, self.base)


def rotation(
    positions: Int[Tensor, "b t"], turning: int, base: float
) -> tuple[Float[Tensor, "b 1 t r"], Float[Tensor, "b 1 t r"]]:
    """Return cosines and sines, each repeated for both members of a pair."""
    pair = torch.arange(0, turning, 2, device=positions.device, dtype=torch.float64)
    angle = positions[:, None, :, None].double() * base ** (-pair / turning)
    angle = angle.repeat_interleave(2, dim=-1)
    return angle.cos().float(), angle.sin().float()


def rotate(
    x: Float[Tensor, "b h t e"], cos: Float[Tensor, "b 1 t r"], sin: Float[Tensor, "b 1 t r"]
) -> Float[Tensor, "b h t e"]:
    """Turn the first r dimensions in adjacent pairs and pass the others through."""
    turning = cos.shape[-1]
    head, rest = x[..., :turning], x[..., turning:]
    even, odd = head[..., 0::2], head[..., 1::2]
    swapped = torch.stack([-odd, even], dim=-1).flatten(-2)
    turned = head * cos.to(x.dtype) + swapped * sin.to(x.dtype)
    return turned if not rest.shape[-1] else torch.cat([turned, rest], dim=-1)


class _Rotary(EncodingModule):
    def __init__(self, turning: int, base: float) -> None:
        super().__init__()
        self.turning, self.base = turning, base

    def prepare(self, places: Places) -> Any:
        """Compute the angles of queries and keys."""
        query = rotation(places.query, self.turning, self.base)
        if places.key is places.query:
            return query, query
        return query, rotation(places.key, self.turning, self.base)

    def rotate_query(
        self, q: Float[Tensor, "b h q e"], prepared: Any, layer: int
    ) -> Float[Tensor, "b h q e"]:
        """Turn the queries."""
        return rotate(q, *prepared[0])

    def rotate_key(
        self, k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "b h k e"]:
        """Turn the keys."""
        cos, sin = prepared[1]
        new = k.shape[2]  # in cached decoding only the last keys are new
        return rotate(k, cos[:, :, -new:], sin[:, :, -new:])
