"""The positional part of the regulariser, as a penalty while training.

Huang et al. 2025 train with it: for each head, how strongly positions attend to positions,

    sum over layers and heads of  mean over keys j of  sum over queries i >= j of (q_i . k_j)^2

with ``q_i`` and ``k_j`` the projections of the position table alone: no biases, no norm and no
``1/sqrt(head width)`` (as in the authors' code).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Block, Decoder
from lengthwise.models.layout import divide
from lengthwise.positions.base import PositionEncoding
from lengthwise.positions.learned import LearnedAbsolute


def positional_penalty(model: Decoder) -> Float[Tensor, ""]:
    """Return the penalty of a model with learned absolute positions; differentiable.

    Example:
        >>> from lengthwise.models.config import ModelConfig
        >>> model = Decoder(ModelConfig(width=8), 5, LearnedAbsolute(), context=6)
        >>> bool(positional_penalty(model) > 0)
        True
    """
    table = position_table(model)
    total = table.new_zeros(())
    for block in model.blocks:
        assert isinstance(block, Block)
        q, k, _ = divide(block.qkv.weight.mT, model.config)
        heads = (model.config.heads, model.config.head)
        queries = (table @ q).unflatten(-1, heads).transpose(0, 1)
        keys = (table @ k).unflatten(-1, heads).transpose(0, 1)
        total = total + (queries @ keys.mT).tril().square().sum()
    return total / len(table)


def position_table(model: Decoder) -> Float[Tensor, "n d"]:
    """Return the learned position vectors of a model."""
    table = getattr(model.encoding, "table", None)
    if not isinstance(table, torch.nn.Embedding):
        raise InputError("this model has no learned position table; use the encoding `ape`.")
    return table.weight


def check_regularize(coefficient: float, encoding: PositionEncoding) -> None:
    """Refuse the penalty for an encoding that has no table of positions."""
    if coefficient and not isinstance(encoding, LearnedAbsolute):
        raise InputError(
            f"regularize {coefficient}: needs learned absolute positions (ape), "
            f"not {encoding.name!r}."
        )
