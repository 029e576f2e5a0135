"""A decoder with norms as the theory's matrices: every norm is folded into what reads it.

A norm divides by a number that depends on the state and is linear otherwise:

    N(y) = r(y) D C y + beta        D the gains, C takes the mean off (layer norm), r = 1/divisor

so with M = scale (D C)^T K^T Q (D C) and m = scale (D C)^T K^T (Q beta + b_q) the logit of key j is

    a_ij = r_j r_i y_j^T M y_i + r_j y_j^T m + (what all keys of the query share, which cancels)

exactly, for the r of each state. The matrices of a whole model need one number for each norm: its
mean over the given inputs (``scales``). How much r varies there is kept beside it: where that is
much, the folded matrices say little.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.models.decoder import Block, Decoder
from lengthwise.models.layout import divide
from lengthwise.theory.limit.logits_inside import PlacedRows, check_plain, look_inside
from lengthwise.theory.limit.regulariser import FLOAT32_BITS, Explicit

Array = Float[np.ndarray, "..."]


@dataclass(frozen=True)
class NormScales:
    """Mean of 1/divisor for attention and MLP of every block and for the last norm."""

    attention: tuple[float, ...]
    mlp: tuple[float, ...]
    last: float
    spread: float = 0.0
    """The largest standard deviation of one of them, relative to its mean."""

    @classmethod
    def none(cls, layers: int) -> "NormScales":
        """Return those of a model without norms."""
        return cls((1.0,) * layers, (1.0,) * layers, 1.0)


@dataclass(frozen=True)
class FoldedHead:
    """``kq`` and ``key`` give logits for r = 1; ``v`` maps a state to what is added, for r = 1."""

    kq: Array
    key: Array
    v: Array


def norm_scales(model: Decoder, inputs: Sequence[PlacedRows]) -> NormScales:
    """Measure what the norms of a model divide by."""
    if model.config.norm == "none":
        return NormScales.none(len(model.blocks))
    seen = [look_inside(model, words).inverse for words in inputs]
    sites = [np.concatenate([s[k].numpy().ravel() for s in seen]) for k in range(len(seen[0]))]
    means = [float(site.mean()) for site in sites]
    spread = max(float(site.std() / site.mean()) for site in sites)
    return NormScales(tuple(means[:-1:2]), tuple(means[1:-1:2]), means[-1], spread)


def folded_heads(model: Decoder) -> list[list[FoldedHead]]:
    """Return the heads of a decoder with the linear part of their norm folded in."""
    config, layers = check_plain(model), []
    shape = (config.heads, config.head)
    for block in model.blocks:
        assert isinstance(block, Block)
        linear, shift = linear_part(block.attention_norm, config.width)
        q, k, values = (
            numpy(part.mT).reshape(*shape, config.width)
            for part in divide(block.qkv.weight.mT, config)
        )
        bias = np.zeros((config.heads, config.head))
        if block.qkv.bias is not None:
            bias = numpy(divide(block.qkv.bias, config)[0]).reshape(shape)
        out = numpy(block.out.weight.unflatten(1, shape))
        layers.append(
            [
                FoldedHead(
                    kq=config.logit_scale * (k[h] @ linear).T @ (q[h] @ linear),
                    key=config.logit_scale * (k[h] @ linear).T @ (q[h] @ shift + bias[h]),
                    v=out[:, h] @ values[h] @ linear,
                )
                for h in range(config.heads)
            ]
        )
    return layers


def folded(model: Decoder, scales: NormScales, *, bits: int = FLOAT32_BITS) -> Explicit:
    """Return the matrices of a decoder with its norms folded in, each at one scale.

    Without position table (NoPE) the positions are one row of zeros. Attention biases have no place
    in the theory's models and are left out (``folded_heads`` has them); those of norms go to the
    MLP's bias.
    """
    heads, width = folded_heads(model), model.config.width
    a, b, out = [], [], []
    for block, scale in zip(model.blocks, scales.mlp, strict=True):
        assert isinstance(block, Block)
        linear, shift = linear_part(block.mlp_norm, width)
        weight = numpy(block.mlp_in.weight)
        bias = 0.0 if block.mlp_in.bias is None else numpy(block.mlp_in.bias)
        a.append(scale * weight @ linear)
        b.append(bias + weight @ shift)
        out.append(numpy(block.mlp_out.weight))
    linear, _ = linear_part(model.norm, width)
    table = getattr(model.encoding, "table", None)
    last = model.config.width**-0.5 if model.config.scale_output else 1.0
    squares = [scale**2 for scale in scales.attention]
    return Explicit(
        embedding=numpy(model.embedding.weight),
        # As in a finite model, row 1 holds the first position and row 0 the last.
        positions=np.zeros((1, width)) if table is None else np.roll(numpy(table.weight), 1, 0),
        kq=tuple(tuple(s * h.kq for h in row) for s, row in zip(squares, heads, strict=True)),
        v=tuple(tuple(s * h.v for h in r) for s, r in zip(scales.attention, heads, strict=True)),
        a=tuple(a),
        b=tuple(b),
        out=tuple(out),
        unembedding=last * scales.last * numpy(model.unembedding.weight) @ linear,
        bits=bits,
    )


def linear_part(norm: nn.Module, width: int) -> tuple[Float[np.ndarray, "d d"], Array]:
    """Return D C and beta of a norm; the identity and 0 where there is none."""
    linear, shift = np.eye(width), np.zeros(width)
    if isinstance(norm, nn.LayerNorm):
        linear = linear - 1 / width
    if isinstance(norm, nn.LayerNorm | nn.RMSNorm) and norm.weight is not None:
        linear = numpy(norm.weight)[:, None] * linear
    if isinstance(norm, nn.LayerNorm) and norm.bias is not None:
        shift = numpy(norm.bias)
    return linear, shift


def numpy(tensor: Tensor) -> np.ndarray:
    """Return a parameter as an array of doubles."""
    return tensor.detach().double().cpu().numpy()
