"""What encodings made of other encodings share."""

from typing import Any

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.positions import load_position
from lengthwise.positions.base import EncodingModule, Places, PositionEncoding


def inner_encoding(outer: str, text: str) -> PositionEncoding:
    """Build the encoding inside another one; a mistake names both."""
    try:
        return load_position(text)
    except InputError as error:
        raise InputError(f"encoding {outer!r}, inside it {text!r}: {error}") from error


def adopt(outer: PositionEncoding, *inner: PositionEncoding) -> None:
    """Make the claims of an encoding those of the encodings inside it.

    The claims are class variables; an instance that wraps others shadows them.
    """
    object.__setattr__(outer, "absolute", any(part.absolute for part in inner))
    object.__setattr__(outer, "shift_invariant", all(part.shift_invariant for part in inner))
    touched = frozenset[str]().union(outer.touches, *(part.touches for part in inner))
    object.__setattr__(outer, "touches", touched)


class Wrapped(EncodingModule):
    """Hands every hook on to the module inside; a wrapper overrides what it changes."""

    def __init__(self, inner: EncodingModule) -> None:
        super().__init__()
        self.inner = inner
        self.masks_future = inner.masks_future

    def positions(
        self, sizes: Int[np.ndarray, "b"], rng: np.random.Generator | None
    ) -> Int[np.ndarray, "b t"] | None:
        """Hand on to the module inside."""
        return self.inner.positions(sizes, rng)

    def embed(
        self, x: Float[Tensor, "b t d"], positions: Int[Tensor, "#b t"], places: Places
    ) -> Float[Tensor, "b t d"]:
        """Hand on to the module inside."""
        return self.inner.embed(x, positions, places)

    def prepare(self, places: Places) -> Any:
        """Hand on to the module inside."""
        return self.inner.prepare(places)

    def rotate_query(
        self, q: Float[Tensor, "b h q e"], prepared: Any, layer: int
    ) -> Float[Tensor, "b h q e"]:
        """Hand on to the module inside."""
        return self.inner.rotate_query(q, prepared, layer)

    def rotate_key(
        self, k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "b h k e"]:
        """Hand on to the module inside."""
        return self.inner.rotate_key(k, prepared, layer)

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"] | None:
        """Hand on to the module inside."""
        return self.inner.bias(q, k, prepared, layer)
