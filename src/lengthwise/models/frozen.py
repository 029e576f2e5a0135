"""Linear maps made anew for products with few rows, as generation makes them token by token.

On a CPU a few rows are multiplied faster by loops that are compiled for them, or by weights in the
layout that oneDNN, the library below torch, chooses for itself; activations and sums come with the
same call (`docs/speed.md`). The loops need numba and the layout is private in torch: where both are
absent, models stay as they are.
"""

import copy
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.models.decoder import Decoder
from lengthwise.models.linear_maps import Linear, has_onednn, multiply

if TYPE_CHECKING:
    from lengthwise.models.few_rows import FewRows

NARROW = 256
"""Narrower models are slower in oneDNN's layout."""

FEW = 16
"""Up to so many rows loops compiled for them are faster than oneDNN, where numba is installed."""


def frozen(model: Decoder, rows: int) -> Decoder:
    """Return a decoder that computes the same without gradients, faster for so many rows.

    The given one has float32 weights on a CPU and is not being trained. Its tensors are shared
    where that serves, so the result is for use before it is trained on.
    """
    loops = compiled() if rows <= FEW else None
    if loops is None and (model.config.width < NARROW or not has_onednn()):
        return model
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    clone = copy.deepcopy(model, shared)
    for module in list(clone.modules()):
        for name, part in list(module.named_children()):
            if isinstance(part, Linear):
                laid_out = Packed(part, rows) if loops is None else Few(part, loops.FewRows)
                setattr(module, name, laid_out)
            elif isinstance(part, nn.Dropout):
                setattr(module, name, nn.Identity())
    return clone


class Packed(nn.Module):
    """A linear map whose weights lie as oneDNN wants them; for inference alone."""

    def __init__(self, linear: Linear, rows: int) -> None:
        super().__init__()
        bias = linear.bias
        rows = max(rows, 2)  # the layout for two rows serves one row better than its own
        self.weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), rows)
        self.bias = None if bias is None else bias.detach()

    def forward(
        self,
        x: Float[Tensor, "*n d"],
        onto: Float[Tensor, "*n i"] | None = None,
        then: nn.Module | None = None,
    ) -> Float[Tensor, "*n i"]:
        """Return x W^T + b, added to something or activated if that is given."""
        return multiply(x, self.weight, self.bias, onto, then)

    __call__ = forward  # without torch's hooks, which take a share of every token's time


class Few(nn.Module):
    """A linear map by compiled loops where there are few rows; for inference alone."""

    def __init__(self, linear: Linear, make: "type[FewRows]") -> None:
        super().__init__()
        bias = linear.bias
        self.many = linear
        self.few = make(linear.weight.detach(), None if bias is None else bias.detach())

    def forward(
        self,
        x: Float[Tensor, "n d"],
        onto: Float[Tensor, "n i"] | None = None,
        then: nn.Module | None = None,
    ) -> Float[Tensor, "n i"]:
        """Return x W^T + b, added to something or activated if that is given."""
        if x.shape[0] > FEW:  # a prompt
            return self.many(x, onto, then)
        product = self.few(x, onto)
        return product if then is None else then(product)

    __call__ = forward


@cache
def compiled() -> ModuleType | None:
    """Return the module of compiled loops, or None where numba is absent or cannot compile."""
    try:
        return import_module("lengthwise.models.few_rows")
    except (ImportError, RuntimeError):  # the latter where numba may not keep what it compiled
        return None
