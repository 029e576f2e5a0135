"""The transformer: a pre-norm causal decoder, short enough to read in one sitting.

Notable:
- the position encoding is three hooks (see ``positions.base``); nothing here asks its name;
- blocks run on a flat list of real tokens, and the last block and the unembedding on supervised
  ones alone (see ``models.packing``): that is where a CPU saves more than half of the time;
- causality is by index, position ids are explicit, and attention is torch's fused one wherever the
  encoding adds no learned bias (see ``models.attention``).
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lengthwise.models.attention import attend, make_mask
from lengthwise.models.cache import Cache
from lengthwise.models.config import ModelConfig
from lengthwise.models.initial import initialise
from lengthwise.models.packing import Grid, Reads, read_columns
from lengthwise.models.products import Linear, linear
from lengthwise.positions.base import (
    EncodingModule,
    Places,
    PositionEncoding,
    Shape,
    shared_positions,
)

INITIAL_SHARPNESS = 0.43
"""First value of s in log-n scaling (Nakanishi 2025, arXiv 2501.19399, as others implement it)."""


class Decoder(nn.Module):
    """A causal language model over a small vocabulary.

    Example:
        >>> from lengthwise.positions.nope import NoPE
        >>> model = Decoder(ModelConfig(layers=1, heads=1, width=8), 5, NoPE(), context=16)
        >>> model(torch.zeros(2, 7, dtype=torch.long)).shape
        torch.Size([2, 7, 5])
    """

    def __init__(
        self, config: ModelConfig, vocabulary: int, encoding: PositionEncoding, context: int
    ) -> None:
        super().__init__()
        self.config = config
        self.context = context
        shape = Shape(
            layers=config.layers,
            heads=config.heads,
            head_width=config.head,
            width=config.width,
            context=context,
            logit_scale=config.logit_scale,
        )
        self.embedding = nn.Embedding(vocabulary, config.width)
        self.encoding = encoding.build(shape)
        self.blocks = nn.ModuleList(Block(config, layer) for layer in range(config.layers))
        self.norm = make_norm(config)
        self.unembedding = Linear(config.width, vocabulary, bias=False)
        self.dropout = nn.Dropout(config.dropout)
        initialise(self)
        if config.tied:
            self.unembedding.weight = self.embedding.weight

    def forward(
        self,
        tokens: Int[Tensor, "b t"],
        positions: Int[Tensor, "b t"] | None = None,
        *,
        supervised: Int[Tensor, "b s"] | None = None,
        scale: Int[Tensor, "b"] | None = None,
    ) -> Float[Tensor, "b s v"]:
        """Return logits at the supervised columns of each row, or at all positions.

        ``positions`` may have one row for all sequences; by default they are 0, 1, 2, ...
        """
        rows, width = tokens.shape
        reads = None if supervised is None else read_columns(supervised, width)
        logits = self.packed(tokens, positions, Grid(rows, width), reads, scale)
        return logits.view(rows, -1, logits.shape[-1])

    def packed(
        self,
        tokens: Int[Tensor, "b t"],
        positions: Int[Tensor, "b t"] | None,
        grid: Grid,
        reads: Reads | None,
        scale: Int[Tensor, "b"] | None = None,
    ) -> Float[Tensor, "m v"]:
        """Return logits at the cells that are read, computing only the grid's cells."""
        if positions is None:
            positions = shared_positions(tokens.shape[1], tokens.device)
        places = Places(positions, positions, tokens, scale)
        embedded = self.encoding.embed(self.embedding(tokens), positions, places)
        x = self.dropout(grid.pack(embedded))
        prepared = self._prepare(places, grid)
        for block in self.blocks[:-1]:
            x = block(x, self.encoding, prepared, grid)
        last = self.blocks[-1]
        if reads is None:
            return self.read(last(x, self.encoding, prepared, grid))
        query = positions.expand(len(tokens), -1).gather(1, reads.columns)
        places = Places(query, positions, tokens, scale, reads.columns)
        return self.read(last(x, self.encoding, self._prepare(places, grid), grid, reads))

    def _prepare(self, places: Places, grid: Grid) -> list[object]:
        """Return what the layers share, for each band."""
        bands = ((slice(band.start, band.end), band.width) for band in grid.bands)
        return [self.encoding.prepare(places.part(rows, width)) for rows, width in bands]

    def cache(self, rows: int, capacity: int) -> Cache:
        """Make room for the keys and values of so many rows and tokens."""
        config = self.config
        like = self.embedding.weight
        return Cache(config.layers, rows, config.heads, capacity, config.head, like)

    def step(
        self, tokens: Int[Tensor, "b n"], cache: Cache, scale: Int[Tensor, "b"] | None = None
    ) -> Float[Tensor, "b n v"]:
        """Read new tokens of every row, given the cache, and extend it."""
        index = cache.append_tokens(tokens)
        keys, read = cache.positions[:, : cache.used], cache.tokens[:, : cache.used]
        places = Places(index, keys, read, scale, index)
        x = self.encoding.embed(self.embedding(tokens), index, places)
        prepared = self.encoding.prepare(places)
        new_keys = self.encoding.prepare(Places(index, index, tokens, scale))
        allowed = None
        if tokens.shape[1] > 1 or cache.filled is not None:  # else a new token sees every key
            column = torch.arange(cache.used, device=tokens.device)
            allowed = (column <= index[..., None])[:, None]
        x = x.flatten(0, 1)
        for block in self.blocks:
            assert isinstance(block, Block)
            x = block.cached(x, self.encoding, (prepared, new_keys), cache, index, allowed)
        return self.read(x).unflatten(0, tokens.shape)

    def read(self, x: Float[Tensor, "*n d"]) -> Float[Tensor, "*n v"]:
        """Turn final states into logits."""
        x = self.dropout(self.norm(x))
        if self.config.scale_output:
            x = x * self.config.width**-0.5
        return self.unembedding(x)


