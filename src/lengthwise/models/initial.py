"""Initial weights, as GPT-2 and as T5 draw them."""

from collections.abc import Iterable, Iterator

from torch import nn

from lengthwise.models.config import ModelConfig


def initialise(
    config: ModelConfig,
    embedding: nn.Embedding,
    unembedding: nn.Linear,
    blocks: Iterable[nn.Module],
) -> None:
    """Draw all weights of a decoder; the encoding's module draws its own.

    ``gpt2``: normal with 0.02, residual projections 0.02/sqrt(2 * layers), biases 0.
    ``t5``: embedding 1, queries (width * head)^-1/2, other matrices fan-in^-1/2.
    """
    spread = 1.0 if config.init == "t5" else 0.02
    nn.init.normal_(embedding.weight, std=spread)
    nn.init.normal_(unembedding.weight, std=spread)
    for name, layer in _linear_layers(blocks):
        if config.init == "t5":
            nn.init.normal_(layer.weight, std=layer.in_features**-0.5)
            if name == "qkv":
                queries = layer.weight[: config.heads * config.head]
                nn.init.normal_(queries, std=(config.width * config.head) ** -0.5)
        else:
            residual = name in ("out", "mlp_out")
            nn.init.normal_(
                layer.weight, std=0.02 / (2 * config.layers) ** 0.5 if residual else 0.02
            )
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)


def _linear_layers(blocks: Iterable[nn.Module]) -> Iterator[tuple[str, nn.Linear]]:
    for block in blocks:
        for name, layer in block.named_children():
            if isinstance(layer, nn.Linear):
                yield name, layer
