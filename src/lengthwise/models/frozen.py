"""Weights laid out anew for products with few rows, as generation makes them token by token.

On a CPU a few rows are multiplied faster by weights in the layout that oneDNN, the library below
torch, chooses for itself; activations and sums come with the same call (`docs/speed.md`). The way
to it is private in torch: where it is absent, models stay as they are.
"""

import copy

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.models.decoder import Block, Decoder
from lengthwise.models.linear import add_product, has_onednn, is_usual, multiply

NARROW = 128
"""Narrower models stay as they are: width 64 became slower, 256 faster; 128 was not measured."""


def frozen(model: Decoder, rows: int) -> Decoder:
    """Return a decoder that computes the same without gradients, faster for so many rows.

    It shares every tensor with the given one but the copied weights, and does not follow when
    that one is trained on.
    """
    usual = is_usual(model.embedding.weight)
    if not usual or model.config.width < NARROW or not has_onednn():
        return model
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    clone = copy.deepcopy(model, shared)
    for module in list(clone.modules()):
        for name, part in list(module.named_children()):
            if isinstance(part, nn.Linear):
                setattr(module, name, Packed(part, rows))
            elif isinstance(part, nn.Dropout):
                setattr(module, name, nn.Identity())
    for block in clone.blocks:
        assert isinstance(block, Block)
        assert isinstance(block.mlp_in, Packed)
        block.mlp_in.then(block.activation)
        block.activation = nn.Identity()
    return clone


class Packed(nn.Module):
    """A linear map whose weights lie as oneDNN wants them; for inference alone."""

    def __init__(self, linear: nn.Linear, rows: int) -> None:
        super().__init__()
        bias = linear.bias
        rows = max(rows, 2)  # the layout for two rows serves one row better than its own
        self.weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), rows)
        self.bias = None if bias is None else bias.detach()
        self.after, self.how = "none", ""

    def then(self, activation: nn.Module) -> None:
        """Apply an activation to the product in the same call."""
        if isinstance(activation, nn.ReLU):
            self.after = "relu"
        else:
            assert isinstance(activation, nn.GELU)
            self.after, self.how = "gelu", activation.approximate

    def forward(
        self, x: Float[Tensor, "*n d"], onto: Float[Tensor, "*n i"] | None = None
    ) -> Float[Tensor, "*n i"]:
        """Return x W^T + b, activated, or added to something if that is given."""
        if onto is None:
            return multiply(x, self.weight, self.bias, self.after, self.how)
        return add_product(onto, x, self.weight, self.bias)

    __call__ = forward  # without torch's hooks, which take a share of every token's time
