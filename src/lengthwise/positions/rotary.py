"""Rotary positions: queries and keys turn with their position."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape

Scaling = Literal["none", "linear", "ntk", "yarn"]


@dataclass(frozen=True, kw_only=True)
class Rotary(PositionEncoding):
    """Rotate each pair (x_2j, x_2j+1) of queries and keys by p * base^(-2j/r).

    Only the first ``fraction`` of a head's dimensions turn: r = int(fraction * head width), a
    quarter in Kazemnejad et al. (2023), all of them in most later models. Logits then depend on
    position differences only.

    ``scaling`` slows the turning for inputs ``factor`` times longer than those trained on:

    * ``linear`` (position interpolation, Chen et al. 2023): positions divided by factor;
    * ``ntk``: base * factor^(r/(r-2)), so that the slowest pair slows by exactly factor;
    * ``yarn`` (Peng et al. 2024): pairs that turn less than once in ``original`` positions are
      interpolated, those that turn more than 32 times are left, linearly in between; queries and
      keys are multiplied by 0.1 ln(factor) + 1.

    ``when`` says whether scaling acts in evaluation only (the model is trained without) or always.
    """

    fraction: float = 1.0
    base: float = 10000.0
    scaling: Scaling = "none"
    factor: float = 2.0
    original: int = 0
    when: Literal["evaluation", "always"] = "evaluation"

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
        if self.scaling == "yarn" and self.original < 1:
            raise InputError(
                f"encoding {self.name!r}: scaling=yarn needs original=N, the training length."
            )

    def build(self, shape: Shape) -> EncodingModule:
        """Fix the angle per position of each pair."""
        turning = turning_dimensions(self.name, self.fraction, shape)
        plain = frequencies(turning, self.base)
        if self.scaling == "none":
            return RotaryModule(plain)
        if self.scaling == "ntk" and turning < 4:
            raise InputError(f"encoding {self.name!r}: scaling=ntk needs 4 turning dimensions.")
        slow = scaled(plain, self.base, self.scaling, self.factor, self.original)
        gain = 0.1 * math.log(self.factor) + 1 if self.scaling == "yarn" else 1.0
        return RotaryModule(plain, slow, gain, always=self.when == "always")


def turning_dimensions(name: str, fraction: float, shape: Shape) -> int:
    """Return how many dimensions of a head turn, and check that they pair up."""
    turning = int(fraction * shape.head_width)
    if turning < 2 or turning % 2:
        raise InputError(
            f"encoding {name!r} turns int(fraction * head width) = {turning} dimensions of a head "
            f"of width {shape.head_width}; it must be even and at least 2."
        )
    return turning


def frequencies(turning: int, base: float) -> Float[Tensor, "pairs"]:
    """Return the angle per position of each pair: base^(-2j/r).

    Example:
        >>> frequencies(4, 100.0).tolist()
        [1.0, 0.1]
    """
    return base ** (-torch.arange(0, turning, 2, dtype=torch.float64) / turning)


def scaled(
    plain: Float[Tensor, "pairs"], base: float, scaling: Scaling, factor: float, original: int
) -> Float[Tensor, "pairs"]:
    """Return the slower angles for inputs ``factor`` times longer.

    Example:
        >>> scaled(frequencies(4, 100.0), 100.0, "linear", 2.0, 0).tolist()
        [0.5, 0.05]
    """
    if scaling == "linear":
        return plain / factor
    if scaling == "ntk":
        turning = 2 * len(plain)
        return frequencies(turning, base * factor ** (turning / (turning - 2)))
    turns = original * plain / (2 * math.pi)
    keep = ((turns - 1) / (32 - 1)).clamp(0, 1)
    return keep * plain + (1 - keep) * plain / factor


Rotation = tuple[Float[Tensor, "#b 1 t r"], Float[Tensor, "#b 1 t r"]]


def rotation(positions: Int[Tensor, "#b t"], frequency: Float[Tensor, "pairs"]) -> Rotation:
    """Return cosines and sines, each repeated for both members of a pair."""
    angle = positions[:, None, :, None].double() * frequency.to(positions.device)
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
