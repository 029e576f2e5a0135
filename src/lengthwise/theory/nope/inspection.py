"""Look inside a decoder while it runs: the stream after each block, and attention logits."""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.models.decoder import Decoder
from lengthwise.models.layout import divide


def hidden_states(model: Decoder, tokens: Int[Tensor, "b t"]) -> list[Float[Tensor, "b t d"]]:
    """Return the residual stream before the first block and after every block.

    Example:
        >>> from lengthwise.theory.nope.construction import position_decoder
        >>> built = position_decoder(8)
        >>> len(hidden_states(built.model, torch.tensor([[0, 1, 2]])))
        3
    """
    states: list[Any] = []
    first, *_ = model.blocks
    hooks = [first.register_forward_pre_hook(lambda _, inputs: states.append(inputs[0]))]
    for block in model.blocks:
        hooks.append(block.register_forward_hook(lambda _, __, output: states.append(output)))
    _run(model, tokens, hooks)
    return [state.reshape(*tokens.shape, -1) for state in states]


def attention_logits(
    model: Decoder, tokens: Int[Tensor, "b t"], layer: int
) -> tuple[Float[Tensor, "b h q e"], Float[Tensor, "b h k e"]]:
    """Return queries and keys of one block; ``q @ k.mT`` are its unscaled logits before the mask.

    Example:
        >>> from lengthwise.theory.nope.construction import position_decoder
        >>> q, k = attention_logits(position_decoder(8).model, torch.tensor([[0, 1, 2]]), 1)
        >>> (q @ k.mT).shape
        torch.Size([1, 2, 3, 3])
    """
    found: list[Any] = []
    projection = model.get_submodule(f"blocks.{layer}.qkv")
    _run(model, tokens, [projection.register_forward_hook(lambda _, __, out: found.append(out))])
    shape = (model.config.heads, model.config.head)
    whole = found[0].reshape(*tokens.shape, -1)  # blocks may run on a flat list of cells
    q, k, _ = (part.unflatten(-1, shape).transpose(1, 2) for part in divide(whole, model.config))
    return q, k


def unmasked_block(block: nn.Module, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
    """Run one block of a NoPE decoder without the causal mask: every query sees every key."""
    part: Callable[[str], Any] = block.get_submodule
    config: Any = block.config
    shape = (config.heads, config.head)
    projected = divide(part("qkv")(part("attention_norm")(x)), config)
    q, k, v = (p.unflatten(-1, shape).transpose(1, 2) for p in projected)
    scale = config.logit_scale
    mixed = torch.softmax(scale * q @ k.mT, dim=-1) @ v
    x = x + part("out")(mixed.transpose(1, 2).flatten(2))
    hidden = part("activation")(part("mlp_in")(part("mlp_norm")(x)))
    return x + part("mlp_out")(hidden)


def _run(model: Decoder, tokens: Tensor, hooks: list[Any]) -> None:
    try:
        with torch.no_grad():
            model(tokens)
    finally:
        for hook in hooks:
            hook.remove()
