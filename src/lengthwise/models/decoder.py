"""The transformer: a pre-norm causal decoder, short enough to read in one sitting.

Notable:
- the position encoding is three hooks (see ``positions.base``); nothing here asks its name;
- blocks run on a flat list of real tokens, and the last block and the unembedding on supervised
  ones alone: that is where a CPU saves more than half of the time. Which tokens ask and which are
  asked is a layout (see ``models.layout``); the block below is the same for training, evaluation
  and generation;
- a decoder may look both ways (``bidirectional``), as an encoder does: another mask, nothing else;
- causality is by index, position ids are explicit, and attention is torch's fused one wherever the
  encoding adds no learned bias (see ``models.attention``).
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.initial import initialise
from lengthwise.models.layout import Layout, Supervised, Whole
from lengthwise.models.linear_maps import Linear
from lengthwise.models.packing import Grid, Reads, read_columns
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
        check_both_ways(config, encoding)
        self.config = config
        self.context = context
        self.embedding = nn.Embedding(vocabulary, config.width)
        self.encoding = encoding.build(self.shape)
        self.blocks = nn.ModuleList(Block(config, layer) for layer in range(config.layers))
        self.norm = make_norm(config)
        self.unembedding = Linear(config.width, vocabulary, bias=False)
        self.dropout = nn.Dropout(config.dropout)
        initialise(config, self.embedding, self.unembedding, self.blocks)
        if config.tied:
            self.unembedding.weight = self.embedding.weight

    @property
    def shape(self) -> Shape:
        """What an encoding is built for."""
        config = self.config
        return Shape(
            layers=config.layers,
            heads=config.heads,
            head_width=config.head,
            width=config.width,
            context=self.context,
            logit_scale=config.logit_scale,
        )

    def forward(
        self,
        tokens: Int[Tensor, "b t"],
        positions: Int[Tensor, "#b t"] | None = None,
        *,
        supervised: Int[Tensor, "b s"] | None = None,
        scale: Int[Tensor, "b"] | None = None,
    ) -> Float[Tensor, "b s v"]:
        """Return logits at the supervised columns of each row, or at all positions.

        ``positions`` may have one row for all sequences; by default they are 0, 1, 2, ... Rows are
        taken as they are: where tokens look both ways, they see padding as well.
        """
        rows, width = tokens.shape
        reads = None if supervised is None else read_columns(supervised, width)
        logits = self.packed(tokens, positions, Grid(rows, width), reads, scale)
        return logits.view(rows, -1, logits.shape[-1])

    def packed(
        self,
        tokens: Int[Tensor, "b t"],
        positions: Int[Tensor, "#b t"] | None,
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
        both_ways = self.config.bidirectional
        layout: Layout = Whole(self.encoding, places, grid, both_ways=both_ways)
        for block in self.blocks[:-1]:
            x = block(x, self.encoding, layout)
        if reads is not None:
            layout = Supervised(self.encoding, places, grid, reads, both_ways=both_ways)
        return self.read(self.blocks[-1](x, self.encoding, layout))

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
        shared = config.shared_heads * config.head
        self.qkv = Linear(config.width, inner + 2 * shared, bias=config.bias)
        self.out = Linear(inner, config.width, bias=config.bias)
        self.mlp_norm = make_norm(config)
        self.mlp_in = Linear(config.width, (1 + config.gated) * config.mlp, bias=config.bias)
        self.activation = make_activation(config)
        self.mlp_out = Linear(config.mlp, config.width, bias=config.bias)
        self.dropout = nn.Dropout(config.dropout)
        self.sharpness: nn.Parameter | None = None
        if config.attention_scale == "log-n":
            self.sharpness = nn.Parameter(torch.full((config.heads, 1, 1), INITIAL_SHARPNESS))

    def forward(
        self, x: Float[Tensor, "n d"], encoding: EncodingModule, layout: Layout
    ) -> Float[Tensor, "m d"]:
        """Let every token read others, then itself; return those that asked."""
        h, x = self.attention_norm(x), layout.asking(x)
        mixed: list[Tensor] = []
        for q, k, v, view in layout.project(self.qkv, h, self.config):
            q = self.sharpen(encoding.rotate_query(q, view.prepared, self.layer), view.index)
            k = encoding.rotate_key(k, view.prepared_keys, self.layer)
            k, v = view.extend(k, v, self.layer)
            bias = encoding.bias(q, k, view.prepared, self.layer)
            mixed.append(view.attend(q, k, v, bias, self.config.logit_scale, self._rate))
        x = self._add(x, self.out, layout.join(mixed))

        h = self.mlp_in(self.mlp_norm(x), then=self.activation)
        if self.config.mlp_dropout:
            h = self.dropout(h)
        return self._add(x, self.mlp_out, h)

    def _add(
        self, x: Float[Tensor, "n d"], part: nn.Module, h: Float[Tensor, "n i"]
    ) -> Float[Tensor, "n d"]:
        """Return x + dropout(part(h)), in one call where nothing is dropped."""
        return x + self.dropout(part(h)) if self._rate else part(h, x)

    @property
    def _rate(self) -> float:
        return self.config.dropout if self.training else 0.0

    def sharpen(
        self, q: Float[Tensor, "b h s e"], index: Int[Tensor, "b s"] | None
    ) -> Float[Tensor, "b h s e"]:
        """With log-n scaling, multiply queries by s * log(number of visible keys)."""
        if self.sharpness is None:
            return q
        if index is None:
            index = shared_positions(q.shape[2], q.device)
        return q * (self.sharpness * (index[:, None, :, None] + 1).to(q.dtype).log())


class Gated(nn.Module):
    """activation(gate) * up, of the two halves of what it is given (Shazeer 2020)."""

    def __init__(self, activation: nn.Module) -> None:
        super().__init__()
        self.activation = activation

    def forward(self, h: Float[Tensor, "*n two_m"]) -> Float[Tensor, "*n m"]:
        """Multiply the halves."""
        gate, up = h.chunk(2, dim=-1)
        return self.activation(gate) * up


def check_both_ways(config: ModelConfig, encoding: PositionEncoding) -> None:
    """Refuse encodings that know only keys before the query, where tokens look both ways."""
    if config.bidirectional and "logits" in encoding.touches:
        raise InputError(
            f"bidirectional: encoding {encoding.name!r} adds to logits by the distance to keys "
            "before the query; use one that does not, such as nope, ape, sinusoidal or rope."
        )


def make_activation(config: ModelConfig) -> nn.Module:
    """Return the MLP's activation."""
    plain = {
        "relu": nn.ReLU,
        "silu": nn.SiLU,
        "gelu": nn.GELU,
        "gelu_tanh": lambda: nn.GELU(approximate="tanh"),
    }[config.activation]()
    return Gated(plain) if config.gated else plain


def make_norm(config: ModelConfig) -> nn.Module:
    """Return the configured norm."""
    if config.norm == "none":
        return nn.Identity()
    if config.norm == "rms":
        return nn.RMSNorm(config.width, eps=config.norm_eps)
    return nn.LayerNorm(config.width, eps=config.norm_eps, bias=config.bias)
