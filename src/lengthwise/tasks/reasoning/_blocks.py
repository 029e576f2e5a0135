"""Sentences with gaps: arrays of token ids in which ``HOLE`` marks what is not written.

A template is laid out once for a whole batch, as wide as its longest row; holes are closed when
the batch is made. Leading axes are rows (and steps of a scratchpad), the last axis is words.
"""

import numpy as np
from jaxtyping import Bool, Int

HOLE = -1

Block = Int[np.ndarray, "... k"]


def join(*blocks: Block) -> Block:
    """Write blocks one behind the other, repeating those that are the same in every row.

    Example:
        >>> join(np.array([[1], [2]]), np.array([7, 7])).tolist()
        [[1, 7, 7], [2, 7, 7]]
    """
    shape = np.broadcast_shapes(*(block.shape[:-1] for block in blocks))
    sizes = [block.shape[-1] for block in blocks]
    out = np.empty((*shape, sum(sizes)), dtype=np.result_type(*blocks))
    start = 0
    for block, size in zip(blocks, sizes, strict=True):
        out[..., start : start + size] = block
        start += size
    return out


def keep(condition: Bool[np.ndarray, "..."], block: Block) -> Block:
    """Turn the block into holes where the condition fails."""
    return np.where(condition[..., None], block, block.dtype.type(HOLE))


def word(ids: Int[np.ndarray, "..."]) -> Block:
    """Write one id as a block of one word."""
    return ids[..., None]


def digits(values: Int[np.ndarray, "..."], width: int) -> Block:
    """Write numbers digit by digit, high digit first, without leading zeros.

    Digits are their own token ids.

    Example:
        >>> digits(np.array([152, 0]), 3).tolist()
        [[1, 5, 2], [-1, -1, 0]]
    """
    out = np.empty((*values.shape, width), dtype=values.dtype)
    rest = values
    for place in range(width - 1, -1, -1):
        above, out[..., place] = np.divmod(rest, 10)
        if place < width - 1:
            out[..., place][rest == 0] = HOLE
        rest = above
    return out


def signed(values: Int[np.ndarray, "..."], width: int, minus: int) -> Block:
    """Write ``N(x)``: a minus sign where needed, then the digits of the absolute value."""
    sign = np.where(values < 0, values.dtype.type(minus), values.dtype.type(HOLE))
    return join(sign[..., None], digits(np.abs(values), width))


def listing(items: Block, present: Bool[np.ndarray, "... n"], separator: int) -> Block:
    """Write the present items in order with a separator between two of them.

    ``items`` has the axes (..., item, word).
    """
    cells = np.empty((*present.shape, items.shape[-1] + 1), dtype=items.dtype)
    cells[..., 1:] = items
    cells[..., 0] = separator
    cells[..., 0, 0] = HOLE
    nothing_yet = ~np.logical_or.accumulate(present, axis=-1)
    cells[..., 1:, 0][nothing_yet[..., :-1]] = HOLE
    cells[~present] = HOLE
    return cells.reshape(*present.shape[:-1], -1)


def in_line(block: Block) -> Block:
    """Write the steps of each row (rows, steps, words) one behind the other."""
    return block.reshape(len(block), -1)
