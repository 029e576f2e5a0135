"""From a limit transformer to the ordinary weights of the package's own decoder.

Section 1.4's translation, for a context of n tokens: position i gets its periodic code and a code
of its own, and each head's positional function becomes a matrix between those codes. Steps become
pairs of ReLUs whose gain is chosen from the context; logits are scaled by the log of the number of
visible keys, so the exported model is causal and needs no limit object to run.

Two codes: ``unit`` gives every position its own unit vector (Huang et al. 2025: the finite models
of the main theorem, with bounded regulariser, but width d + n); ``compact`` gives it residues
modulo coprime numbers (ours: a few dozen channels for any context, but not LOCAL).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, prod
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Block, Decoder
from lengthwise.positions.learned import LearnedAbsolute
from lengthwise.positions.nope import NoPE
from lengthwise.theory.limit.margin import gains
from lengthwise.theory.limit.transformer import LimitHead, LimitLayer, LimitTransformer

Layout = Literal["compact", "unit"]
SHARPNESS = 4.0
"""Logit of one matching residue in the compact layout."""
LARGEST = 500_000_000
"""Most parameters that an export may have."""


@dataclass(frozen=True)
class Code:
    """Position vectors beside the limit transformer's own channels.

    ``table (n, k)`` holds the code of each position; ``query(phi)`` maps the code of the query to
    the key code it looks for; ``content`` multiplies the content logits of heads that use it.
    """

    table: np.ndarray
    moduli: tuple[int, ...]

    @property
    def channels(self) -> int:
        """Channels of the code."""
        return self.table.shape[1]

    def query(self, head: LimitHead) -> np.ndarray:
        """Return the matrix M with ``code_j^T M code_i`` the positional logit of a head."""
        if not self.moduli:
            size = len(self.table)
            matrix = np.zeros((size, size))
            for distance, value in enumerate(head.phi[:size]):
                keys = np.arange(size - distance)
                matrix[keys, keys + distance] = value
            return matrix
        matrix, first = np.zeros((self.channels, self.channels)), 0
        for modulus in self.moduli:
            residue = np.arange(modulus)
            matrix[first + (residue - _distance(head)) % modulus, first + residue] = SHARPNESS
            first += modulus
        return matrix

    def content(self, head: LimitHead) -> np.ndarray:
        """Return the content logits; compact codes lift the begin token above near misses."""
        if self.moduli and head.phi.any() and head.kq.any():
            return head.kq / np.abs(head.kq).max() * SHARPNESS * (len(self.moduli) - 0.5)
        return head.kq


def to_decoder(
    model: LimitTransformer,
    length: int,
    *,
    dtype: torch.dtype = torch.float32,
    layout: Layout = "compact",
    extra_tokens: Sequence[tuple[str, np.ndarray]] = (),
) -> Decoder:
    """Return a decoder that equals the limit transformer on words of up to ``length`` letters.

    Its vocabulary is the limit transformer's tokens, then ``extra_tokens`` with their rows of the
    unembedding; letters that are outputs have theirs. Positions start at 0 in the compact layout
    and at any offset that leaves room in the unit layout.

    Example:
        >>> from lengthwise.crasp import Program, Q, count
        >>> from lengthwise.theory.limit import compile_program
        >>> model = compile_program(Program.of(count(Q["a"]) > count(Q["b"]), alphabet="ab"))
        >>> to_decoder(model, 100).config.width
        2
    """
    positional = any(h.phi.any() for layer in model.layers for h in layer.heads)
    channels = code_channels(length + 1, model.reach, layout) if positional else 0
    config = _config(model, channels)
    _check_size(config, length, layout)
    code = position_code(length + 1, model.reach, layout) if positional else None
    encoding = LearnedAbsolute() if positional or model.positions.any() else NoPE()
    vocabulary = len(model.tokens) + len(extra_tokens)
    decoder = Decoder(config, vocabulary, encoding, context=length + 1).double().eval()
    for parameter in decoder.parameters():
        parameter.data.zero_()
    _embed(decoder, model, code, extra_tokens)
    for block, layer in zip(decoder.blocks, model.layers, strict=True):
        assert isinstance(block, Block)
        _attention(block, layer, code, config)
        _mlp(block, layer, length + 1)
    return decoder.to(dtype)


def position_code(size: int, reach: int, layout: Layout) -> Code:
    """Return the code of a context: one channel per position, or residues."""
    if layout == "unit":
        return Code(np.eye(size), ())
    moduli = coprime_moduli(size + max(reach, 0))
    table = np.concatenate([np.eye(m)[np.arange(size) % m] for m in moduli], axis=1)
    return Code(table, moduli)


def code_channels(size: int, reach: int, layout: Layout) -> int:
    """Return how many channels the code of a context takes."""
    return size if layout == "unit" else sum(coprime_moduli(size + max(reach, 0)))


def _config(model: LimitTransformer, extra: int) -> ModelConfig:
    rows = [
        max((h.v.any(1)).sum(), h.kq.any(1).sum() + (extra if h.phi.any() else 0))
        for layer in model.layers
        for h in layer.heads
    ]
    hidden = [len(layer.b) + int(layer.step.sum()) for layer in model.layers]
    return ModelConfig(
        layers=len(model.layers),
        heads=max(1, model.heads),
        width=model.width + extra,
        head_width=int(max([1, *rows])),
        mlp_width=max([1, *hidden]),
        norm="none",
        activation="relu",
        tied=False,
        scale_logits=False,
        attention_scale="log-n",
    )


def _check_size(config: ModelConfig, length: int, layout: Layout) -> None:
    inner = 4 * config.heads * config.head
    parameters = config.layers * config.width * (inner + 2 * config.mlp) + config.width * length
    if parameters > LARGEST:
        raise InputError(
            f"--length {length} with --layout {layout} needs {parameters:,} parameters (at most "
            f"{LARGEST:,}); use a shorter length{' or --layout compact' * (layout == 'unit')}."
        )


def _embed(
    decoder: Decoder,
    model: LimitTransformer,
    code: Code | None,
    extra_tokens: Sequence[tuple[str, np.ndarray]],
) -> None:
    d, size = model.width, decoder.context
    _set(decoder.embedding.weight, np.s_[: len(model.tokens), :d], model.embedding)
    if isinstance(table := getattr(decoder.encoding, "table", None), torch.nn.Embedding):
        residues = (np.arange(size) + 1) % model.period
        _set(table.weight, np.s_[:, :d], model.positions[residues])
        if code is not None:
            _set(table.weight, np.s_[:, d:], code.table)
    if code is not None and code.moduli:
        # The begin token must match no residue: it is found by its content alone.
        _set(decoder.embedding.weight, np.s_[0, d:], -code.table[0])
    rows = dict(zip(model.outputs, model.unembedding, strict=True))
    for number, token in enumerate(model.tokens):
        if token in rows and number:
            _set(decoder.unembedding.weight, np.s_[number, :d], rows[token])
    for number, (_, row) in enumerate(extra_tokens, start=len(model.tokens)):
        _set(decoder.unembedding.weight, np.s_[number, :d], row)


def _attention(block: Block, layer: LimitLayer, code: Code | None, config: ModelConfig) -> None:
    assert block.sharpness is not None
    block.sharpness.data.fill_(1.0)
    width, inner = config.head, config.heads * config.head
    qkv, out = block.qkv.weight, block.out.weight
    for number, head in enumerate(layer.heads):
        d, first = len(head.v), number * width
        content = code.content(head) if code else head.kq
        keys = np.flatnonzero(content.any(1))
        _set(qkv, np.s_[inner + first : inner + first + len(keys), :d], np.eye(d)[keys])
        _set(qkv, np.s_[first : first + len(keys), :d], content[keys])
        if code is not None and head.phi.any():
            near, k = first + len(keys), code.channels
            _set(qkv, np.s_[inner + near : inner + near + k, d:], np.eye(k))
            _set(qkv, np.s_[near : near + k, d:], code.query(head))
        written = np.flatnonzero(head.v.any(1))
        start = 2 * inner + first
        _set(qkv, np.s_[start : start + len(written), :d], head.v[written])
        _set(out, np.s_[:d, first : first + len(written)], np.eye(d)[:, written])


def _mlp(block: Block, layer: LimitLayer, tokens: int) -> None:
    """Steps become ``ReLU(G z + 1/2) - ReLU(G z - 1/2)``; ReLUs stay."""
    gain = np.where(layer.step, gains(layer, tokens), 1.0)
    steps = np.flatnonzero(layer.step)
    a = np.concatenate([layer.a * gain[:, None], (layer.a * gain[:, None])[steps]])
    b = layer.b * gain
    b = np.concatenate([b + 0.5 * layer.step, b[steps] - 0.5])
    written = np.concatenate([layer.out, -layer.out[:, steps]], axis=1)
    d, size = layer.a.shape[1], len(b)
    _set(block.mlp_in.weight, np.s_[:size, :d], a)
    _set(block.mlp_in.bias, np.s_[:size], b)
    _set(block.mlp_out.weight, np.s_[:d, :size], written)


def _set(target: Tensor, where: object, values: np.ndarray) -> None:
    target.data[where] = torch.from_numpy(np.ascontiguousarray(values)).to(target.dtype)  # type: ignore[index]


def _distance(head: LimitHead) -> int:
    distances = np.flatnonzero(head.phi)
    if len(distances) != 1:
        raise InputError(
            "--layout compact takes heads that look at one distance; this model has a head with "
            f"{len(distances)}. Use --layout unit."
        )
    return int(distances[0])


def coprime_moduli(size: int) -> tuple[int, ...]:
    """Return pairwise coprime moduli with product at least ``size`` and a small sum.

    The residues of a position then determine it, so ``matches`` of residues single out one key (the
    Chinese remainder theorem). A context of 65,536 has 49 channels instead of 65,536; the price is
    that far positions no longer score exactly 0: not LOCAL, and R grows with the context.

    Example:
        >>> coprime_moduli(65_536)
        (4, 5, 7, 9, 11, 13)
    """
    choices = [_smallest(size, count) for count in range(1, 7)]
    return min(choices, key=lambda moduli: (sum(moduli) + 4 * len(moduli), moduli))


def _smallest(size: int, count: int) -> tuple[int, ...]:
    base = max(2, int(size ** (1 / count)) - 4 * count)
    while True:
        moduli: list[int] = []
        number = base
        while len(moduli) < count:
            if all(gcd(number, other) == 1 for other in moduli):
                moduli.append(number)
            number += 1
        if prod(moduli) >= size:
            return tuple(moduli)
        base += 1
