"""What a decoder does inside on given inputs: the scale of every norm, the logits of every head."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Block, Decoder
from lengthwise.models.internals import hooked, projections, queries_and_keys


@dataclass(frozen=True)
class PlacedRows:
    """Token rows of one size, each at an offset of its own; no padding."""

    tokens: Int[Tensor, "b t"]
    offsets: Int[Tensor, "b"]
    asked: Bool[Tensor, "b t"] | None = None
    """Where the model is asked for something; None means everywhere."""

    @property
    def positions(self) -> Int[Tensor, "b t"]:
        """Position ids."""
        return self.offsets[:, None] + torch.arange(self.tokens.shape[1])


@dataclass(frozen=True)
class Inside:
    """One pass: ``logits[l]`` are q . k times the scale, before log-n factor, bias and mask."""

    logits: list[Float[Tensor, "b h q k"]]
    inverse: list[Float[Tensor, "b t"]]
    """1 over the divisor of each norm: attention and MLP of every block, then the last one."""
    answer: Float[Tensor, "b t v"]


def look_inside(model: Decoder, words: PlacedRows) -> Inside:
    """Run a model on words and keep what its norms and heads compute."""
    check_plain(model)
    inverse: list[Tensor] = []
    blocks = [block for block in model.blocks if isinstance(block, Block)]
    norms = [norm for block in blocks for norm in (block.attention_norm, block.mlp_norm)]
    hooks = [
        norm.register_forward_pre_hook(lambda module, x: inverse.append(_inverse(module, x[0])))
        for norm in (*norms, model.norm)
    ]
    with hooked(hooks), projections(model) as projected, torch.no_grad():
        answer = model(words.tokens, words.positions)
    shape = words.tokens.shape
    pairs = [queries_and_keys(model, whole, shape) for whole in projected]
    logits = [model.config.logit_scale * q @ k.mT for q, k in pairs]
    return Inside(logits, [part.reshape(shape) for part in inverse], answer)


def check_plain(model: Decoder) -> ModelConfig:
    """Refuse what the theory's transformers do not have: gates, and attention to the future."""
    config = model.config
    if config.gated:
        raise InputError("norms and products are defined for plain MLPs; this model's has a gate.")
    if config.bidirectional:
        raise InputError("limit transformers are causal; this model looks both ways.")
    return config


def _inverse(norm: nn.Module, x: Tensor) -> Tensor:
    """Return 1 over what a norm divides each state by."""
    if isinstance(norm, nn.LayerNorm):
        return (x.var(dim=-1, unbiased=False) + norm.eps).rsqrt()
    if isinstance(norm, nn.RMSNorm):
        assert norm.eps is not None
        return (x.square().mean(dim=-1) + norm.eps).rsqrt()
    return x.new_ones(x.shape[:-1])
