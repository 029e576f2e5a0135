"""Batches on their way into the model: positions, supervised indices, the loss."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.models.decoder import Decoder
from lengthwise.tasks.batch import IGNORE, Batch


@dataclass(frozen=True)
class Inputs:
    """A batch as tensors: what the decoder is called with, and what it should say."""

    tokens: Int[Tensor, "b t"]
    positions: Int[Tensor, "b t"] | None
    supervised: Int[Tensor, "b s"] | None
    targets: Int[Tensor, "b s"]
    scale: Int[Tensor, "b"]

    def logits(self, model: Decoder) -> Float[Tensor, "b s v"]:
        """Run the model on exactly what is supervised."""
        return model(self.tokens, self.positions, supervised=self.supervised, scale=self.scale)


def prepare(
    batch: Batch,
    device: torch.device | str = "cpu",
    *,
    offsets: Int[np.ndarray, "b"] | None = None,
) -> Inputs:
    """Move a batch to the model's door.

    Columns behind the last supervised one are cut: a causal model does not need them. Supervised
    positions are gathered per row where that leaves less to compute.
    """
    width = int(np.flatnonzero(batch.supervised.any(axis=0)).max(initial=0)) + 1
    tokens, targets = batch.tokens[:, :width], batch.targets[:, :width]
    marked = targets != IGNORE
    most = int(marked.sum(axis=1).max())
    index = None
    if most < width:
        order = np.argsort(~marked, axis=1, kind="stable")[:, :most]
        index, targets = torch.from_numpy(order), np.take_along_axis(targets, order, axis=1)
    positions = None
    if offsets is not None:
        inside = np.minimum(np.arange(width), batch.size[:, None] - 1)  # padding repeats the last
        positions = torch.from_numpy(offsets[:, None] + inside).to(device)
    return Inputs(
        tokens=torch.from_numpy(np.ascontiguousarray(tokens)).to(device),
        positions=positions,
        supervised=None if index is None else index.to(device),
        targets=torch.from_numpy(np.ascontiguousarray(targets)).to(device),
        scale=torch.from_numpy(batch.length).to(device),
    )


def draw_offsets(rng: np.random.Generator, batch: Batch, context: int) -> Int[np.ndarray, "b"]:
    """Draw a start for each row so that it ends inside the context (Huang et al. 2024)."""
    return rng.integers(0, context - batch.size + 1)


def loss(model: Decoder, inputs: Inputs) -> Float[Tensor, ""]:
    """Return the mean cross-entropy over supervised positions."""
    logits = inputs.logits(model)
    return F.cross_entropy(logits.flatten(0, 1), inputs.targets.flatten(), ignore_index=IGNORE)
