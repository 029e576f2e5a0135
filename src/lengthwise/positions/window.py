"""Sliding window: keys further away than the window are not seen, under any encoding."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape
from lengthwise.positions.wrappers import Wrapped, adopt, inner_encoding


@dataclass(frozen=True, kw_only=True)
class Window(PositionEncoding):
    """S[t, i] = -inf where t - i >= size, else the inner encoding's (Beltagy et al. 2020).

    Every query sees itself and the ``size - 1`` keys before it. In some layers only:
    ``hybrid:window:size=8,encoding=rope+nope``.
    """

    size: int = 16
    encoding: str = "nope"
    inner: PositionEncoding = field(init=False, repr=False, compare=False)

    name: ClassVar[str] = "window"
    summary: ClassVar[str] = "a sliding window over another encoding"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})
    example: ClassVar[str] = "size=3,encoding=rope"

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError(f"encoding 'window': size={self.size} must be at least 1.")
        object.__setattr__(self, "inner", inner_encoding(self.name, self.encoding))
        adopt(self, self.inner)

    def for_task(self, task: Any) -> Self:
        """Let the inner encoding take what it needs."""
        copy = replace(self)
        object.__setattr__(copy, "inner", self.inner.for_task(task))
        return copy

    def build(self, shape: Shape) -> EncodingModule:
        """Wrap the inner module."""
        return _Window(self.inner.build(shape), self.size)


class _Window(Wrapped):
    def __init__(self, inner: EncodingModule, size: int) -> None:
        super().__init__(inner)
        self.size, self.masks_future = size, True

    def prepare(self, places: Places) -> Any:
        """Compute the window that all layers share, beside what the inner module prepares."""
        inside = places.visible() & (places.distance() < self.size)
        window = torch.zeros(inside.shape, device=inside.device).masked_fill_(~inside, -torch.inf)
        return self.inner.prepare(places), window[:, None]

    def rotate_query(
        self, q: Float[Tensor, "b h q e"], prepared: Any, layer: int
    ) -> Float[Tensor, "b h q e"]:
        """Hand on to the module inside."""
        return self.inner.rotate_query(q, prepared[0], layer)

    def rotate_key(
        self, k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "b h k e"]:
        """Hand on to the module inside."""
        return self.inner.rotate_key(k, prepared[0], layer)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Return the inner bias inside the window."""
        inner, window = prepared
        bias = self.inner.bias(q, k, inner, layer)
        return window if bias is None else bias + window
