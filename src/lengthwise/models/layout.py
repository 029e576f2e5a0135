"""How a flat list of states becomes rows of queries and keys for attention, and a list again.

A block is written once (`models.decoder`). What differs from one pass to another is which states
ask and which are asked, and that is the business of a layout:

    Whole       every token asks                    all blocks but the last
    Supervised  only what is supervised asks        the last block
    Continued   new tokens ask what was kept        generation (`models.cache`)

A layout cuts its rows into bands of similar length (`models.packing`). Each band is one call of
attention, with a `View`: what its queries see, the same in every layer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lengthwise.models.attention import attend, make_mask
from lengthwise.models.config import ModelConfig
from lengthwise.models.linear_maps import Linear, linear
from lengthwise.models.packing import Band, Grid, Reads
from lengthwise.positions.base import EncodingModule, Places

Heads = Float[Tensor, "_ h _ e"]
"""Queries, keys or values: rows, heads, tokens, numbers in a head."""


@dataclass(frozen=True)
class View:
    """What the queries of one band see."""

    prepared: Any
    """What the encoding computed for these queries and keys."""
    masks_future: bool
    """Whether the encoding's bias is -inf at invisible keys."""
    index: Int[Tensor, "b s"] | None = None
    """The column of each query among the keys; None means that query t is key t."""
    allowed: Bool[Tensor, "#b 1 #s t"] | None = None
    """The keys that each query may look at; None stands for those up to itself."""

    @property
    def prepared_keys(self) -> Any:
        """What the encoding computed for the keys that a block makes."""
        return self.prepared

    def extend(self, k: Heads, v: Heads, layer: int) -> tuple[Heads, Heads]:
        """Return all keys and values there are, given those that a block made."""
        return k, v

    def attend(
        self, q: Heads, k: Heads, v: Heads, bias: Tensor | None, scale: float, dropout: float
    ) -> Heads:
        """Mix the values that are visible."""
        mask = make_mask(bias, self.allowed, masked=self.masks_future)
        return attend(q, k, v, mask, scale, dropout=dropout, causal=self.allowed is None)


class Layout(Protocol):
    """Which states ask and which are asked."""

    def project(
        self, qkv: Linear, h: Float[Tensor, "n d"], config: ModelConfig
    ) -> Iterator[tuple[Heads, Heads, Heads, View]]:
        """Yield queries, keys and values of each band, and what its queries see."""
        ...

    def asking(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "m d"]:
        """Return the states that ask; only these go on."""
        ...

    def join(self, mixed: Sequence[Heads]) -> Float[Tensor, "m i"]:
        """List what attention gave to each of them."""
        ...


