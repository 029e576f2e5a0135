"""xPos: rotary with an exponential decay in the distance."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, PositionEncoding, Shape
from lengthwise.positions.rotary import (
    RotaryModule,
    Rotation,
    frequencies,
    rotation,
    turning_dimensions,
)


@dataclass(frozen=True, kw_only=True)
class XPos(PositionEncoding):
    """Rotary, with pair j of q_t times zeta_j^(t/unit) and of k_i times zeta_j^(-i/unit).

    zeta_j = (2j/r + gamma) / (1 + gamma), so pair j of a logit decays like zeta_j^((t-i)/unit); 0.4
    and 512 are the values of Sun et al. (2023). Keys grow as 0.29^(-p/unit): choose ``unit`` so
    that the longest input is below some 60 units.
    """

    base: float = 10000.0
    gamma: float = 0.4
    unit: float = 512.0

    name: ClassVar[str] = "xpos"
    summary: ClassVar[str] = "rotary with an exponential decay in the distance"
    touches: ClassVar[frozenset[Place]] = frozenset({"queries/keys"})

    def __post_init__(self) -> None:
        if self.base <= 1 or self.gamma <= 0 or self.unit <= 0:
            raise InputError(
                f"encoding 'xpos': base={self.base} must exceed 1, gamma={self.gamma} and "
                f"unit={self.unit} must be positive."
            )

    def build(self, shape: Shape) -> EncodingModule:
        """Fix angles and decays; refuse lengths whose keys would overflow."""
        turning = turning_dimensions(self.name, 1.0, shape)
        zeta = decays(turning, self.gamma)
        if -shape.context / self.unit * math.log10(zeta[0]) > 30:
            raise InputError(
                f"encoding 'xpos': unit={self.unit} is too small for {shape.context} positions; "
                "keys would overflow. Use a larger unit."
            )
        return _XPos(frequencies(turning, self.base), zeta, self.unit)


def decays(turning: int, gamma: float) -> Float[Tensor, "pairs"]:
    """Return zeta of each pair.

    Example:
        >>> decays(4, 1.0).tolist()
        [0.5, 0.75]
    """
    pair = torch.arange(0, turning, 2, dtype=torch.float64)
    return (pair / turning + gamma) / (1 + gamma)


class _XPos(RotaryModule):
    def __init__(
        self, plain: Float[Tensor, "pairs"], zeta: Float[Tensor, "pairs"], unit: float
    ) -> None:
        super().__init__(plain)
        self.zeta, self.unit = zeta, unit

    def _decayed(self, positions: Int[Tensor, "#b t"], sign: int) -> Rotation:
        cos, sin = rotation(positions, self.plain)
        power = sign * positions[:, None, :, None].double() / self.unit
        size = self.zeta.to(positions.device) ** power
        size = size.repeat_interleave(2, dim=-1).float()
        return cos * size, sin * size

    def query_turn(self, positions: Int[Tensor, "#b t"]) -> Rotation:
        """Return the shrinking rotation of the queries."""
        return self._decayed(positions, 1)

    def key_turn(self, positions: Int[Tensor, "#b t"]) -> Rotation:
        """Return the growing rotation of the keys."""
        return self._decayed(positions, -1)
