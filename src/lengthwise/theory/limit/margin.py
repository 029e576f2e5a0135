"""How long a finite-precision copy of a limit transformer stays exact, by following errors.

Every channel carries a bound on its absolute error and on its relative error. A step becomes two
ReLUs of gain G, which is right as long as its input keeps ``1/(2G)`` away from 0; what is left of
its margin after the error of its input is the *slack*, 1 when there is no error, 0 when it breaks.

Assumptions about the arithmetic (ours; the check of a compiled model tests them):

* attention adds up unnormalised weights and divides once at the end, as fused kernels do, so a
  uniform average of integers is one rounded division, while the sum stays below 1/u;
* a sum of numbers that are integers up to a small error e is off by at most e + 2u per term,
  because partial sums of 4 or more round back to integers;
* a linear layer is off by at most 4u times the sum of the sizes of its terms.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from lengthwise.theory.limit.transformer import LimitHead, LimitLayer, LimitTransformer

DType = Literal["float32", "float64"]
UNIT: dict[DType, float] = {"float32": 2.0**-24, "float64": 2.0**-53}
LONGEST = 1 << 40


@dataclass(frozen=True)
class Margin:
    """The worst slack of a model at one length and precision; positive means exact."""

    length: int
    dtype: DType
    slack: float

    @property
    def exact(self) -> bool:
        """Whether no rounding error can change an output."""
        return self.slack > 0


def gains(layer: LimitLayer, tokens: int) -> Float[np.ndarray, " m"]:
    """Return the gain of every step for inputs of so many tokens.

    Half of a shrinking margin is left to errors, and a third or more of another, whose gain is a
    power of two, which keeps sums of exact Booleans exact.
    """
    allowed = _margins(layer, tokens)
    return np.where(layer.shrinks, 1 / allowed, 2.0 ** np.ceil(np.log2(0.75 / allowed)))


def margin(model: LimitTransformer, length: int, dtype: DType = "float32") -> Margin:
    """Return the slack on words of up to ``length`` letters.

    Example:
        >>> from lengthwise.crasp import Program, Q, count
        >>> from lengthwise.theory.limit import compile_program
        >>> model = compile_program(Program.of(count(Q["a"]) > count(Q["b"]), alphabet="ab"))
        >>> margin(model, 65_536).exact, margin(model, 1 << 25).exact
        (True, False)
    """
    return Margin(length, dtype, _Errors(model, length + 1, UNIT[dtype]).slack())


def safe_length(model: LimitTransformer, dtype: DType = "float32") -> int:
    """Return the largest length with positive slack (to one part in a thousand)."""
    low, high = 0, LONGEST
    while high - low > max(1, low // 1000):
        middle = (low + high) // 2
        low, high = (middle, high) if margin(model, middle, dtype).exact else (low, middle)
    return low


def _margins(layer: LimitLayer, tokens: int) -> Float[np.ndarray, " m"]:
    return layer.margin / np.where(layer.shrinks, tokens, 1)


class _Errors:
    """Follows the errors of all channels through the layers."""

    def __init__(self, model: LimitTransformer, tokens: int, unit: float) -> None:
        self.model, self.tokens, self.unit = model, tokens, unit
        self.size = np.abs(model.embedding).max(0) + np.abs(model.positions).max(0)
        self.absolute = np.zeros(model.width)
        self.relative = np.zeros(model.width)
        self.worst = 1.0

    def slack(self) -> float:
        """Return the worst slack of any step, any sum and any output."""
        for layer in self.model.layers:
            updates = [self._attend(head) for head in layer.heads]
            for size, absolute, relative in updates:
                self.size = self.size + size
                self.absolute = self.absolute + absolute
                self.relative = np.maximum(self.relative, relative)
            self._mlp(layer)
        final = np.abs(self.model.unembedding) @ self.absolute
        return float(min(self.worst, 1 - 2 * final.max(initial=0)))

    def _attend(self, head: LimitHead) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        weights = np.abs(head.v)
        size, error = weights @ self.size, weights @ self.absolute
        used = weights.any(axis=1)
        if not head.kq.any() and not head.phi.any():
            self.worst = min(self.worst, 1 - self.tokens * size.max(initial=0) * self.unit)
            rounding = np.where(error > 0, 2 * self.unit * weights.sum(1), 0.0)
            return size, error + rounding, np.where(used, 2 * self.unit, 0.0)
        logit = 2 * (np.abs(head.phi).max(initial=0) + np.abs(head.kq).sum())
        relative = 4 * self.unit * (2 + logit * np.log(self.tokens))
        return size, error, np.where(used, relative, 0.0)

    def _mlp(self, layer: LimitLayer) -> None:
        reads, unit = np.abs(layer.a), self.unit
        gain, allowed = gains(layer, self.tokens), _margins(layer, self.tokens)
        # Near its threshold a shrinking input is a difference of numbers of size bound / tokens.
        close = np.where(layer.shrinks, 2 * (layer.bound + 1) / self.tokens, layer.bound)
        relative = (reads.astype(bool) * self.relative).max(axis=1, initial=0) + 4 * unit
        exact = (reads @ (self.absolute + self.relative) == 0) & ~layer.shrinks
        error = np.where(exact, 0.0, reads @ self.absolute + relative * close)
        slack = 1 - error / (allowed - 0.5 / gain)
        self.worst = min(self.worst, float(slack[layer.step].min(initial=1.0)))
        rough = np.where(exact, 0.0, 4 * unit * (gain * layer.bound + 1))
        written = np.abs(layer.out)
        kept = ~cleared_channels(layer)
        self.absolute = self.absolute * kept + written @ np.where(layer.step, rough, 0.0)
        self.size = self.size * kept + written @ np.where(layer.step, 1.0, 0.0) + 0.5
        self.relative = self.relative * kept


def cleared_channels(layer: LimitLayer) -> np.ndarray:
    """Return which channels the MLP sets to 0 before it writes: ``-ReLU(x) + ReLU(-x)``."""
    width = layer.a.shape[1]
    found = np.zeros((2, width), dtype=bool)
    for number in np.flatnonzero(~layer.step & (np.abs(layer.a).sum(1) == 1) & (layer.b == 0)):
        channel = int(np.flatnonzero(layer.a[number])[0])
        sign = layer.a[number, channel]
        if layer.out[channel, number] == -sign:
            found[int(sign < 0), channel] = True
    return found[0] & found[1]
