"""Keys and values of what was read so far, for rows of different lengths.

    row 0   a b c d e|      filled 5: the next token goes to column 5
    row 1   f g h|. .       filled 3: the next token goes to column 3, over the padding
            0 1 2 3 4       used 5

A prompt is read at once and right padded; from then on every row grows by a token at its own end.
"""

import math
import mmap
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lengthwise.models.attention import attend, make_mask
from lengthwise.models.config import ModelConfig
from lengthwise.models.layout import Heads, View, divide, to_heads
from lengthwise.models.linear_maps import Linear
from lengthwise.positions.base import EncodingModule, Places

PAGE = 2**21
"""Bytes of a large page of memory."""

AttendOnce = Callable[[Tensor, Tensor, Tensor, Tensor | None, Tensor, float], Tensor]
"""Attention of one query per row, as in `models.few_rows`."""


class Cache:
    """Preallocated keys and values; every row has its own end.

    Rows that end at the same column share one slice; else ``filled[b]`` counts the tokens of row b,
    and a new token is written there, over any padding.
    """

    def __init__(
        self,
        layers: int,
        heads: int,
        head: int,
        rows: int,
        capacity: int,
        positions: Int[Tensor, "b c"] | None,
        like: Tensor,
    ) -> None:
        """Make room for tokens at these positions, or at 0, 1, 2, ...; ``like`` gives the dtype."""
        self._store = large_zeros((layers * 2, rows, heads, capacity, head), like)
        self._whole = self._store.unbind(0)
        self._used, self._new = self._whole, self._whole
        self.tokens = torch.zeros(rows, capacity, dtype=torch.long, device=like.device)
        self._columns = torch.arange(capacity, device=like.device).expand(rows, capacity)
        self._chosen = positions
        self.used = 0
        """Columns in use: the longest row."""
        self.filled: Tensor | None = None
        """Where each row ends, unless all end at ``used``."""
        self.attend_once: AttendOnce | None = None
        """How single queries read what is kept, if not as all others do."""

    def append_tokens(self, tokens: Int[Tensor, "b n"]) -> Int[Tensor, "b n"]:
        """Store new tokens and return the column of each in its row."""
        start, count = self.used, tokens.shape[1]
        self.used += count
        self._used = self._store.narrow(3, 0, self.used).unbind(0)
        if self.filled is None:
            self._new = self._store.narrow(3, start, count).unbind(0)
            self.tokens.narrow(1, start, count).copy_(tokens)
            return self._columns.narrow(1, start, count)
        index = self.filled[:, None] + torch.arange(count, device=tokens.device)
        self.tokens.scatter_(1, index, tokens)
        self.filled = self.filled + count
        return index

    @property
    def positions(self) -> Int[Tensor, "b u"]:
        """The positions of the columns in use; a shorter row repeats its last."""
        columns = self._columns[:, : self.used]
        if self.filled is not None:
            columns = torch.minimum(columns, self.filled[:, None] - 1)
        return columns if self._chosen is None else self._chosen.gather(1, columns)

    def place(self, index: Int[Tensor, "b n"]) -> Int[Tensor, "b n"]:
        """Return the positions of some columns."""
        return index if self._chosen is None else self._chosen.gather(1, index)

    def end(self, rows: Bool[Tensor, "b"]) -> None:
        """Let some rows write over their last token from now on; nobody reads what they say.

        Rows that end together go on together, and none is longer than the longest.
        """
        if self.filled is not None:
            self.filled = self.filled - rows.long()

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


@dataclass(frozen=True, kw_only=True)
class _KeptView(View):
    """What new tokens see: everything that their row has read."""

    cache: Cache
    columns: Int[Tensor, "b n"]
    """The column of each new token, which is also its index as a query."""
    prepared_new: Any

    @property
    def prepared_keys(self) -> Any:
        """What the encoding computed for the new keys."""
        return self.prepared_new

    def extend(self, k: Heads, v: Heads, layer: int) -> tuple[Heads, Heads]:
        """Keep the new keys and values; return all that were kept."""
        return self.cache.append(layer, k, v, self.columns)

    def attend(
        self, q: Heads, k: Heads, v: Heads, bias: Tensor | None, scale: float, dropout: float
    ) -> Heads:
        """Mix the values that are visible; for one query in a row there may be a faster way."""
        if self.cache.attend_once is not None and q.shape[2] == 1:
            return self.cache.attend_once(q, k, v, bias, self.columns, scale)
        if self.allowed is None:  # a new token sees every key
            return attend(q, k, v, bias, scale, dropout=dropout, causal=False)
        mask = make_mask(bias, self.allowed, masked=self.masks_future)
        return attend(q, k, v, mask, scale, dropout=dropout, causal=False)


class Continued:
    """New tokens ask; their keys and values join those that were kept.

    For one token at a time calls cost as much as products, so there are as few as can be.
    """

    def __init__(
        self,
        encoding: EncodingModule,
        cache: Cache,
        tokens: Int[Tensor, "b n"],
        scale: Int[Tensor, "b"] | None,
    ) -> None:
        index = cache.append_tokens(tokens)
        query, read = cache.place(index), cache.tokens[:, : cache.used]
        self.places = Places(query, cache.positions, read, scale, index)
        allowed = None
        if tokens.shape[1] > 1 or cache.filled is not None:
            column = torch.arange(cache.used, device=tokens.device)
            allowed = (column <= index[..., None])[:, None]
        self.view = _KeptView(
            prepared=encoding.prepare(self.places),
            masks_future=encoding.masks_future,
            index=index,
            allowed=allowed,
            cache=cache,
            columns=index,
            prepared_new=encoding.prepare(Places(query, query, tokens, scale)),
        )

    def project(
        self, qkv: Linear, h: Float[Tensor, "n d"], config: ModelConfig
    ) -> Iterator[tuple[Heads, Heads, Heads, View]]:
        """Divide one product into queries, keys and values."""
        product, shape = qkv(h), self.view.columns.shape
        if config.shared_heads == config.heads:
            parts = product.view(*shape, 3, config.heads, -1)
            q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        else:
            found = divide(product.unflatten(0, shape), config)
            q, k, v = (to_heads(x, config.heads) for x in found)
        yield q, k, v, self.view

    def asking(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        """Return them all."""
        return x

    def join(self, mixed: Sequence[Heads]) -> Float[Tensor, "n i"]:
        """List the new tokens, row after row."""
        (only,) = mixed
        return only.transpose(1, 2).flatten(2).flatten(0, 1)


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
