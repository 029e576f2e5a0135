"""Randomised positions: any absolute or rotary encoding at a random increasing set of positions."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, PositionEncoding, Shape
from lengthwise.positions.wrappers import Wrapped, adopt, inner_encoding


@dataclass(frozen=True, kw_only=True)
class Randomised(PositionEncoding):
    """Positions are a sorted random subset of 0..L-1, of the row's size (Ruoss et al. 2023).

    L is ``stretch`` times the longest input, so test lengths meet no new positions. In evaluation a
    row of size n stands evenly at floor(t L / n), a choice of ours that needs no chance (the paper
    draws there too).
    """

    encoding: str = "rope"
    stretch: int = 4
    inner: PositionEncoding = field(init=False, repr=False, compare=False)

    name: ClassVar[str] = "randomised"
    summary: ClassVar[str] = "another encoding at a random increasing set of positions"
    touches: ClassVar[frozenset[Place]] = frozenset()

    def __post_init__(self) -> None:
        if self.stretch < 1:
            raise InputError(f"encoding 'randomised': stretch={self.stretch} must be at least 1.")
        object.__setattr__(self, "inner", inner_encoding(self.name, self.encoding))
        adopt(self, self.inner)
        object.__setattr__(self, "absolute", False)  # the drawn positions replace offsets

    def for_task(self, task: Any) -> Self:
        """Let the inner encoding take what it needs."""
        copy = replace(self)
        object.__setattr__(copy, "inner", self.inner.for_task(task))
        return copy

    def build(self, shape: Shape) -> EncodingModule:
        """Build the inner encoding for L positions."""
        longest = self.stretch * shape.context
        return _Randomised(self.inner.build(replace(shape, context=longest)), longest)


class _Randomised(Wrapped):
    def __init__(self, inner: EncodingModule, longest: int) -> None:
        super().__init__(inner)
        self.longest = longest

    def positions(
        self, sizes: Int[np.ndarray, "b"], rng: np.random.Generator | None
    ) -> Int[np.ndarray, "b t"]:
        """Draw sorted subsets in training; spread each row evenly in evaluation."""
        width, rows = int(sizes.max(initial=1)), sizes[:, None]
        if rng is None:
            place = np.arange(width) * self.longest // np.maximum(1, rows)
        else:
            place = rng.random((len(sizes), self.longest)).argsort(axis=1)[:, :width]
            place = np.sort(np.where(np.arange(width) < rows, place, self.longest), axis=1)
        return np.minimum(place, self.longest - 1)
