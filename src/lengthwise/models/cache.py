"""Keys and values of what was read so far, for rows of different lengths."""

import math
import mmap
from collections.abc import Callable
from contextlib import suppress

import torch
from jaxtyping import Float, Int
from torch import Tensor

PAGE = 2**21
"""Bytes of a large page of memory."""

AttendOnce = Callable[[Tensor, Tensor, Tensor, Tensor | None, Tensor, float], Tensor]
"""Attention of one query per row, as in `models.compiled`."""


class Cache:
    """Preallocated keys and values; every row has its own end.

    Rows that end at the same column share one slice; else ``filled[b]`` counts the tokens of row b,
    and a new token is written there, over any padding.
    """

    def __init__(
        self, layers: int, rows: int, heads: int, capacity: int, head: int, like: Tensor
    ) -> None:
        """Make room; ``like`` gives type and device."""
        shape = (layers * 2, rows, heads, capacity, head)
        self._store = large_zeros(shape, like)
        self._whole = self._store.unbind(0)
        self._used, self._new = self._whole, self._whole
        self.tokens = torch.zeros(rows, capacity, dtype=torch.long, device=like.device)
        self.positions = torch.arange(capacity, device=like.device).expand(rows, capacity)
        self.used = 0
        """Columns in use: the longest row."""
        self.filled: Tensor | None = None
        """Where each row ends, unless all end at ``used``."""
        self.attend_once: AttendOnce | None = None
        """How single queries read what is kept, if not as all others do."""

    def append_tokens(self, tokens: Int[Tensor, "b n"]) -> Int[Tensor, "b n"]:
        """Store new tokens and return the index of each in its row."""
        start, count = self.used, tokens.shape[1]
        self.used += count  # every row grows alike, so the longest stays the longest
        self._used = self._store.narrow(3, 0, self.used).unbind(0)
        if self.filled is None:
            self._new = self._store.narrow(3, start, count).unbind(0)
            self.tokens.narrow(1, start, count).copy_(tokens)
            return self.positions.narrow(1, start, count)
        index = self.filled[:, None] + torch.arange(count, device=tokens.device)
        self.tokens.scatter_(1, index, tokens)
        self.filled = self.filled + count
        return index

    def append(
        self,
        layer: int,
        k: Float[Tensor, "b h n e"],
        v: Float[Tensor, "b h n e"],
        index: Int[Tensor, "b n"],
    ) -> tuple[Float[Tensor, "b h u e"], Float[Tensor, "b h u e"]]:
        """Store a layer's keys and values of the tokens just appended; return all in use."""
        keys, values = 2 * layer, 2 * layer + 1
        if self.filled is None:
            self._new[keys].copy_(k)
            self._new[values].copy_(v)
        else:
            where = index[:, None, :, None].expand_as(k)
            self._whole[keys].scatter_(2, where, k)
            self._whole[values].scatter_(2, where, v)
        return self._used[keys], self._used[values]

    def set_filled(self, sizes: Int[Tensor, "b"]) -> None:
        """Say where each row really ends, after a right-padded prompt was read."""
        self.used = int(sizes.max())
        self.filled = None if bool((sizes == sizes[0]).all()) else sizes.clone()


def large_zeros(shape: tuple[int, ...], like: Tensor) -> Tensor:
    """Return zeros on large pages of memory where the system has them (Linux).

    Every token reads all keys and values; looking up many small pages takes part of that time.
    """
    count = math.prod(shape)
    size = count * like.element_size()
    if like.device.type != "cpu" or size < PAGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return torch.zeros(shape, dtype=like.dtype, device=like.device)
    memory = mmap.mmap(-1, size + PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):  # a kernel without large pages; the memory serves all the same
        memory.madvise(mmap.MADV_HUGEPAGE)
    flat = torch.frombuffer(memory, dtype=like.dtype)
    start = -flat.data_ptr() % PAGE // like.element_size()
    return flat[start : start + count].view(shape)
