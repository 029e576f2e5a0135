"""Limit transformers: one object for all input lengths (Huang et al. 2025, section 3.1).

A causal transformer with periodic position vectors, an additive positional function per head,
attention logits multiplied by the log of the length, rounded logits and exponentials, and hidden
units that are ReLUs or steps. (The definition is restated in our words, not quoted.)

    y_i    = E[x_i] + p[(i + o) mod period]
    a_ij   = y_j^T KQ y_i + phi[i - j]                          for j <= i
    w_ij   = round(exp(log n * round(a_ij))) / sum over j
    Y_i    = y_i + sum over heads of V sum_j w_ij y_j
    y_i    = Y_i + B act(A Y_i + b)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.theory.limit.normalise import OTHER

BEGIN = "$"
Scaling = Literal["length", "prefix", "none"]
Matrix = Float[np.ndarray, "..."]


@dataclass(frozen=True)
class LimitHead:
    """Logits ``y_j^T kq y_i + phi[i - j]`` (0 beyond the table), values ``v y_j``."""

    kq: Matrix
    phi: Matrix
    v: Matrix


@dataclass(frozen=True)
class LimitLayer:
    """Heads and one hidden layer; ``step`` marks the Heaviside units.

    ``margin`` is how far from 0 a step's input stays, divided by the number of tokens so far where
    ``shrinks``; ``bound`` is how large it gets. They are what an export needs to choose gains.
    """

    heads: tuple[LimitHead, ...]
    a: Matrix
    b: Matrix
    out: Matrix
    step: Bool[np.ndarray, " m"]
    margin: Matrix
    shrinks: Bool[np.ndarray, " m"]
    bound: Matrix


@dataclass(frozen=True)
class LimitTransformer:
    """A transformer for all lengths; token 0 is the begin token.

    Example:
        >>> from lengthwise.crasp import Program, Q, count
        >>> from lengthwise.theory.limit import compile_program
        >>> majority = Program.of(count(Q["a"]) > count(Q["b"]), alphabet="ab")
        >>> model = compile_program(majority)
        >>> (model.logits(model.encode(["aab", "abb"]))[:, -1] > 0).flatten().tolist()
        [True, False]
    """

    tokens: tuple[str, ...]
    embedding: Matrix
    positions: Matrix
    """One row per residue of the position; a single row of zeros without position vectors."""
    layers: tuple[LimitLayer, ...]
    unembedding: Matrix
    outputs: tuple[str, ...]
    """What each row of the unembedding says: positive means true."""
    bits: int = 12
    scaling: Scaling = "length"
    context: int | None = None
    """Longest input plus offset; None for a proper limit transformer."""

    @property
    def width(self) -> int:
        """Channels of the residual stream."""
        return self.embedding.shape[1]

    @property
    def period(self) -> int:
        """The period of the position vectors."""
        return len(self.positions)

    @property
    def reach(self) -> int:
        """The largest distance at which some positional function is not 0."""
        return max((len(h.phi) - 1 for layer in self.layers for h in layer.heads), default=-1)

    @property
    def heads(self) -> int:
        """Most heads in a layer."""
        return max((len(layer.heads) for layer in self.layers), default=0)

    def encode(self, words: Sequence[Sequence[str]]) -> Int[np.ndarray, "b t"]:
        """Return words of one length as token numbers behind the begin token."""
        codes = {token: number for number, token in enumerate(self.tokens)}
        other = codes.get(OTHER)
        rows = []
        for word in words:
            row = [0]
            for place, letter in enumerate(word, start=1):
                code = codes.get(letter, other)
                if code is None or code == 0:
                    known = " ".join(self.tokens[1:])
                    raise InputError(
                        f"letter {letter!r} at {place} is not in the alphabet ({known})."
                    )
                row.append(code)
            rows.append(row)
        if len({len(row) for row in rows}) > 1:
            raise InputError("a batch for a limit transformer needs words of one length.")
        return np.array(rows, dtype=np.int64)

    def logits(
        self, tokens: Int[np.ndarray, "b t"], *, offset: int = 0
    ) -> Float[np.ndarray, "b t o"]:
        """Return the outputs at every position; positive means true."""
        states = self.activations(tokens, offset=offset)
        return (states[-1] @ torch.from_numpy(self.unembedding).T).numpy()

    def activations(
        self, tokens: Int[np.ndarray, "b t"], *, offset: int = 0
    ) -> list[Float[Tensor, "b t d"]]:
        """Return the residual stream after the embedding and after every layer."""
        size = tokens.shape[1]
        if self.context is not None and size + offset > self.context:
            raise InputError(
                f"{size} tokens at offset {offset} do not fit a context of {self.context}."
            )
        residues = (np.arange(1, size + 1) + offset) % self.period
        y = torch.from_numpy(self.embedding[tokens] + self.positions[residues])
        states = [y]
        for layer in self.layers:
            mixed = sum((self._attend(head, y) for head in layer.heads), torch.zeros_like(y))
            y = apply_mlp(layer, y + mixed)
            states.append(y)
        return states

    def _attend(self, head: LimitHead, y: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        size = y.shape[1]
        a = torch.einsum("bjd,de,bie->bij", y, torch.from_numpy(head.kq), y)
        a = round_bits(a + torch.from_numpy(band(head.phi, size)), self.bits)
        future = torch.ones(size, size, dtype=torch.bool).triu(1)
        a = a.masked_fill(future, -torch.inf)
        a = (a - a.amax(-1, keepdim=True)) * self.scale(size)[:, None]
        w = round_bits(a.masked_fill(future, -torch.inf).exp(), self.bits)
        return (w / w.sum(-1, keepdim=True)) @ (y @ torch.from_numpy(head.v).T)

    def scale(self, size: int) -> Float[Tensor, " t"]:
        """Return what multiplies the logits of each query: log n, log i, or 1."""
        if self.scaling == "length":
            return torch.full((size,), np.log(size), dtype=torch.float64)
        if self.scaling == "prefix":
            return torch.arange(1, size + 1, dtype=torch.float64).log()
        return torch.ones(size, dtype=torch.float64)

    def with_scaling(self, scaling: Scaling) -> "LimitTransformer":
        """Return the same weights with logits scaled by log n, log i or not at all."""
        return replace(self, scaling=scaling)


def band(phi: Float[np.ndarray, " r"], size: int) -> Float[np.ndarray, "t t"]:
    """Return ``phi[i - j]`` for all queries i and keys j.

    Example:
        >>> band(np.array([0.0, 3.0]), 3).tolist()
        [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0]]
    """
    matrix = np.zeros((size, size))
    for distance, value in enumerate(phi[:size]):
        rows = np.arange(distance, size)
        matrix[rows, rows - distance] = value
    return matrix


def apply_mlp(layer: LimitLayer, y: Float[Tensor, "... d"]) -> Float[Tensor, "... d"]:
    """Add the hidden layer's output to the stream."""
    z = y @ torch.from_numpy(layer.a).T + torch.from_numpy(layer.b)
    hidden = torch.where(torch.from_numpy(layer.step), (z > 0).to(z.dtype), z.relu())
    return y + hidden @ torch.from_numpy(layer.out).T


def round_bits(x: Tensor, bits: int) -> Tensor:
    """Round to ``bits`` fractional bits (infinities stay)."""
    return torch.where(x.isfinite(), (x * 2**bits).round() / 2**bits, x)
