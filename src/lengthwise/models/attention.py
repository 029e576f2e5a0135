"""Attention by the fastest way that its mask allows: fused, fused in parts, or plain products.

All three compute softmax(scale q k^T + mask) v. In parts, without gradients, the queries are cut so
that most of the future is never multiplied:

    keys     0 1 2 3 4 5 6 7
    part 1   x x
    (0-1)    x x                  four parts multiply 40 of the 64 cells;
    part 2   x x x x              the more parts, the closer to half
    (2-3)    x x x x
    ...
    part 4   x x x x x x x x
"""

from typing import Any, cast

import torch
import torch.nn.functional as F  # noqa: N812 (the name everybody knows)
from jaxtyping import Bool, Float
from torch import Tensor

from lengthwise.models.linear_maps import is_usual

PART, LONG = 64, 768
"""Queries in a part, four times as many from ``LONG`` queries on.

Without a mask torch then leaves out most of the future by itself.
"""


def make_mask(
    bias: Float[Tensor, "..."] | None, allowed: Bool[Tensor, "..."] | None, *, masked: bool = False
) -> Tensor | None:
    """Join an encoding's bias and causality; None stands for plain causal attention.

    ``masked`` says that the bias is -inf at invisible keys already.
    """
    if bias is None or masked:
        return allowed if bias is None else bias
    if allowed is None:
        size = bias.shape[-2:]
        allowed = torch.ones(size, dtype=torch.bool, device=bias.device).tril()
    return bias.masked_fill(~allowed, -torch.inf)


def attend(
    q: Float[Tensor, "b h s e"],
    k: Float[Tensor, "b h t e"],
    v: Float[Tensor, "b h t e"],
    mask: Tensor | None,
    scale: float,
    *,
    dropout: float = 0.0,
    causal: bool = True,
) -> Float[Tensor, "b h s e"]:
    """Attention under a mask of truth values or of logits; learned masks are differentiable once.

    If causal, query s is key s and sees what lies before it; a mask then has to say so as well.
    """
    if mask is not None and mask.dtype != torch.bool:
        mask = mask.to(q.dtype)
    if not dropout and is_usual(q):
        if mask is not None and mask.requires_grad:
            return cast(Tensor, _Plain.apply(q, k, v, mask, scale))
        apart = q.shape[2] > PART and (mask is not None or q.shape[2] < LONG)
        if causal and apart and not torch.is_grad_enabled():
            return _in_parts(q, k, v, mask, scale)
    is_causal = causal and mask is None
    return F.scaled_dot_product_attention(q, k, v, mask, dropout, is_causal, scale=scale)


def _in_parts(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float) -> Tensor:
    """Let each part of the queries see the keys up to its end.

    torch's fused way multiplies with 512 keys at a time, those of the future too.
    """
    place = torch.arange(q.shape[2], device=q.device)
    size = PART if len(place) < LONG else 4 * PART
    parts: list[Tensor] = []
    for start in range(0, len(place), size):
        end = min(start + size, len(place))
        queries = slice(start, end)
        if mask is None:
            visible = place[:end] <= place[queries, None]
        else:
            visible = mask[..., queries, :end]
        read = q[:, :, queries], k[:, :, :end], v[:, :, :end]
        parts.append(F.scaled_dot_product_attention(*read, visible, scale=scale))
    return torch.cat(parts, dim=2)


class _Plain(torch.autograd.Function):
    """softmax(scale q k^T + bias) v for a learned bias.

    torch's fused way does not differentiate biases on CPUs; its other way takes more steps.
    """

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, bias: Tensor, scale: float) -> Tensor:
        # with P = softmax(S) and S = scale q k^T + bias the result is O = P v
        shape = (*q.shape[:3], k.shape[2])
        ctx.shape, ctx.scale, ctx.bias_shape = shape, scale, bias.shape
        q, k, v = (x.flatten(0, 1) for x in (q, k, v))
        logits = torch.baddbmm(bias.expand(shape).flatten(0, 1), q, k.mT, alpha=scale)
        weights = logits.softmax(-1)
        ctx.save_for_backward(q, k, v, weights)
        return (weights @ v).unflatten(0, shape[:2])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, grad: Tensor
    ) -> tuple[Tensor | None, ...]:
        # dv = P^T dO; dP = dO v^T; dS = P * (dP - sum_k P dP); dq = scale dS k; dk = scale dS^T q;
        # dbias = dS, added up over the rows and heads that share an entry of it
        q, k, v, weights = ctx.saved_tensors
        heads = ctx.shape[:2]
        grad = grad.flatten(0, 1)
        for_v = weights.mT @ grad
        for_weights = grad @ v.mT
        for_logits = torch.ops.aten._softmax_backward_data(for_weights, weights, -1, weights.dtype)
        for_q = (for_logits @ k).mul_(ctx.scale)
        for_k = (for_logits.mT @ q).mul_(ctx.scale)
        for_bias = None
        if ctx.needs_input_grad[3]:
            for_bias = for_logits.view(ctx.shape).sum_to_size(ctx.bias_shape)
        return *(x.unflatten(0, heads) for x in (for_q, for_k, for_v)), for_bias, None
