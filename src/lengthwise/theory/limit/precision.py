"""How few bits and how low a rank a trained model needs: what R asks of parameters, measured.

Parameters that training leaves are floats of full rank, whatever was learned. R means the grid and
the rank that the function needs, so both are taken as far down as every answer on the given inputs
stays the same.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Block, Decoder
from lengthwise.theory.limit.folding import folded, norm_scales, numpy
from lengthwise.theory.limit.logits_inside import PlacedRows, check_plain
from lengthwise.theory.limit.regulariser import FLOAT32_BITS, Regulariser, regulariser


def measured_regulariser(model: Decoder, inputs: Sequence[PlacedRows]) -> Regulariser:
    """Return R of a trained model, norms folded in, with the bits and the rank that it needs."""
    bits, rank = least_bits(model, inputs), least_rank(model, inputs)
    found = regulariser(folded(model, norm_scales(model, inputs), bits=bits))
    return replace(found, rank_v=float(rank))


def least_bits(model: Decoder, inputs: Sequence[PlacedRows]) -> int:
    """Return the fewest fractional bits of parameters, going down, that keep every answer."""

    def rounded(bits: int) -> Decoder:
        made = deepcopy(model)
        for parameter in made.parameters():
            parameter.data = (parameter.data * 2**bits).round() / 2**bits
        return made

    return _least(model, inputs, rounded, FLOAT32_BITS)


def least_rank(model: Decoder, inputs: Sequence[PlacedRows]) -> int:
    """Return the lowest rank of value matrices, going down, that keeps every answer."""
    return _least(model, inputs, lambda rank: with_rank(model, rank), model.config.head)


def with_rank(model: Decoder, rank: int) -> Decoder:
    """Return a copy whose value matrices have at most this rank: their largest singular values."""
    made, config = deepcopy(model), check_plain(model)
    if config.shared_heads != config.heads:
        raise InputError("the rank of values is measured where every head has its own.")
    shape = (config.heads, config.head)
    for block in made.blocks:
        assert isinstance(block, Block)
        inner = config.heads * config.head
        values = numpy(block.qkv.weight[2 * inner :]).reshape(*shape, config.width)
        out = numpy(block.out.weight.unflatten(1, shape))
        for head in range(config.heads):
            left, sizes, right = np.linalg.svd(out[:, head] @ values[head], full_matrices=False)
            low = (left[:, :rank] * sizes[:rank]) @ right[:rank]
            first = 2 * inner + head * config.head
            # biases of values pass the same output matrix, so only the values change
            new = np.linalg.pinv(out[:, head]) @ low
            rows = block.qkv.weight.data[first : first + config.head]
            rows.copy_(torch.from_numpy(new).to(rows.dtype))
    return made


def _least(
    model: Decoder,
    inputs: Sequence[PlacedRows],
    changed: Callable[[int], Decoder],
    most: int,
) -> int:
    """Go down from ``most`` as long as every answer stays."""
    wanted = answers(model, inputs)
    kept = most
    for number in range(most - 1, -1, -1):
        if not all(map(torch.equal, answers(changed(number), inputs), wanted)):
            break
        kept = number
    return kept


def answers(model: Decoder, inputs: Sequence[PlacedRows]) -> list[Tensor]:
    """Return the likeliest token wherever the model is asked."""
    found = []
    with torch.no_grad():
        for rows in inputs:
            said = model(rows.tokens, rows.positions).argmax(dim=-1)
            found.append(said if rows.asked is None else said[rows.asked])
    return found
