"""Sentences with gaps: arrays of token ids in which ``HOLE`` marks what is not written.

A template is laid out once for a whole batch, as wide as its longest row; holes are closed when
the batch is made. Leading axes are rows (and steps of a scratchpad), the last axis is words. There
are many rows and few words, so in memory the rows lie side by side: an operation on a block is
then a few long loops instead of many short ones.
"""

import math

import numpy as np
from jaxtyping import Bool, Int
from numpy.typing import DTypeLike

from lengthwise.tasks.algorithmic._sampling import numbers_below

HOLE = -1

Block = Int[np.ndarray, "... _"]


def blank(shape: tuple[int, ...], kind: DTypeLike) -> Block:
    """Return an empty array whose first axis is the closest in memory."""
    return _rows_first(np.empty((*shape[1:], shape[0]), dtype=kind))


def _rows_first(array: Int[np.ndarray, "... b"]) -> Int[np.ndarray, "b ..."]:
    return array.transpose(array.ndim - 1, *range(array.ndim - 1))


def first_places(sizes: Int[np.ndarray, "b"], width: int) -> Bool[np.ndarray, "b w"]:
    """Mark the first ``sizes[b]`` of ``width`` places.

    Example:
        >>> first_places(np.array([1, 2]), 3).tolist()
        [[True, False, False], [True, True, False]]
    """
    return (np.arange(width, dtype=np.int32)[:, None] < sizes.astype(np.int32)).T


def draw_below(rng: np.random.Generator, bound: int, shape: tuple[int, ...]) -> Block:
    """Draw uniform numbers below a bound."""
    count = math.prod(shape)
    if bound <= 256:
        flat = numbers_below(rng, bound, (count,))
    else:
        flat = rng.integers(0, bound, count, dtype=np.int32)
    return _rows_first(flat.reshape(*shape[1:], shape[0]))


def running_sum(values: Int[np.ndarray, "b n"]) -> Int[np.ndarray, "b n"]:
    """Add up along each row."""
    sums = values.copy(order="K")
    for place in range(1, values.shape[1]):
        sums[:, place] += sums[:, place - 1]
    return sums


def join(*blocks: Block, wide: bool = False) -> Block:
    """Write blocks one behind the other, repeating those that are the same in every row.

    With ``wide`` the words of a row lie side by side in memory, as they do in a batch.

    Example:
        >>> join(np.array([[1], [2]]), np.array([7, 7])).tolist()
        [[1, 7, 7], [2, 7, 7]]
    """
    shape = np.broadcast_shapes(*(block.shape[:-1] for block in blocks))
    sizes = [block.shape[-1] for block in blocks]
    full, kind = (*shape, sum(sizes)), np.result_type(*blocks)
    out = np.empty(full, dtype=kind) if wide else blank(full, kind)
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
    out = blank((*values.shape, width), values.dtype)
    rest = values
    for place in range(width - 1, -1, -1):
        above = rest // 10
        np.subtract(rest, 10 * above, out=out[..., place])
        if place < width - 1:
            np.copyto(out[..., place], HOLE, where=rest == 0)
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
    cells = blank((*present.shape, items.shape[-1] + 1), items.dtype)
    cells[..., 0] = separator
    cells[..., 1:] = items
    nothing = np.ones(present.shape[:-1], dtype=bool)  # written so far
    for place in range(present.shape[-1]):
        np.copyto(cells[..., place, 0], HOLE, where=nothing)
        nothing &= ~present[..., place]
        if not nothing.any():
            break
    np.copyto(cells, HOLE, where=~present[..., None])
    return cells.reshape(*present.shape[:-1], -1)


def in_line(block: Block) -> Block:
    """Write the steps of each row (rows, steps, words) one behind the other."""
    return block.reshape(len(block), -1)
