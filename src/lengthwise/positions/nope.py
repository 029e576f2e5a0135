"""No encoding: only the causal mask distinguishes positions."""

from dataclasses import dataclass
from typing import ClassVar

from lengthwise.positions.base import EncodingModule, Place, PositionEncoding, Shape


@dataclass(frozen=True, kw_only=True)
class NoPE(PositionEncoding):
    """S[t, i] = q_t . k_i and nothing else (Kazemnejad et al. 2023)."""

    name: ClassVar[str] = "nope"
    summary: ClassVar[str] = "no position encoding"
    touches: ClassVar[frozenset[Place]] = frozenset()

    def build(self, shape: Shape) -> EncodingModule:
        """Every hook stays as it is."""
        return EncodingModule()
