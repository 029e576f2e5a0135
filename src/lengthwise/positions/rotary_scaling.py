"""Slower turning for longer inputs: the angles of rotary encodings, and their scalings."""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

Scaling = Literal["none", "linear", "ntk", "dynamic", "yarn", "llama3"]


@dataclass(frozen=True, kw_only=True)
class Slowing:
    """How angles are slowed for inputs ``factor`` times longer than the ``original`` ones."""

    scaling: Scaling
    base: float
    factor: float
    original: int
    fast: float = 32.0
    slow: float = 1.0
    ramp: Literal["turns", "pairs", "whole-pairs"] = "turns"

    def angles(self, plain: Float[Tensor, "pairs"]) -> Float[Tensor, "pairs"]:
        """Return the slower angles.

        Example:
            >>> slowing = Slowing(scaling="linear", base=100.0, factor=2.0, original=0)
            >>> slowing.angles(frequencies(4, 100.0)).tolist()
            [0.5, 0.05]
        """
        if self.scaling == "linear":
            return plain / self.factor
        if self.scaling == "ntk":
            return _rebased(2 * len(plain), self.base, torch.tensor([self.factor]))[0]
        keep = self._kept(plain)
        return keep * plain + (1 - keep) * plain / self.factor

    def grown(self, pairs: int, size: Int[Tensor, "b"]) -> Float[Tensor, "b pairs"]:
        """Return the angles of dynamic scaling, for rows of these sizes.

        With n tokens the base is that of ``ntk`` for the factor  f n / original - (f - 1), which is
        1 at the original length.
        """
        longer = size.clamp(min=self.original).double() / self.original
        return _rebased(2 * pairs, self.base, self.factor * longer - (self.factor - 1))

    def _kept(self, plain: Float[Tensor, "pairs"]) -> Float[Tensor, "pairs"]:
        """Return how much of each pair's own angle is kept: 1 for fast pairs, 0 for slow ones."""
        if self.scaling == "llama3" or self.ramp == "turns":
            turns = self.original * plain / (2 * math.pi)
            return ((turns - self.slow) / (self.fast - self.slow)).clamp(0, 1)
        first, last = self._pair(self.fast, len(plain)), self._pair(self.slow, len(plain))
        if self.ramp == "whole-pairs":
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, 2 * len(plain) - 1)
        number = torch.arange(len(plain), dtype=torch.float64)
        return 1 - ((number - first) / ((last - first) or 0.001)).clamp(0, 1)

    def _pair(self, turns: float, pairs: int) -> float:
        """Return which pair turns so often in the original length; between two pairs in general."""
        return pairs * math.log(self.original / (turns * 2 * math.pi)) / math.log(self.base)


def frequencies(turning: int, base: float) -> Float[Tensor, "pairs"]:
    """Return the angle per position of each pair: base^(-2j/r).

    Example:
        >>> frequencies(4, 100.0).tolist()
        [1.0, 0.1]
    """
    return base ** (-torch.arange(0, turning, 2, dtype=torch.float64) / turning)


def _rebased(turning: int, base: float, factor: Float[Tensor, "b"]) -> Float[Tensor, "b pairs"]:
    """Return the angles for base * factor^(r/(r-2)): the slowest pair slows by exactly factor."""
    bases = base * factor.double() ** (turning / (turning - 2))
    exponents = -torch.arange(0, turning, 2, dtype=torch.float64, device=factor.device) / turning
    return bases[:, None] ** exponents
