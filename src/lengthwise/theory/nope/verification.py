"""Measure how exactly a built decoder holds positions and attends by distance."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Decoder
from lengthwise.models.internals import attention_logits, hidden_states
from lengthwise.models.layout import divide
from lengthwise.positions.base import Places, shared_positions
from lengthwise.theory.nope.construction import POSITION, Construction, alibi_twin

LARGEST = 4096
"""Longest sequence that is verified; memory grows with its square."""


@dataclass(frozen=True)
class Verification:
    """Largest deviations of a construction, and the two ablations that must break it.

    ``position``: channel against t. ``uniform``: attention of block 1 against 1/t. ``content``:
    change of the channel when the tokens after the first are permuted. ``relative``: logits of
    block 2 minus content against ``slope * (i - t)``. ``shift``: spread of that difference along a
    diagonal. ``alibi``: attention probabilities against the package's ALiBi. ``unmasked``: spread
    of the channel without the causal mask (0: it knows nothing). ``anchorless``: deviation from t
    without the begin token (large: it is needed).
    """

    positions: int
    norm: str
    position: float
    uniform: float
    content: float
    relative: float
    shift: float
    alibi: float
    unmasked: float
    anchorless: float


def sequence(built: Construction, seed: int = 0) -> Int[Tensor, "1 t"]:
    """Return the begin token and random other tokens, as long as the construction allows."""
    rng = torch.Generator().manual_seed(seed)
    vocabulary = built.model.embedding.num_embeddings
    tokens = torch.randint(1, vocabulary, (1, built.positions), generator=rng)
    tokens = (tokens + built.begin) % vocabulary
    tokens[:, 0] = built.begin
    return tokens


def read_positions(built: Construction, tokens: Int[Tensor, "b t"]) -> Float[Tensor, "b t"]:
    """Return the position channel after block 1.

    Example:
        >>> from lengthwise.theory.nope.construction import position_decoder
        >>> read_positions(position_decoder(4), torch.tensor([[0, 1]])).round(decimals=6).tolist()
        [[1.0, 2.0]]
    """
    return built.channel(hidden_states(built.model, tokens)[1], POSITION)


def verify(built: Construction, *, seed: int = 0) -> Verification:
    """Run every check of the construction on one random sequence of full length.

    Example:
        >>> from lengthwise.theory.nope.construction import position_decoder
        >>> found = verify(position_decoder(64))
        >>> found.position < 1e-11 and found.alibi < 1e-9
        True
    """
    if built.positions > LARGEST:
        raise InputError(
            f"positions {built.positions}: verification compares all pairs; at most {LARGEST:,}."
        )
    tokens = sequence(built, seed)
    truth = torch.arange(1, built.positions + 1, dtype=torch.float64)
    found = read_positions(built, tokens)[0]
    shuffled = tokens[:, torch.cat([torch.tensor([0]), 1 + _permutation(built, seed)])]
    ordinary = tokens.clone()
    ordinary[:, 0] = (built.begin + 1) % built.model.embedding.num_embeddings
    difference = _position_logits(built, tokens)
    return Verification(
        positions=built.positions,
        norm=built.model.config.norm,
        position=_largest(found - truth),
        uniform=_uniform_error(built, tokens),
        content=_largest(read_positions(built, shuffled)[0] - found),
        relative=_largest((difference - _ideal_logits(built)).tril()),
        shift=max(_spread(difference, offset) for offset in _offsets(built.positions)),
        alibi=_alibi_error(built, tokens),
        unmasked=_unmasked_spread(built, tokens),
        anchorless=_largest(read_positions(built, ordinary)[0] - truth),
    )


def _largest(values: Tensor) -> float:
    return float(values.abs().max())


def _permutation(built: Construction, seed: int) -> Tensor:
    return torch.randperm(built.positions - 1, generator=torch.Generator().manual_seed(seed + 1))


def _probabilities(logits: Float[Tensor, "... t t"]) -> Float[Tensor, "... t t"]:
    size = logits.shape[-1]
    future = torch.ones(size, size, dtype=torch.bool).triu(1)
    return torch.softmax(logits.masked_fill(future, -torch.inf), dim=-1)


def _uniform_error(built: Construction, tokens: Tensor) -> float:
    q, k = attention_logits(built.model, tokens, 0)
    wanted = torch.ones(built.positions, built.positions, dtype=torch.float64).tril()
    wanted /= wanted.sum(-1, keepdim=True)
    return _largest(_probabilities(q @ k.mT)[0, 0] - wanted)


def _position_logits(built: Construction, tokens: Tensor) -> Float[Tensor, "h t t"]:
    """Return the logits of block 2 minus their content part."""
    q, k = attention_logits(built.model, tokens, 1)
    return (q @ k.mT - q[..., 2:] @ k[..., 2:].mT)[0]


def _ideal_logits(built: Construction) -> Float[Tensor, "h t t"]:
    place = torch.arange(built.positions, dtype=torch.float64)
    slope = torch.tensor(built.slope, dtype=torch.float64)
    return slope[:, None, None] * (place[None, :] - place[:, None])


def _offsets(positions: int) -> list[int]:
    return sorted({0, 1, positions // 2, positions - 2})


def _spread(logits: Tensor, offset: int) -> float:
    diagonal = logits.diagonal(-offset, dim1=-2, dim2=-1)
    return float((diagonal.amax(-1) - diagonal.amin(-1)).max())


def _alibi_error(built: Construction, tokens: Tensor) -> float:
    """Compare block 2's attention with that of the ALiBi twin fed the same stream."""
    stream = hidden_states(built.model, tokens)[1]
    q, k = attention_logits(built.model, tokens, 1)
    return _largest(
        _probabilities(q @ k.mT) - _probabilities(_twin_logits(alibi_twin(built), stream))
    )


def _twin_logits(twin: Decoder, stream: Float[Tensor, "b t d"]) -> Float[Tensor, "b h t t"]:
    block, config = twin.blocks[1], twin.config
    with torch.no_grad():
        projected = block.get_submodule("qkv")(block.get_submodule("attention_norm")(stream))
        shape = (config.heads, config.head)
        q, k, _ = (p.unflatten(-1, shape).transpose(1, 2) for p in projected.chunk(3, dim=-1))
        place = shared_positions(stream.shape[1])
        bias = twin.encoding.bias(q, k, twin.encoding.prepare(Places(place, place)), 1)
        assert bias is not None
        return q @ k.mT + bias


def _unmasked_spread(built: Construction, tokens: Tensor) -> float:
    start = hidden_states(built.model, tokens)[0]
    with torch.no_grad():
        channel = built.channel(_unmasked_block(built.model.blocks[0], start), POSITION)
    return float(channel.max() - channel.min())


def _unmasked_block(block: nn.Module, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
    """Run one block of a NoPE decoder without the causal mask: every query sees every key."""
    part: Callable[[str], Any] = block.get_submodule
    config: Any = block.config
    shape = (config.heads, config.head)
    projected = divide(part("qkv")(part("attention_norm")(x)), config)
    q, k, v = (p.unflatten(-1, shape).transpose(1, 2) for p in projected)
    scale = config.logit_scale
    mixed = torch.softmax(scale * q @ k.mT, dim=-1) @ v
    x = x + part("out")(mixed.transpose(1, 2).flatten(2))
    hidden = part("activation")(part("mlp_in")(part("mlp_norm")(x)))
    return x + part("mlp_out")(hidden)
