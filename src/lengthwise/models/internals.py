"""A look inside a decoder while it runs: hooks that go away again, streams, queries and keys."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.models.decoder import Decoder
from lengthwise.models.layout import divide


@contextmanager
def hooked(hooks: Iterable[Any]) -> Iterator[None]:
    """Take hooks away at the end, whatever happens."""
    held = list(hooks)
    try:
        yield
    finally:
        for hook in held:
            hook.remove()


@contextmanager
def streams(model: Decoder) -> Iterator[list[Tensor]]:
    """Collect the residual stream of a pass: before the first block and after every block.

    Blocks may run on a flat list of cells; each stream is as its block was given it.
    """
    found: list[Tensor] = []
    stages = (*model.blocks, model.norm)  # what a block hands on is what the next stage is given
    with hooked(
        stage.register_forward_pre_hook(lambda _, given: found.append(given[0].clone()))
        for stage in stages
    ):
        yield found


def hidden_states(model: Decoder, tokens: Int[Tensor, "b t"]) -> list[Float[Tensor, "b t d"]]:
    """Return the residual stream before the first block and after every block.

    Example:
        >>> from lengthwise.models.config import ModelConfig
        >>> from lengthwise.positions.nope import NoPE
        >>> model = Decoder(ModelConfig(layers=2), 4, NoPE(), context=9)
        >>> len(hidden_states(model, torch.tensor([[0, 1, 2]])))
        3
    """
    with streams(model) as found, torch.no_grad():
        model(tokens)
    return [state.reshape(*tokens.shape, -1) for state in found]


@contextmanager
def projections(model: Decoder) -> Iterator[list[Tensor]]:
    """Collect what every block projects its stream to: queries, keys and values side by side."""
    found: list[Tensor] = []
    with hooked(
        model.get_submodule(f"blocks.{layer}.qkv").register_forward_hook(
            lambda *given: found.append(given[-1])
        )
        for layer in range(model.config.layers)
    ):
        yield found


def queries_and_keys(
    model: Decoder, projected: Tensor, shape: Iterable[int]
) -> tuple[Float[Tensor, "b h q e"], Float[Tensor, "b h k e"]]:
    """Divide a block's projection of tokens of a shape; ``q @ k.mT`` are its unscaled logits."""
    config = model.config
    whole = (*shape, config.heads, config.head)
    q, k, _ = (part.reshape(whole).transpose(1, 2) for part in divide(projected, config))
    return q, k


def attention_logits(
    model: Decoder, tokens: Int[Tensor, "b t"], layer: int
) -> tuple[Float[Tensor, "b h q e"], Float[Tensor, "b h k e"]]:
    """Return queries and keys of one block; ``q @ k.mT`` are its unscaled logits before the mask.

    Example:
        >>> from lengthwise.models.config import ModelConfig
        >>> from lengthwise.positions.nope import NoPE
        >>> model = Decoder(ModelConfig(layers=2, heads=2), 4, NoPE(), context=9)
        >>> q, k = attention_logits(model, torch.tensor([[0, 1, 2]]), 1)
        >>> (q @ k.mT).shape
        torch.Size([1, 2, 3, 3])
    """
    with projections(model) as found, torch.no_grad():
        model(tokens)
    return queries_and_keys(model, found[layer], tokens.shape)
