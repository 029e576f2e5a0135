"""Weights laid out anew for products with few rows, as generation makes them token by token.

torch multiplies a few rows by a weight matrix far below the speed of memory. On a CPU the layout
that oneDNN, the library below torch, chooses for itself is faster, and so is its activation
(`docs/speed.md` has the figures); narrow models lose more to the calls than they gain. The way to
it is private in torch: where it is absent, models stay as they are.
"""

import copy
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Block, Decoder

NARROW = 128
"""Narrower models stay as they are."""


def frozen(model: Decoder, rows: int) -> Decoder:
    """Return a decoder that computes the same without gradients, faster for so many rows.

    It shares every tensor with the given one but the copied weights, and does not follow when
    that one is trained on.
    """
    weight = model.embedding.weight
    usual = weight.device.type == "cpu" and weight.dtype == torch.float32
    if not usual or model.config.width < NARROW or not Packed.present():
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
        block.mlp_in.then(model.config)
        block.activation = nn.Identity()
    return clone


class Packed(nn.Module):
    """A linear map whose weights lie as oneDNN wants them; for inference alone."""

    def __init__(self, linear: nn.Linear, rows: int) -> None:
        super().__init__()
        bias = linear.bias
        self.weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), rows)
        self.bias = None if bias is None else bias.detach()
        self.after, self.how = "none", ""

    @staticmethod
    def present() -> bool:
        """Whether this build of torch has the layout."""
        names = ("_reorder_linear_weight", "_linear_pointwise")
        ours = torch.ops.mkldnn
        return torch.backends.mkldnn.is_available() and all(hasattr(ours, name) for name in names)

    def then(self, config: ModelConfig) -> None:
        """Apply a model's activation to the product."""
        if config.activation == "relu":
            self.after = "relu"
        else:
            self.after, self.how = "gelu", "tanh" if config.activation == "gelu_tanh" else "none"

    def forward(self, x: Float[Tensor, "*n d"]) -> Float[Tensor, "*n i"]:
        """Return x W^T + b, activated if asked for."""
        product = torch.ops.mkldnn._linear_pointwise(
            x, self.weight, self.bias, self.after, [], self.how
        )
        return cast(Tensor, product)
