"""How alike two models attend: divergences between their best-matching heads.

Kazemnejad et al. (2023, section 5.2) define, for heads P and Q on a sequence of T tokens,

    D(P, Q) = mean over queries t of JSD(P_t, Q_t),   D_layer = min over pairs of heads of D(P, Q)

averaged over sequences. Their released code computes something else, which their figures show:
0.5 (KL(M || P) + KL(M || Q)) with M = (P + Q) / 2, where Jensen-Shannon has the arguments of both
terms the other way round, and only pairs (i, j) with i < j. Both are here. Smaller is more alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import log
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lengthwise.analysis.attention import Attention, Queries, select_queries
from lengthwise.core.errors import InputError, unknown

Method = Literal["published", "jensen-shannon"]
METHODS: tuple[Method, ...] = ("published", "jensen-shannon")


@dataclass(frozen=True)
class Similarity:
    """The divergence of two models on the same sequences, layer by layer."""

    method: Method
    rows: Float[np.ndarray, "l b"]
    """Of every sequence: the smallest divergence of two heads of the layer."""
    heads: Float[np.ndarray, "l g h"]
    """Mean over sequences for every pair of heads; nan for pairs that do not count."""
    length: Int[np.ndarray, "b"]

    @property
    def layers(self) -> Float[np.ndarray, "l"]:
        """The mean over sequences of every layer."""
        return self.rows.mean(axis=1)

    @property
    def mean(self) -> float:
        """The mean over sequences and layers."""
        return float(self.rows.mean())

    @property
    def best_heads(self) -> list[tuple[int, int]]:
        """The pair of heads of every layer that is most alike on average."""
        found = [np.unravel_index(np.nanargmin(pairs), pairs.shape) for pairs in self.heads]
        return [(int(first), int(second)) for first, second in found]

    def by_length(self) -> dict[int, float]:
        """Return the mean over layers for the sequences of each length."""
        of_row = self.rows.mean(axis=0)
        lengths = np.unique(self.length)
        return {int(n): float(of_row[self.length == n].mean()) for n in lengths}


def jensen_shannon(p: Float[Tensor, "*n k"], q: Float[Tensor, "*n k"]) -> Float[Tensor, "*n"]:
    """Return the Jensen-Shannon divergence of distributions given by their logarithms, in nats.

    Example:
        >>> certain = torch.tensor([0.0, -torch.inf])
        >>> round(jensen_shannon(certain, certain.flip(0)).item(), 6)   # ln 2, the largest
        0.693147
    """
    m = _middle(p, q)
    return 0.5 * (_divergence(p, m) + _divergence(q, m)).clamp(min=0)


def swapped(p: Float[Tensor, "*n k"], q: Float[Tensor, "*n k"]) -> Float[Tensor, "*n"]:
    """Return 0.5 (KL(M || P) + KL(M || Q)), the published code's formula; it has no bound.

    It is infinite where one of the two has probability 0 and the other has not.
    """
    m = _middle(p, q)
    return 0.5 * (_divergence(m, p) + _divergence(m, q)).clamp(min=0)


def symmetric(p: Float[Tensor, "*n k"], q: Float[Tensor, "*n k"]) -> Float[Tensor, "*n"]:
    """Return KL(P || Q) + KL(Q || P), of distributions given by their logarithms."""
    return (_divergence(p, q) + _divergence(q, p)).clamp(min=0)


def similarity(
    first: Attention,
    second: Attention,
    method: Method = "jensen-shannon",
    queries: Queries | Bool[np.ndarray, "b t"] = "all",
) -> Similarity:
    """Compare two models on the same sequences.

    ``jensen-shannon`` is the paper's definition over all pairs of heads. ``published`` is the
    formula behind its figures: head i of ``first`` (another encoding) against heads j > i of
    ``second`` (NoPE), so it depends on the order of models and of heads.
    """
    _check(first, second, method)
    p, q = (seen.logits.double().log_softmax(dim=-1) for seen in (first, second))
    weight = torch.from_numpy(select_queries(first.batch, queries)).double()
    weight = weight / weight.sum(dim=1, keepdim=True)
    if not bool(weight.isfinite().all()):
        raise InputError(f"queries {queries!r}: a sequence has none of them.")
    table = np.full((first.layers, first.heads, second.heads, len(weight)), np.nan)
    divergence = swapped if method == "published" else jensen_shannon
    for one, other in product(range(first.heads), range(second.heads)):
        if method == "jensen-shannon" or one < other:
            found = divergence(p[:, :, one], q[:, :, other])
            table[:, one, other] = torch.where(weight > 0, found * weight, 0).sum(dim=-1).numpy()
    rows = np.nanmin(table, axis=(1, 2))
    return Similarity(method, rows, table.mean(axis=-1), first.batch.length)


def _check(first: Attention, second: Attention, method: Method) -> None:
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if not np.array_equal(first.batch.tokens, second.batch.tokens):
        raise InputError("similarity: the two models must read the same sequences.")
    if first.layers != second.layers:
        raise InputError(
            f"similarity: the models have {first.layers} and {second.layers} layers; "
            "layers are compared one by one, so the numbers must be equal."
        )
    if method == "published" and second.heads < 2:
        raise InputError(
            "similarity: the published formula pairs head i with heads j > i, so it needs at least "
            "2 heads; use the method jensen-shannon."
        )


def distance_table(
    seen: Mapping[str, Attention], references: Sequence[str], method: Method = "jensen-shannon"
) -> list[dict[str, Any]]:
    """Return one row per model: its mean divergence from each reference, nearest to the first.

    With NoPE as the reference this is the published comparison: T5 is about as near as NoPE with
    another seed, then ALiBi, then absolute and rotary encodings. A model is not compared with
    itself (None).
    """
    for name in references:
        if name not in seen:
            raise unknown("model", name, seen)
    rows = []
    for name, attention in seen.items():
        cells = {
            reference: None
            if reference == name
            else similarity(attention, seen[reference], method).mean
            for reference in references
        }
        rows.append({"model": name, **cells})
    return sorted(rows, key=lambda row: -1.0 if row[references[0]] is None else row[references[0]])


def bias_effect(
    attention: Attention, queries: Queries | Bool[np.ndarray, "b t"] = "all"
) -> Float[np.ndarray, "l h"]:
    """Return how much the encoding's bias changes attention, for every layer and head.

    It is the mean over queries of the symmetric divergence KL(P || Q) + KL(Q || P) between the
    softmax of the logits before and after the bias, an analysis in the code of Kazemnejad et al.
    (2023) for T5 and ALiBi. Infinite if the bias hides keys altogether, as a window does.
    """
    if attention.content is None:
        raise InputError("bias effect: this encoding adds nothing to the attention logits.")
    rows, places = np.nonzero(select_queries(attention.batch, queries))
    before, after = (
        logits[:, rows, :, places].double().log_softmax(dim=-1)  # (n, l, h, k)
        for logits in (attention.content, attention.logits)
    )
    return symmetric(before, after).mean(dim=0).numpy()


def _middle(p: Tensor, q: Tensor) -> Tensor:
    return torch.logaddexp(p, q) - log(2)


def _divergence(p: Tensor, q: Tensor) -> Tensor:
    """Return KL(P || Q) from logarithms; nothing is added where P is 0."""
    present = p > -torch.inf
    difference = torch.where(present, p, 0) - torch.where(present, q, 0)
    return torch.where(present, p.exp() * difference, 0).sum(dim=-1)
