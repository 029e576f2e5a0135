"""What every encoding is: a frozen description that builds a module with three optional hooks.

An encoding may touch the embedding, the queries and keys, or the attention logits, and says which.
The decoder calls the hooks and never asks which encoding it has.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

Place = Literal["embedding", "queries/keys", "logits"]


@dataclass(frozen=True)
class Shape:
    """What an encoding may need to know about the model it is built for."""

    layers: int
    heads: int
    head_width: int
    width: int
    context: int
    """Largest number of positions that training and evaluation will use."""
    logit_scale: float = 1.0
    """What the model multiplies q . k by; a bias made of queries should carry it too."""


@dataclass(frozen=True)
class Places:
    """Where the queries and the keys of one forward pass stand.

    Position ids are explicit, so offsets, randomised positions and cached decoding are no special
    cases. A leading size of 1 means that all rows share their positions. Causality is by index, not
    by position: padding may repeat a row's last position.
    """

    query: Int[Tensor, "#b q"]
    key: Int[Tensor, "#b k"]
    tokens: Int[Tensor, "b k"] | None = None
    """Token ids at the keys, for encodings that look at the text (digit positions)."""
    scale: Int[Tensor, "b"] | None = None
    """The instance's length, for encodings that take a scale hint."""
    index: Int[Tensor, "#b q"] | None = None
    """The column of each query among the keys; None means that query t is key t."""

    def part(self, rows: slice, width: int) -> "Places":
        """Return some rows' places, up to a column; queries that are not the keys all stay."""

        def cut(x: Tensor) -> Tensor:
            return x if len(x) == 1 else x[rows]

        return Places(
            cut(self.query)[:, :width] if self.index is None else cut(self.query),
            cut(self.key)[:, :width],
            None if self.tokens is None else cut(self.tokens)[:, :width],
            None if self.scale is None else cut(self.scale),
            None if self.index is None else cut(self.index),
        )

    def distance(self) -> Int[Tensor, "#b q k"]:
        """Return query position minus key position; negative in the future."""
        return self.query[:, :, None] - self.key[:, None, :]

    def visible(self) -> Bool[Tensor, "#b q k"]:
        """Mark the keys that each query may look at: itself and those before it."""
        column = torch.arange(self.key.shape[1], device=self.key.device)
        index = column[None] if self.index is None else self.index
        return column <= index[:, :, None]


class EncodingModule(nn.Module):
    """The hooks; each does nothing unless an encoding overrides it.

    ``prepare`` is called once for each set of places in a forward pass; its result is handed to the
    other hooks of every layer, so tables and angles are computed once.
    """

    sees_end: bool = False
    """Whether what is said at a position depends on how long the input is that follows."""
    masks_future: bool = False
    """Whether ``bias`` is already -inf at invisible keys, so that the decoder need not copy it."""

    def positions(
        self, sizes: Int[np.ndarray, "b"], rng: np.random.Generator | None
    ) -> Int[np.ndarray, "b t"] | None:
        """Choose the position ids of rows of these sizes; None means 0, 1, 2, ...

        ``rng`` is given in training and None in evaluation, which must not depend on chance.
        """
        return None

    def embed(
        self, x: Float[Tensor, "b t d"], positions: Int[Tensor, "#b t"], places: Places
    ) -> Float[Tensor, "b t d"]:
        """Change the embedded tokens."""
        return x

    def prepare(self, places: Places) -> Any:
        """Compute what the layers share."""
        return None

    def rotate_query(
        self, q: Float[Tensor, "b h q e"], prepared: Any, layer: int
    ) -> Float[Tensor, "b h q e"]:
        """Change the queries."""
        return q

    def rotate_key(
        self, k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "b h k e"]:
        """Change the keys (for cached decoding: the new keys only)."""
        return k

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"] | None:
        """Return what is added to the logits, or None; leading sizes of 1 broadcast.

        Every query has to see a key: not all that is added to its logits may be -inf.
        """
        return None


@dataclass(frozen=True, kw_only=True)
class PositionEncoding(ABC):
    """A position encoding: its options as fields, its claims as class variables.

    ``touches`` says which hooks it uses. ``absolute`` says that a random offset during training is
    needed for positions beyond the training length to be trained at all. ``example`` are options
    with which the encoding can be built for listings, drawings and the tests every encoding gets.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    touches: ClassVar[frozenset[Place]]
    absolute: ClassVar[bool] = False
    shift_invariant: ClassVar[bool] = True
    """Whether attention logits depend on position differences only."""
    example: ClassVar[str] = ""

    def for_task(self, task: Any) -> Self:
        """Fill in what the encoding takes from the task: a relation, the digits."""
        return self

    @abstractmethod
    def build(self, shape: Shape) -> EncodingModule:
        """Create the module with its parameters for a model of this shape."""


def shared_positions(size: int, device: torch.device | str = "cpu") -> Int[Tensor, "1 t"]:
    """Return positions 0, 1, 2, ... for all rows at once."""
    return torch.arange(size, device=device)[None]
