"""Weights laid out anew for products with few rows, as generation makes them token by token.

torch multiplies a few rows by a weight matrix far below the speed of memory. On a CPU one row is
fastest with the matrix stored column by column, and more rows with the layout that oneDNN, the
library below torch, chooses for itself (`docs/speed.md` has the figures). Narrow models lose
more to the calls than they gain. The way to oneDNN's layout is private in torch: where it is
absent, models stay as they are.
"""

import copy
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.models.decoder import Decoder

NARROW = 128
"""Narrower models stay as they are."""


def frozen(model: Decoder, rows: int) -> Decoder:
    """Return a decoder that computes the same without gradients, faster for so many rows.

    It shares every tensor with the given one but the copied weights, and does not follow when
    that one is trained on.
    """
    weight = model.embedding.weight
    usual = weight.device.type == "cpu" and weight.dtype == torch.float32
    if not usual or model.config.width < NARROW or (rows > 1 and not Packed.present()):
        return model
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    clone = copy.deepcopy(model, shared)
    for module in list(clone.modules()):
        for name, part in list(module.named_children()):
            if isinstance(part, nn.Linear) and rows == 1:
                part.weight = nn.Parameter(part.weight.detach().t().contiguous().t(), False)
            elif isinstance(part, nn.Linear):
                setattr(module, name, Packed(part, rows))
    return clone


class Packed(nn.Module):
    """A linear map whose weights lie as oneDNN wants them; for inference alone."""

    def __init__(self, linear: nn.Linear, rows: int) -> None:
        super().__init__()
        bias = linear.bias
        self.weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), rows)
        self.bias = None if bias is None else bias.detach()

    @staticmethod
    def present() -> bool:
        """Whether this build of torch has the layout."""
        names = ("_reorder_linear_weight", "_linear_pointwise")
        ours = torch.ops.mkldnn
        return torch.backends.mkldnn.is_available() and all(hasattr(ours, name) for name in names)

    def forward(self, x: Float[Tensor, "*n d"]) -> Float[Tensor, "*n i"]:
        """Return x W^T + b."""
        product = torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")
        return cast(Tensor, product)
