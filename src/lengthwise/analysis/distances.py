"""How far back do heads look? Attended distances as in Kazemnejad et al. (2023, section 6.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from lengthwise.analysis.attention import Attention, Queries, select_queries

BINS = 21
"""Bins of the published histogram: centred at 0, 0.05, ..., 1."""
CENTRES: tuple[float, ...] = tuple(number / (BINS - 1) for number in range(BINS))
NEAR, FAR = 2, 17
"""Last bin that is near (0.1) and first that is far (0.85)."""


@dataclass(frozen=True)
class Distances:
    """For every layer and head, how far back each chosen query looks.

    ``attended`` is the distance to the key with the largest logit, as published (of equal ones the
    earliest counts); ``expected`` is the mean distance under the attention. A query at position t
    (from 0) has ``visible`` = t + 1 keys. Normalised distances are (t - n) / (t + 1), as in the
    published code; the paper's text has one more in the numerator.
    """

    attended: Int[np.ndarray, "l h n"]
    expected: Float[np.ndarray, "l h n"]
    visible: Int[np.ndarray, "n"]

    @property
    def normalised(self) -> Float[np.ndarray, "l h n"]:
        """Attended distances as shares of the keys in sight."""
        return self.attended / self.visible

    def histogram(self) -> Float[np.ndarray, "bins"]:
        """Return the share of normalised attended distances in each bin, over all heads."""
        return _shares(self._bins().ravel())

    def histograms(self) -> Float[np.ndarray, "l h bins"]:
        """Return the histogram of every head."""
        return np.apply_along_axis(_shares, -1, self._bins())

    def summary(self) -> "DistanceShares":
        """Return the shares of near, middle and far, over all heads."""
        return reach(self.histogram())

    def _bins(self) -> Int[np.ndarray, "l h n"]:
        steps = BINS - 1  # nearest centre, halves upwards, without rounding errors
        return (2 * steps * self.attended + self.visible) // (2 * self.visible)


@dataclass(frozen=True)
class DistanceShares:
    """Shares of queries that look near (bins to 0.1), far (bins from 0.85) or between."""

    near: float
    middle: float
    far: float


def reach(histogram: Sequence[float] | Float[np.ndarray, "bins"]) -> DistanceShares:
    """Sum up a histogram of normalised distances.

    Example:
        >>> reach([0.5] + 9 * [0.0] + [0.25] + 9 * [0.0] + [0.25])
        DistanceShares(near=0.5, middle=0.25, far=0.25)
    """
    cuts = histogram[: NEAR + 1], histogram[NEAR + 1 : FAR], histogram[FAR:]
    return DistanceShares(*(float(np.sum(cut)) for cut in cuts))


def attended_distances(
    attention: Attention, queries: Queries | Bool[np.ndarray, "b t"] = "all"
) -> Distances:
    """Measure how far back the chosen queries look, in every head.

    Example:
        >>> from lengthwise.tasks.batch import Batch
        >>> one = np.array([[1, 1, 1]])
        >>> logits = torch.tensor([[0.0, 0, 0], [3, 0, 0], [2, 5, 0]])
        >>> hidden = torch.ones(3, 3).triu(1).bool()
        >>> seen = Attention(Batch(one, one, np.array([3]), np.array([3])),
        ...                  logits.masked_fill(hidden, -torch.inf)[None, None, None])
        >>> attended_distances(seen).attended.tolist()
        [[[0, 1, 1]]]
    """
    rows, places = np.nonzero(select_queries(attention.batch, queries))
    logits = attention.logits[:, rows, :, places].movedim(0, 2).double()  # (l, h, n, k)
    key = np.arange(logits.shape[-1])
    best = np.argmax(logits.numpy(), axis=-1)
    mean = (logits.softmax(dim=-1) * torch.from_numpy(key)).sum(dim=-1).numpy()
    return Distances(places - best, np.maximum(places - mean, 0.0), places + 1)


def _shares(bins: Int[np.ndarray, "n"]) -> Float[np.ndarray, "bins"]:
    return np.bincount(bins, minlength=BINS) / max(1, len(bins))
