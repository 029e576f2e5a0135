"""Weights that make a NoPE decoder know positions, for the package's own decoder.

Kazemnejad et al. (2023, arXiv 2305.19466), Appendix C. Block 1 attends uniformly, so that the
begin token's mark arrives as ``1/t``; a ReLU layer turns ``1/t`` into ``t``. Block 2 reads
``(1, -t)`` as query and ``(i, 1)`` as key, so that its logits are content plus ``s (i - t)``.

From the paper: the attention weights and the claim that a feed-forward layer can map ``1/t`` to
``t`` and that norms can be bypassed. Ours: the explicit feed-forward weights (the exact
piecewise-linear interpolant at 1, 1/2, ..., 1/N) and the concrete bypass: a large constant M in
spare channels dominates the norm, which the gain then undoes. For a norm that subtracts the mean
there are two such channels, +M and -M, and every other channel is stored beside its negation.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions.alibi import ALiBi, slopes
from lengthwise.positions.base import PositionEncoding
from lengthwise.positions.nope import NoPE

Norm = Literal["none", "rms", "layer"]

ONE, BEGIN, POSITION = 0, 1, 2
"""Reserved channels: the constant 1, the mark of the begin token, and the position."""
RESERVED = 3


@dataclass(frozen=True)
class Construction:
    """A built decoder with the maps between its stream and the channels of the proof.

    ``read (channels, width)`` takes a state of the stream to channels; ``write`` is its inverse on
    the right. ``slope`` holds the slope of each head of block 2.
    """

    model: Decoder
    read: Float[Tensor, "c d"]
    write: Float[Tensor, "d c"]
    positions: int
    slope: tuple[float, ...]
    begin: int

    def channel(self, state: Float[Tensor, "b t d"], number: int) -> Float[Tensor, "b t"]:
        """Return one channel of the proof from a state of the stream."""
        return state @ self.read[number]


def knot_weights(positions: int) -> tuple[Float[Tensor, "n 2"], Float[Tensor, "n"]]:
    """Return the feed-forward layer that maps ``u = 1/t`` to ``t - u`` exactly for t = 1..N.

    Hidden unit h is ``ReLU(a * 1 + b * u)`` with ``(a, b)`` in row h of the first result; the
    second holds output weights. Beyond N the result saturates at ``N - 1/N``.

    Example:
        >>> inner, outer = knot_weights(4)
        >>> u = 1 / torch.arange(1.0, 6, dtype=torch.float64)
        >>> hidden = torch.relu(inner @ torch.stack([torch.ones(5), u]))
        >>> [round(value, 9) for value in (outer @ hidden + u).tolist()]
        [1.0, 2.0, 3.0, 4.0, 3.95]
    """
    n = float(positions)
    later = torch.arange(2, positions, dtype=torch.float64)
    knots = torch.cat([torch.tensor([n], dtype=torch.float64), later])
    constant = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    inner = torch.cat([constant, torch.stack([-1 / knots, torch.ones_like(knots)], dim=1)])
    ends = torch.tensor([n - 1 / n, -((n - 1) * n + 1)], dtype=torch.float64)
    return inner, torch.cat([ends, 2 * later])


def position_decoder(
    positions: int,
    *,
    vocabulary: int = 8,
    begin: int = 0,
    content: int = 6,
    heads: int = 2,
    slope: tuple[float, ...] | None = None,
    norm: Norm = "none",
    bypass: float = 1e9,
    knots: int | None = None,
    seed: int = 0,
) -> Construction:
    """Build the two-block NoPE decoder that holds positions and attends by distance.

    Parameters
    ----------
    positions
        Longest sequence, the begin token included.
    vocabulary, begin
        Number of tokens and the id of the one that comes first.
    content
        Channels with random embeddings, which the rest of block 2 uses freely.
    heads, slope
        Heads per block, and the slope of each head of block 2 (default: those of ALiBi).
    norm, bypass
        The decoder's norm, and the size of the constant that bypasses it.
    knots
        Largest position that the feed-forward layer is right for (default: ``positions``).
    seed
        Of the content weights, which are arbitrary.

    Example:
        >>> from lengthwise.models.internals import hidden_states
        >>> built = position_decoder(8)
        >>> state = hidden_states(built.model, torch.tensor([[0, 5, 3, 3]]))[1]
        >>> [round(value, 9) for value in built.channel(state, POSITION)[0].tolist()]
        [1.0, 2.0, 3.0, 4.0]
    """
    knots = positions if knots is None else knots
    _check(positions, knots, vocabulary, begin, heads, slope)
    slope = tuple(slopes(heads)) if slope is None else slope
    channels = RESERVED + content
    read, write = _maps(channels, norm)
    config = ModelConfig(
        layers=2,
        heads=heads,
        width=len(write),
        head_width=2 + content,
        mlp_width=knots,
        norm=norm,
        activation="relu",
        bias=False,
        tied=False,
        scale_logits=False,
    )
    model = Decoder(config, vocabulary, NoPE(), context=positions).double().eval()
    built = Construction(model, read, write, positions, slope, begin)
    rng = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        _embed(built, content, norm, bypass, rng)
        _first_block(built, model.blocks[0], knots, rng)
        _second_block(built, model.blocks[1], rng)
    return built


def _check(
    positions: int,
    knots: int,
    vocabulary: int,
    begin: int,
    heads: int,
    slope: tuple[float, ...] | None,
) -> None:
    if positions < 2 or not knots >= 2:
        raise InputError(f"positions {positions}, knots {knots}: both must be at least 2.")
    if heads < 1:
        raise InputError(f"heads {heads}: at least 1 is needed.")
    if not 0 <= begin < vocabulary:
        raise InputError(f"begin token {begin}: the vocabulary has ids 0 to {vocabulary - 1}.")
    if slope is not None and len(slope) != heads:
        raise InputError(f"{len(slope)} slopes for {heads} heads: one per head is needed.")


def _maps(channels: int, norm: Norm) -> tuple[Tensor, Tensor]:
    """Return ``read`` and ``write`` between the stream and the channels of the proof."""
    identity = torch.eye(channels, dtype=torch.float64)
    if norm == "layer":
        spare = torch.zeros(2, channels, dtype=torch.float64)
        write = torch.cat([spare, identity, -identity])
        return write.mT / 2, write
    spare = torch.zeros(int(norm == "rms"), channels, dtype=torch.float64)
    write = torch.cat([spare, identity])
    return write.mT.contiguous(), write


def _embed(
    built: Construction, content: int, norm: Norm, bypass: float, rng: torch.Generator
) -> None:
    """Set embeddings, and the norms so that they return what they are given."""
    model = built.model
    vocabulary, width = model.embedding.weight.shape
    table = torch.zeros(vocabulary, RESERVED + content, dtype=torch.float64)
    table[:, ONE] = 1
    table[built.begin, BEGIN] = 1
    table[:, RESERVED:] = torch.randn(vocabulary, content, generator=rng)
    embedded = table @ built.write.mT
    embedded[:, : int(norm != "none")] = bypass
    embedded[:, 1 : 1 + int(norm == "layer")] = -bypass
    model.embedding.weight.copy_(embedded)
    gain = bypass * ((2 if norm == "layer" else 1) / width) ** 0.5
    for module in model.modules():
        if isinstance(module, nn.RMSNorm | nn.LayerNorm):
            module.weight.fill_(gain)


def _first_block(built: Construction, block: nn.Module, knots: int, rng: torch.Generator) -> None:
    """Theorem 1: uniform attention brings 1/t, the feed-forward layer makes it t."""
    channels = len(built.read)
    heads, width = built.model.config.heads, built.model.config.head
    query = torch.randn(heads, width, channels, generator=rng, dtype=torch.float64)
    key, value = torch.zeros(2, heads, width, channels, dtype=torch.float64)
    out = torch.zeros(channels, heads, width, dtype=torch.float64)
    key[:, :, ONE] = 1
    value[0, 0, BEGIN] = 1
    out[POSITION, 0, 0] = 1
    value[1:, :, RESERVED:] = torch.randn(
        heads - 1, width, channels - RESERVED, generator=rng, dtype=torch.float64
    )
    out[RESERVED:, 1:] = 0.1 * torch.randn(
        channels - RESERVED, heads - 1, width, generator=rng, dtype=torch.float64
    )
    _set_attention(built, block, query, key, value, out)
    inner, outer = knot_weights(knots)
    mlp_in = torch.zeros(knots, channels, dtype=torch.float64)
    mlp_in[:, [ONE, POSITION]] = inner
    mlp_out = torch.zeros(channels, knots, dtype=torch.float64)
    mlp_out[POSITION] = outer
    _set_mlp(built, block, mlp_in, mlp_out)


def _second_block(built: Construction, block: nn.Module, rng: torch.Generator) -> None:
    """Theorem 2: two coordinates of each head make ``slope * (i - t)``, the others are content."""
    channels = len(built.read)
    heads, width = built.model.config.heads, built.model.config.head
    shape = (heads, width, channels)
    query, key, value = (torch.zeros(shape, dtype=torch.float64) for _ in range(3))
    slope = torch.tensor(built.slope, dtype=torch.float64)
    query[:, 0, ONE], query[:, 1, POSITION] = slope, -slope
    key[:, 0, POSITION], key[:, 1, ONE] = 1, 1
    for weights in (query, key, value):
        drawn = torch.randn(heads, width - 2, channels - RESERVED, generator=rng)
        weights[:, 2:, RESERVED:] = drawn * (channels - RESERVED) ** -0.5
    out = torch.zeros(channels, heads, width, dtype=torch.float64)
    out[RESERVED:] = torch.randn(channels - RESERVED, heads, width, generator=rng)
    _set_attention(built, block, query, key, value, out)
    hidden = built.model.config.mlp
    mlp_in = torch.zeros(hidden, channels, dtype=torch.float64)
    _set_mlp(built, block, mlp_in, mlp_in.mT)


def _set_attention(
    built: Construction, block: nn.Module, query: Tensor, key: Tensor, value: Tensor, out: Tensor
) -> None:
    rows = torch.cat([query.flatten(0, 1), key.flatten(0, 1), value.flatten(0, 1)])
    block.get_parameter("qkv.weight").copy_(rows @ built.read)
    block.get_parameter("out.weight").copy_(built.write @ out.flatten(1))


def _set_mlp(built: Construction, block: nn.Module, mlp_in: Tensor, mlp_out: Tensor) -> None:
    block.get_parameter("mlp_in.weight").copy_(mlp_in @ built.read)
    block.get_parameter("mlp_out.weight").copy_(built.write @ mlp_out)


def alibi_twin(built: Construction) -> Decoder:
    """Return the same decoder with ALiBi in place of the position coordinates of block 2.

    Only block 2 is comparable: ALiBi acts in every block, so block 1 is not uniform there. The
    twin is therefore meant to be fed the stream after block 1 (see ``verify``). Needs ALiBi's own
    slopes.

    Example:
        >>> twin = alibi_twin(position_decoder(8))
        >>> type(twin.encoding).__name__
        '_ALiBi'
    """
    if built.slope != tuple(slopes(len(built.slope))):
        raise InputError("the slopes are not those of ALiBi for this number of heads.")
    encoding: PositionEncoding = ALiBi()
    config = built.model.config
    vocabulary = built.model.embedding.num_embeddings
    twin = Decoder(config, vocabulary, encoding, built.positions).double().eval()
    twin.load_state_dict(built.model.state_dict())
    with torch.no_grad():
        weight = twin.get_parameter("blocks.1.qkv.weight")
        rows = weight.unflatten(0, (3, config.heads, config.head))
        rows[:2, :, :2] = 0
    return twin
