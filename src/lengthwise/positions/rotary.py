"""Rotary positions: queries and keys turn with their position."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape
from lengthwise.positions.rotary_scaling import Scaling, Slowing, frequencies


@dataclass(frozen=True, kw_only=True)
class Rotary(PositionEncoding):
    """Rotate each pair (x_2j, x_2j+1) of queries and keys by p * base^(-2j/r).

    Only the first ``fraction`` of a head's dimensions turn: r = int(fraction * head width), a
    quarter in Kazemnejad et al. (2023), all of them in most later models. Logits then depend on
    position differences only.

    ``scaling`` slows the turning for inputs ``factor`` times longer than those trained on:

    * ``linear`` (position interpolation, Chen et al. 2023): positions divided by factor;
    * ``ntk``: base * factor^(r/(r-2)), so that the slowest pair slows by exactly factor;
    * ``dynamic``: as ntk, but with a factor that grows with the input, from ``original`` tokens on.
      Generation keeps keys as they were turned, as the transformers library does;
    * ``yarn`` (Peng et al. 2024): pairs that turn less than ``slow`` times in ``original``
      positions are interpolated, those that turn more than ``fast`` times are left; ``ramp`` says
      what is linear in between, the number of turns (the paper) or of the pair (the transformers
      library, ``whole-pairs`` with rounded ends). Queries and keys are multiplied by ``gain``, or
      if that is 0 by 0.1 ln(factor) + 1;
    * ``llama3``: the same in turns, usually with slow=1 and fast=4, and without a gain.

    ``when`` says whether scaling acts in evaluation only (the model is trained without) or always.
    """

    fraction: float = 1.0
    base: float = 10000.0
    scaling: Scaling = "none"
    factor: float = 2.0
    original: int = 0
    when: Literal["evaluation", "always"] = "evaluation"
    fast: float = 32.0
    slow: float = 1.0
    ramp: Literal["turns", "pairs", "whole-pairs"] = "turns"
    gain: float = 0.0

    name: ClassVar[str] = "rope"
    summary: ClassVar[str] = "rotary: queries and keys turn with position"
    touches: ClassVar[frozenset[Place]] = frozenset({"queries/keys"})

    def __post_init__(self) -> None:
        if not 0 < self.fraction <= 1:
            raise InputError(f"encoding {self.name!r}: fraction={self.fraction} is not in (0, 1].")
        if self.base <= 1:
            raise InputError(f"encoding {self.name!r}: base={self.base} must be larger than 1.")
        if self.factor < 1:
            raise InputError(f"encoding {self.name!r}: factor={self.factor} must be at least 1.")
        if self.scaling in ("dynamic", "yarn", "llama3") and self.original < 1:
            raise InputError(
                f"encoding {self.name!r}: scaling={self.scaling} needs original=N, the training "
                "length."
            )
        if not 0 < self.slow < self.fast:
            raise InputError(
                f"encoding {self.name!r}: slow={self.slow} must be above 0 and below "
                f"fast={self.fast}."
            )

    def build(self, shape: Shape) -> EncodingModule:
        """Fix the angle per position of each pair."""
        turning = turning_dimensions(self.name, self.fraction, shape)
        plain = frequencies(turning, self.base)
        if self.scaling == "none":
            return RotaryModule(plain)
        if self.scaling in ("ntk", "dynamic") and turning < 4:
            raise InputError(
                f"encoding {self.name!r}: scaling={self.scaling} needs 4 turning dimensions."
            )
        slowing = Slowing(
            scaling=self.scaling,
            base=self.base,
            factor=self.factor,
            original=self.original,
            fast=self.fast,
            slow=self.slow,
            ramp=self.ramp,
        )
        always = self.when == "always"
        if self.scaling == "dynamic":
            return DynamicRotary(plain, slowing, always=always)
        yarn = 0.1 * math.log(self.factor) + 1 if self.scaling == "yarn" else 1.0
        return RotaryModule(plain, slowing.angles(plain), self.gain or yarn, always=always)


def turning_dimensions(name: str, fraction: float, shape: Shape) -> int:
    """Return how many dimensions of a head turn, and check that they pair up."""
    turning = int(fraction * shape.head_width)
    if turning < 2 or turning % 2:
        raise InputError(
            f"encoding {name!r} turns int(fraction * head width) = {turning} dimensions of a head "
            f"of width {shape.head_width}; it must be even and at least 2."
        )
    return turning


Rotation = tuple[Float[Tensor, "#b 1 t r"], Float[Tensor, "#b 1 t r"]]


def rotation(positions: Int[Tensor, "#b t"], frequency: Float[Tensor, "*b pairs"]) -> Rotation:
    """Return cosines and sines, each repeated for both members of a pair."""
    frequency = frequency.to(positions.device)
    if frequency.dim() > 1:  # a row has its own
        frequency = frequency[:, None, None]
    angle = positions[:, None, :, None].double() * frequency
    angle = angle.repeat_interleave(2, dim=-1)
    return angle.cos().float(), angle.sin().float()


def rotate(
    x: Float[Tensor, "b h t e"], cos: Float[Tensor, "#b 1 t r"], sin: Float[Tensor, "#b 1 t r"]
) -> Float[Tensor, "b h t e"]:
    """Turn the first r dimensions in adjacent pairs and pass the others through.

    A pair is a complex number and its turn a multiplication: one pass over memory instead of five.
    """
    turning = cos.shape[-1]
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    pairs = torch.view_as_complex(_even(x[..., :turning].to(wide)).unflatten(-1, (-1, 2)))
    turn = torch.complex(cos[..., 0::2].to(wide), sin[..., 0::2].to(wide))
    turned = torch.view_as_real(pairs * turn).flatten(-2).to(x.dtype)
    rest = x[..., turning:]
    return turned if not rest.shape[-1] else torch.cat([turned, rest], dim=-1)


def _even(x: Tensor) -> Tensor:
    """Return x laid out so that neighbours can be read as complex numbers."""
    steps = (x.storage_offset(), *x.stride()[:-1])
    return x if all(step % 2 == 0 for step in steps) else x.contiguous()


class RotaryModule(EncodingModule):
    """Turns queries and keys; with ``slow`` angles in evaluation, or always."""

    def __init__(
        self,
        plain: Float[Tensor, "pairs"],
        slow: Float[Tensor, "pairs"] | None = None,
        gain: float = 1.0,
        *,
        always: bool = False,
    ) -> None:
        super().__init__()
        self.plain, self.slow, self.gain, self.always = plain, slow, gain, always

    def _turn(self, positions: Int[Tensor, "#b t"]) -> Rotation:
        """Return what queries or keys at these positions are multiplied by."""
        if self.slow is None or (self.training and not self.always):
            return rotation(positions, self.plain)
        cos, sin = rotation(positions, self.slow)
        return cos * self.gain, sin * self.gain

    def query_turn(self, positions: Int[Tensor, "#b t"]) -> Rotation:
        """Return the rotation of the queries."""
        return self._turn(positions)

    def key_turn(self, positions: Int[Tensor, "#b t"]) -> Rotation:
        """Return the rotation of the keys."""
        return self._turn(positions)

    def prepare(self, places: Places) -> Any:
        """Compute the angles of queries and keys."""
        query = self.query_turn(places.query)
        shared = places.key is places.query and type(self).key_turn is RotaryModule.key_turn
        return query, query if shared else self.key_turn(places.key)

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


class DynamicRotary(RotaryModule):
    """Turns the more slowly the longer a row is, beyond its original length."""

    sees_end = True

    def __init__(
        self, plain: Float[Tensor, "pairs"], slowing: Slowing, *, always: bool = False
    ) -> None:
        super().__init__(plain, always=always)
        self.slowing = slowing

    def positions(
        self, sizes: Int[np.ndarray, "b"], rng: np.random.Generator | None
    ) -> Int[np.ndarray, "b t"]:
        """Return 0, 1, 2, ..., each row up to its own end, so that padding makes no row longer."""
        return np.minimum(np.arange(int(sizes.max())), sizes[:, None] - 1)

    def prepare(self, places: Places) -> Any:
        """Compute the angles of rows that end with their last key."""
        if self.training and not self.always:
            return super().prepare(places)
        angles = self.slowing.grown(len(self.plain), places.key.amax(1) + 1)
        return rotation(places.query, angles), rotation(places.key, angles)
