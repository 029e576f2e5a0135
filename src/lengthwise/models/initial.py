"""Initial weights, as GPT-2 and as T5 draw them."""

from typing import TYPE_CHECKING

from torch import nn

if TYPE_CHECKING:
    from lengthwise.models.decoder import Decoder


def initialise(model: "Decoder") -> None:
    """Draw all weights of the decoder; the encoding's module draws its own.

    ``gpt2``: normal with 0.02, residual projections 0.02/sqrt(2 * layers), biases 0.
    ``t5``: embedding 1, queries (width * head)^-1/2, other matrices fan-in^-1/2.
    """
    if model.config.init == "t5":
        _t5(model)
    else:
        _gpt2(model)


def _gpt2(model: "Decoder") -> None:
    residual = 0.02 / (2 * model.config.layers) ** 0.5
    nn.init.normal_(model.embedding.weight, std=0.02)
    nn.init.normal_(model.unembedding.weight, std=0.02)
    for block in model.blocks:
        for name, layer in block.named_children():
            if isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, std=residual if name in ("out", "mlp_out") else 0.02)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)


def _t5(model: "Decoder") -> None:
    width, head = model.config.width, model.config.head
    nn.init.normal_(model.embedding.weight, std=1.0)
    nn.init.normal_(model.unembedding.weight, std=1.0)
    for block in model.blocks:
        for name, layer in block.named_children():
            if isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, std=layer.in_features**-0.5)
                if name == "qkv":
                    queries = layer.weight[: layer.out_features // 3]
                    nn.init.normal_(queries, std=(width * head) ** -0.5)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)