class Whole:
    """Every cell of a grid asks, and sees the cells up to itself in its row, or both ways all."""

    def __init__(
        self, encoding: EncodingModule, places: Places, grid: Grid, *, both_ways: bool = False
    ) -> None:
        self.bands = grid.bands
        self.views = [
            View(
                part,
                encoding.masks_future,
                allowed=_tokens(band, places.key.device) if both_ways else None,
            )
            for band, part in zip(self.bands, _prepare(encoding, places, grid), strict=True)
        ]

    def project(
        self, qkv: Linear, h: Float[Tensor, "n d"], config: ModelConfig
    ) -> Iterator[tuple[Heads, Heads, Heads, View]]:
        """Spread each band over its own rectangle, padding zero."""
        parts = qkv(h).split([band.size for band in self.bands])
        for band, part, view in zip(self.bands, parts, self.views, strict=True):
            q, k, v = (to_heads(x, config.heads) for x in divide(band.spread(part), config))
            yield q, k, v, view

    def asking(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        """Return them all."""
        return x

    def join(self, mixed: Sequence[Heads]) -> Float[Tensor, "n i"]:
        """Pack each band again, one after the other."""
        return _concatenate(
            [band.pack(from_heads(x)) for band, x in zip(self.bands, mixed, strict=True)]
        )


class Supervised:
    """Only the cells that are read ask; keys and values are those of all cells.

    The rows keep their bands, and the queries of a band are as many columns as its row that reads
    most (``reads.columns``):

        cells    a b c d e      asked    d e       the row of d e has keys a..e
                 f g h                   h .       the row of h has keys f..h
    """

    def __init__(
        self,
        encoding: EncodingModule,
        places: Places,
        grid: Grid,
        reads: Reads,
        *,
        both_ways: bool = False,
    ) -> None:
        self.bands, self.reads = grid.bands, reads
        self.rows = [band.end - band.start for band in self.bands]
        query = places.query.expand(len(reads.columns), -1).gather(1, reads.columns)
        places = Places(query, places.key, places.tokens, places.scale, reads.columns)
        prepared = _prepare(encoding, places, grid)
        self.views: list[View] = []
        columns = reads.columns.split(self.rows)
        for band, index, part in zip(self.bands, columns, prepared, strict=True):
            shown = index[:1] if reads.alike else index
            key = torch.arange(band.width, device=index.device)
            allowed = (
                _tokens(band, places.key.device)
                if both_ways
                else (key <= shown[..., None])[:, None]
            )
            self.views.append(View(part, encoding.masks_future, index, allowed))

    def project(
        self, qkv: Linear, h: Float[Tensor, "n d"], config: ModelConfig
    ) -> Iterator[tuple[Heads, Heads, Heads, View]]:
        """Make queries of the cells that are read alone, keys and values of all."""
        inner = config.heads * config.head
        asked = _some(qkv, self.asking(h), slice(0, inner))
        queries = self.reads.grid.spread(asked).split(self.rows)
        others = _some(qkv, h, slice(inner, None)).split([band.size for band in self.bands])
        for band, q, other, view in zip(self.bands, queries, others, self.views, strict=True):
            shared = (share(x, config) for x in band.spread(other).chunk(2, dim=-1))
            k, v = (to_heads(x, config.heads) for x in shared)
            yield to_heads(q, config.heads), k, v, view

    def asking(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "m d"]:
        """Take the cells that are read; a column may be read twice."""
        return x.index_select(0, self.reads.source)

    def join(self, mixed: Sequence[Heads]) -> Float[Tensor, "m i"]:
        """Leave out the filler of rows that read fewer columns."""
        return self.reads.grid.pack(_concatenate([from_heads(x) for x in mixed]))


def divide(
    x: Float[Tensor, "*n i"], config: ModelConfig
) -> tuple[Float[Tensor, "*n q"], Float[Tensor, "*n q"], Float[Tensor, "*n q"]]:
    """Divide the joint projection, or its weights transposed, into queries, keys and values.

    Example:
        >>> grouped = ModelConfig(heads=4, key_heads=2, width=8)
        >>> [part.shape[-1] for part in divide(torch.zeros(5, 16), grouped)]
        [8, 8, 8]
    """
    shared = config.shared_heads * config.head
    q, k, v = x.split([config.heads * config.head, shared, shared], dim=-1)
    return q, share(k, config), share(v, config)


def share(x: Float[Tensor, "*n i"], config: ModelConfig) -> Float[Tensor, "*n q"]:
    """Repeat the keys or values of every group for each of its heads."""
    group = config.heads // config.shared_heads
    if group == 1:
        return x
    return x.unflatten(-1, (config.shared_heads, -1)).repeat_interleave(group, dim=-2).flatten(-2)


def to_heads(x: Float[Tensor, "b t i"], heads: int) -> Heads:
    """Divide the last axis among the heads.

    Example:
        >>> to_heads(torch.zeros(2, 5, 12), 3).shape
        torch.Size([2, 3, 5, 4])
    """
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def from_heads(x: Heads) -> Float[Tensor, "b t i"]:
    """Put the heads side by side again."""
    return x.transpose(1, 2).flatten(2)


def _tokens(band: Band, device: torch.device) -> Bool[Tensor, "b 1 1 t"]:
    """Mark the cells of a band that hold tokens: what its queries see if they look both ways."""
    if band.cells is None:
        return torch.ones(1, 1, 1, band.width, dtype=torch.bool, device=device)
    held = torch.ones(len(band.cells), 1, device=band.cells.device)
    return (band.spread(held) > 0).permute(0, 2, 1)[:, None]


def _prepare(encoding: EncodingModule, places: Places, grid: Grid) -> list[Any]:
    """Return what the layers share, for each band."""
    bands = ((slice(band.start, band.end), band.width) for band in grid.bands)
    return [encoding.prepare(places.part(rows, width)) for rows, width in bands]


def _some(qkv: Linear, h: Float[Tensor, "n d"], rows: slice) -> Float[Tensor, "n i"]:
    """Apply some of the three parts (queries, keys, values) of the joint projection."""
    return linear(h, qkv.weight[rows], None if qkv.bias is None else qkv.bias[rows])


def _concatenate(parts: list[Tensor]) -> Tensor:
    return torch.cat(parts) if len(parts) > 1 else parts[0]