class Block(nn.Module):
    """Attention and an MLP, each behind a norm and added to the stream."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        inner = config.heads * config.head
        self.config, self.layer = config, layer
        self.attention_norm = make_norm(config)
        self.qkv = Linear(config.width, 3 * inner, bias=config.bias)
        self.out = Linear(inner, config.width, bias=config.bias)
        self.mlp_norm = make_norm(config)
        self.mlp_in = Linear(config.width, config.mlp, bias=config.bias)
        self.activation = make_activation(config)
        self.mlp_out = Linear(config.mlp, config.width, bias=config.bias)
        self.dropout = nn.Dropout(config.dropout)
        self.sharpness: nn.Parameter | None = None
        if config.attention_scale == "log-n":
            self.sharpness = nn.Parameter(torch.full((config.heads, 1, 1), INITIAL_SHARPNESS))

    def forward(
        self,
        x: Float[Tensor, "n d"],
        encoding: EncodingModule,
        prepared: Sequence[object],
        grid: Grid,
        reads: Reads | None = None,
    ) -> Float[Tensor, "m d"]:
        """Run the block on the grid's cells; with ``reads``, only these go on.

        Attention treats each of the grid's bands by itself, with what was prepared for it.
        """
        bands = grid.bands
        h = self.attention_norm(x)
        mixed: list[Tensor] = []
        if reads is None:
            parts = self.qkv(h).split([band.size for band in bands])
            for band, part, shared in zip(bands, parts, prepared, strict=True):
                q, k, v = map(self._heads, band.spread(part).chunk(3, dim=-1))
                mixed.append(band.pack(self._attend(q, k, v, encoding, shared)))
            return self._finish(x, torch.cat(mixed) if len(mixed) > 1 else mixed[0])
        x = x.index_select(0, reads.source)  # columns may be read twice
        queries = self._part(h.index_select(0, reads.source), 0, 1)
        rows = [band.end - band.start for band in bands]
        parts = self._part(h, 1, 3).split([band.size for band in bands])
        split = (reads.grid.spread(queries).split(rows), reads.columns.split(rows))
        for band, q, columns, part, shared in zip(bands, *split, parts, prepared, strict=True):
            k, v = map(self._heads, band.spread(part).chunk(2, dim=-1))
            read = columns[:1] if reads.alike else columns
            allowed = (torch.arange(band.width, device=x.device) <= read[..., None])[:, None]
            mixed.append(self._attend(self._heads(q), k, v, encoding, shared, columns, allowed))
        return self._finish(x, reads.grid.pack(torch.cat(mixed)))

    def _attend(
        self,
        q: Float[Tensor, "b h s e"],
        k: Float[Tensor, "b h t e"],
        v: Float[Tensor, "b h t e"],
        encoding: EncodingModule,
        prepared: object,
        columns: Int[Tensor, "b s"] | None = None,
        allowed: Bool[Tensor, "b 1 s t"] | None = None,
    ) -> Float[Tensor, "b s i"]:
        q = self._sharpen(encoding.rotate_query(q, prepared, self.layer), columns)
        k = encoding.rotate_key(k, prepared, self.layer)
        mask = make_mask(encoding.bias(q, k, prepared, self.layer), allowed, encoding)
        return self._mix(q, k, v, mask, causal=allowed is None).transpose(1, 2).flatten(2)

    def _mix(
        self,
        q: Float[Tensor, "b h s e"],
        k: Float[Tensor, "b h t e"],
        v: Float[Tensor, "b h t e"],
        mask: Tensor | None,
        *,
        causal: bool,
    ) -> Float[Tensor, "b h s e"]:
        dropout = self.config.dropout if self.training else 0.0
        return attend(q, k, v, mask, self.config.logit_scale, dropout=dropout, causal=causal)

    def cached(
        self,
        x: Float[Tensor, "b*n d"],
        encoding: EncodingModule,
        prepared: tuple[object, object],
        cache: Cache,
        index: Int[Tensor, "b n"],
        allowed: Bool[Tensor, "b 1 n u"] | None,
    ) -> Float[Tensor, "b*n d"]:
        """Run the block on new positions, with the keys and values of the old ones.

        For one token at a time calls cost as much as products, so there are as few as can be.
        """
        parts = self.qkv(self.attention_norm(x))
        parts = parts.view(*index.shape, 3, self.config.heads, self.config.head)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        everywhere, new_keys = prepared
        k = encoding.rotate_key(k, new_keys, self.layer)
        k, v = cache.append(self.layer, k, v, index)
        q = self._sharpen(encoding.rotate_query(q, everywhere, self.layer), index)
        bias = encoding.bias(q, k, everywhere, self.layer)
        if cache.attend_once is not None and index.shape[1] == 1:
            mixed = cache.attend_once(q, k, v, bias, index, self.config.logit_scale)
        else:
            mask = bias if allowed is None else make_mask(bias, allowed, encoding)
            mixed = self._mix(q, k, v, mask, causal=False)
        return self._finish(x, mixed.transpose(1, 2).reshape(len(x), -1))

    def _finish(
        self, x: Float[Tensor, "*n d"], mixed: Float[Tensor, "*n i"]
    ) -> Float[Tensor, "*n d"]:
        x = self._add(x, self.out, mixed)
        h = self.mlp_in(self.mlp_norm(x), then=self.activation)
        if self.config.mlp_dropout:
            h = self.dropout(h)
        return self._add(x, self.mlp_out, h)

    def _add(
        self, x: Float[Tensor, "*n d"], part: nn.Module, h: Float[Tensor, "*n i"]
    ) -> Float[Tensor, "*n d"]:
        if self.training and self.config.dropout:
            return x + self.dropout(part(h))
        return part(h, x)

    def _sharpen(
        self, q: Float[Tensor, "b h s e"], index: Int[Tensor, "b s"] | None
    ) -> Float[Tensor, "b h s e"]:
        """With log-n scaling, multiply queries by s * log(number of visible keys)."""
        if self.sharpness is None:
            return q
        if index is None:
            index = shared_positions(q.shape[2], q.device)
        return q * (self.sharpness * (index[:, None, :, None] + 1).to(q.dtype).log())

    def _heads(self, x: Float[Tensor, "b t i"]) -> Float[Tensor, "b h t e"]:
        return x.unflatten(-1, (self.config.heads, self.config.head)).transpose(1, 2)

    def _part(self, h: Float[Tensor, "n d"], first: int, last: int) -> Float[Tensor, "n i"]:
        """Apply some of the three parts (queries, keys, values) of the joint projection."""
        rows = slice(first * self.out.in_features, last * self.out.in_features)
        bias = None if self.qkv.bias is None else self.qkv.bias[rows]
        return linear(h, self.qkv.weight[rows], bias)


def make_activation(config: ModelConfig) -> nn.Module:
    """Return the MLP's activation."""
    if config.activation == "relu":
        return nn.ReLU()
    return nn.GELU(approximate="tanh" if config.activation == "gelu_tanh" else "none")


def make_norm(config: ModelConfig) -> nn.Module:
    """Return the configured norm."""
    if config.norm == "none":
        return nn.Identity()
    if config.norm == "rms":
        return nn.RMSNorm(config.width, eps=config.norm_eps)
    return nn.LayerNorm(config.width, eps=config.norm_eps, bias=config.bias)
