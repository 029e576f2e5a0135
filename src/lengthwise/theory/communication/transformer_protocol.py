"""Protocol P2: every activation of the second half from multiplicities about the first.

For a limit transformer whose heads read finitely many different contents. For each head, Alice
sends how often each content (the channels the head reads) occurs among her positions, and the
contents of her last few positions, which positional functions can still reach. Bob adds the begin
token's side up from that, layer by layer. (Our derivation, exact for models whose heads read
finitely many contents, such as compiled ones with ``periodic="short"``. For arbitrary limit
transformers deeper layers can have unboundedly many contents and no logarithmic bound is claimed;
how the published proof of Theorem 12 treats that was not seen.)
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.theory.communication.message import BitReader, BitWriter, width_of
from lengthwise.theory.limit.transformer import LimitHead, LimitTransformer, apply_mlp, round_bits

MOST_TYPES = 4096


@dataclass(frozen=True)
class LayerSummary:
    """Alice's message: packed multiplicities, and the tables of contents they refer to.

    The tables depend on the model and not on the length once all contents have been seen, so
    ``bits`` counts the multiplicities and the recent contents only; ``table_bits`` the rest.
    """

    content: bytes
    bits: int
    tables: tuple[Float[np.ndarray, "k s"], ...]

    @property
    def table_bits(self) -> int:
        """Bits of the tables of contents, as 64-bit numbers."""
        return sum(64 * table.size for table in self.tables)


def channels_read(head: LimitHead) -> Int[np.ndarray, " s"]:
    """Return the channels of a key that a head reads, for its logits or its values."""
    return np.flatnonzero(head.kq.any(axis=1) | head.v.any(axis=0))


def alice(
    model: LimitTransformer, tokens: Int[np.ndarray, " t"], total: int, offset: int = 0
) -> LayerSummary:
    """Return the message about the first tokens (the begin token among them).

    ``total`` is the agreed number of tokens of both halves, which scales the logits.
    """
    states = _half(model, tokens, total, offset)
    writer, tables = BitWriter(), []
    for layer, y in zip(model.layers, states[:-1], strict=True):
        for head in layer.heads:
            contents = y[:, channels_read(head)].numpy()
            table, which, counts = np.unique(
                np.round(contents, 12), axis=0, return_inverse=True, return_counts=True
            )
            if len(table) > MOST_TYPES:
                raise InputError(f"protocol: a head reads more than {MOST_TYPES} contents.")
            tables.append(table)
            for count in counts:
                writer.number(int(count), width_of(len(tokens)))
            reach = min(max(len(head.phi) - 1, 0), len(tokens))
            for one in which.ravel()[len(tokens) - reach :]:
                writer.number(int(one), width_of(len(table) - 1))
    return LayerSummary(writer.to_bytes(), writer.bits, tuple(tables))


def bob(
    model: LimitTransformer,
    message: LayerSummary,
    tokens: Int[np.ndarray, " t"],
    half: int,
    offset: int = 0,
) -> list[Float[Tensor, "t d"]]:
    """Return the residual stream of the second half after the embedding and every layer.

    ``half`` is the agreed number of Alice's tokens.
    """
    reader, tables = BitReader(message.content), iter(message.tables)
    total = half + len(tokens)
    places = (half + 1 + np.arange(len(tokens)) + offset) % model.period
    y = torch.from_numpy(model.embedding[tokens] + model.positions[places])
    states = [y]
    for layer in model.layers:
        added = torch.zeros_like(y)
        for head in layer.heads:
            table = next(tables)
            counts = [reader.number(width_of(half)) for _ in table]
            reach = min(max(len(head.phi) - 1, 0), half)
            recent = [reader.number(width_of(len(table) - 1)) for _ in range(reach)]
            added = added + _attend(model, head, y, table, counts, recent, total)
        y = apply_mlp(layer, y + added)
        states.append(y)
    return states


def _attend(
    model: LimitTransformer,
    head: LimitHead,
    y: Float[Tensor, "t d"],
    table: Float[np.ndarray, "k s"],
    counts: list[int],
    recent: list[int],
    total: int,
) -> Float[Tensor, "t d"]:
    """Attention of Bob's queries to Alice's contents, by multiplicity, and to his own keys."""
    size, width = y.shape
    keys = torch.zeros(len(table) + len(recent), width, dtype=y.dtype)
    keys[:, channels_read(head)] = torch.from_numpy(np.concatenate([table, table[recent]]))
    remaining = np.array(counts, dtype=float)
    np.subtract.at(remaining, recent, 1.0)
    weights = torch.from_numpy(np.concatenate([remaining, np.ones(len(recent))]))
    everything = torch.cat([keys, y])
    logits = y @ torch.from_numpy(head.kq).T @ everything.T
    logits = round_bits(logits + _positional(head, len(table), len(recent), size), model.bits)
    visible = torch.ones(size, size, dtype=torch.bool).tril()
    visible = torch.cat([(weights > 0).expand(size, -1), visible], dim=1)
    logits = logits.masked_fill(~visible, -torch.inf)
    first = total - size
    scale = model.scale(total)[first:, None]
    logits = (logits - logits.amax(1, keepdim=True)).masked_fill(~visible, -torch.inf) * scale
    shares = round_bits(logits.exp(), model.bits)
    shares = shares * torch.cat([weights, torch.ones(size, dtype=y.dtype)])
    return (shares / shares.sum(1, keepdim=True)) @ everything @ torch.from_numpy(head.v).T


def _positional(head: LimitHead, types: int, recent: int, size: int) -> Tensor:
    """Positional logits: 0 for counted contents, by distance for recent and own keys."""
    phi = np.concatenate([head.phi, [0.0]])
    keys = np.arange(-recent, size)
    distance = np.arange(size)[:, None] - keys[None, :]
    table = phi[np.clip(np.where(distance < 0, len(phi) - 1, distance), 0, len(phi) - 1)]
    return torch.from_numpy(np.concatenate([np.zeros((size, types)), table], axis=1))


def _half(
    model: LimitTransformer, tokens: Int[np.ndarray, " t"], total: int, offset: int
) -> list[Float[Tensor, "t d"]]:
    """Return Alice's own activations, her logits scaled by the log of the agreed total."""
    longer = np.concatenate([tokens, np.zeros(total - len(tokens), dtype=tokens.dtype)])
    states = model.activations(longer[None], offset=offset)
    return [state[0, : len(tokens)] for state in states]


def run_protocol(
    model: LimitTransformer, tokens: Int[np.ndarray, " t"], half: int
) -> tuple[LayerSummary, float]:
    """Run the protocol on a word split after ``half`` tokens.

    Returns the message and the largest difference between Bob's activations and the true ones.
    """
    message = alice(model, tokens[:half], len(tokens))
    found = bob(model, message, tokens[half:], half)
    true = model.activations(tokens[None])
    worst = max(float((x - y[0, half:]).abs().max()) for x, y in zip(found, true, strict=True))
    return message, worst
