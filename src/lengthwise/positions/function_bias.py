"""A user's own function of positions as an additive bias."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape
from lengthwise.relations.expressions import (
    PairFunction,
    evaluate_pairs,
    read_function,
    takes_scale,
)


@dataclass(frozen=True, kw_only=True)
class FunctionBias(PositionEncoding):
    """S[i, j] = q_i . k_j + f(i, j) in every head, f fixed.

    ``function`` is ``file.py:f`` or an expression such as ``-0.1*(i-j)``; positions count from 1.
    f may return -inf to hide a key from a query (not from itself).
    """

    function: str = "0"

    name: ClassVar[str] = "bias"
    summary: ClassVar[str] = "a user's own function f(i, j) added to the logits"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})
    shift_invariant: ClassVar[bool] = False
    example: ClassVar[str] = "function=-0.1*(i-j)*(j>1)"

    def __post_init__(self) -> None:
        function = read_function(self.function, "bias")
        if takes_scale(function):
            raise InputError(f"encoding 'bias': {self.function!r} must be a function of i and j.")
        object.__setattr__(self, "_function", function)

    def build(self, shape: Shape) -> EncodingModule:
        """Evaluate the function up to the context."""
        return _FunctionBias(self.function, self._function, shape.context)  # pyright: ignore[reportAttributeAccessIssue]


class _FunctionBias(EncodingModule):
    masks_future = True

    def __init__(self, name: str, function: PairFunction, context: int) -> None:
        super().__init__()
        self.name, self.function = name, function
        self.table = self._evaluate(context)

    def _evaluate(self, size: int) -> Float[Tensor, "t t"]:
        values = evaluate_pairs(self.function, size, (), f"bias {self.name!r}")
        wrong = np.isnan(values) | (values == np.inf)
        np.fill_diagonal(wrong, ~np.isfinite(np.diag(values)))
        if wrong.any():
            i, j = (int(x) + 1 for x in np.argwhere(wrong)[0])
            raise InputError(
                f"encoding 'bias': f(i={i}, j={j}) = {values[i - 1, j - 1]}; it must be a finite "
                "number, or -inf at a key other than the query itself."
            )
        return torch.from_numpy(values).float()

    def prepare(self, places: Places) -> Any:
        """Look up the bias that all layers share."""
        size = 1 + int(max(places.query.max(), places.key.max()))
        if size > len(self.table):
            self.table = self._evaluate(size)
        table = self.table.to(places.query.device)
        bias = table[places.query[:, :, None], places.key[:, None, :]]
        return bias.masked_fill_(~places.visible(), -torch.inf)[:, None]

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Add the shared bias."""
        return prepared
