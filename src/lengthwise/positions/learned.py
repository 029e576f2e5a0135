"""Learned absolute positions, trained at random offsets."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape


@dataclass(frozen=True, kw_only=True)
class LearnedAbsolute(PositionEncoding):
    """y_i = E[x_i] + p[i + o] with a learned table p and a random offset o in training.

    Without the offset the later rows of the table are never trained and the encoding fails
    trivially on longer inputs (Huang et al. 2024). ``std`` is the table's initial spread.
    """

    std: float = 0.02

    name: ClassVar[str] = "ape"
    summary: ClassVar[str] = "learned absolute positions, with random offsets in training"
    touches: ClassVar[frozenset[Place]] = frozenset({"embedding"})
    absolute: ClassVar[bool] = True
    shift_invariant: ClassVar[bool] = False

    def build(self, shape: Shape) -> EncodingModule:
        """Allocate one row for each position of the context."""
        return _Learned(shape.context, shape.width, self.std)


class _Learned(EncodingModule):
    def __init__(self, context: int, width: int, std: float) -> None:
        super().__init__()
        self.table = nn.Embedding(context, width)
        nn.init.normal_(self.table.weight, std=std)

    def embed(
        self, x: Float[Tensor, "b t d"], positions: Int[Tensor, "#b t"], places: Places
    ) -> Float[Tensor, "b t d"]:
        """Add the rows of the given positions."""
        if positions.numel() and int(torch.max(positions)) >= self.table.num_embeddings:
            raise InputError(
                f"position {int(torch.max(positions))} is beyond the learned table of "
                f"{self.table.num_embeddings} positions; name the longer length as a test length "
                "when training, so that the table has its rows and random offsets train them, or "
                "use an encoding without a table."
            )
        return x + self.table(positions)
