"""Fixed sines and cosines of the absolute position."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape


@dataclass(frozen=True, kw_only=True)
class Sinusoidal(PositionEncoding):
    """PE(p) = [sin(p w_0), .., sin(p w_k), cos(p w_0), .., cos(p w_k)], w_j = base^(-2j/d).

    Sines first, then cosines; added once to the embeddings (Kazemnejad et al. 2023, their code).
    """

    base: float = 10000.0

    name: ClassVar[str] = "sinusoidal"
    summary: ClassVar[str] = "fixed sines and cosines added to the embedding"
    touches: ClassVar[frozenset[Place]] = frozenset({"embedding"})
    shift_invariant: ClassVar[bool] = False

    def build(self, shape: Shape) -> EncodingModule:
        """Check the width; the table needs no parameters."""
        if shape.width % 2:
            raise InputError(f"encoding 'sinusoidal' needs an even width, not {shape.width}.")
        return _Sinusoidal(shape.width, self.base)


def sinusoid(
    positions: Int[Tensor, "*n"], width: int, base: float = 10000.0
) -> Float[Tensor, "*n d"]:
    """Return the sine half, then the cosine half, for each position."""
    exponent = torch.arange(0, width, 2, device=positions.device, dtype=torch.float64) / width
    angle = positions[..., None].double() * base**-exponent
    return torch.cat([angle.sin(), angle.cos()], dim=-1)


class _Sinusoidal(EncodingModule):
    def __init__(self, width: int, base: float) -> None:
        super().__init__()
        self.width, self.base = width, base

    def embed(
        self, x: Float[Tensor, "b t d"], positions: Int[Tensor, "#b t"], places: Places
    ) -> Float[Tensor, "b t d"]:
        """Add the sinusoid of each position."""
        return x + sinusoid(positions, self.width, self.base).to(x.dtype)
