"""Batches on their way into the model: positions, supervised indices, the loss."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.models.decoder import Decoder
from lengthwise.models.packing import Grid, Reads, pack_marked
from lengthwise.tasks.batch import IGNORE, Batch


@dataclass(frozen=True)
class Inputs:
    """A batch as tensors: what the decoder is called with, and what it should say."""

    tokens: Int[Tensor, "b t"]
    positions: Int[Tensor, "b t"] | None
    scale: Int[Tensor, "b"]
    grid: Grid
    reads: Reads | None
    targets: Int[Tensor, "m"]
    """The targets of the supervised cells, row after row."""

    def logits(self, model: Decoder) -> Float[Tensor, "m v"]:
        """Run the model on exactly what is supervised."""
        return model.packed(self.tokens, self.positions, self.grid, self.reads, self.scale)


def prepare(
    batch: Batch,
    device: torch.device | str = "cpu",
    *,
    offsets: Int[np.ndarray, "b"] | None = None,
    places: Int[np.ndarray, "b t"] | None = None,
) -> Inputs:
    """Move a batch to the model's door; columns behind the last supervised one are cut.

    Position ids count from ``offsets``, or are ``places`` if the encoding chose them.
    """
    width = int(np.flatnonzero(batch.supervised.any(axis=0)).max(initial=0)) + 1
    targets = batch.targets[:, :width]
    marked = targets != IGNORE
    grid, reads = pack_marked(marked, device)
    if offsets is not None:
        assert places is None, "an encoding that chooses its positions takes no offsets"
        inside = np.minimum(np.arange(width), batch.size[:, None] - 1)  # padding repeats the last
        places = offsets[:, None] + inside
    return Inputs(
        tokens=torch.from_numpy(np.ascontiguousarray(batch.tokens[:, :width])).to(device),
        positions=None if places is None else torch.from_numpy(places[:, :width].copy()).to(device),
        scale=torch.from_numpy(batch.length).to(device),
        grid=grid,
        reads=reads,
        targets=torch.from_numpy(targets[marked]).to(device),
    )


def draw_offsets(rng: np.random.Generator, batch: Batch, context: int) -> Int[np.ndarray, "b"]:
    """Draw a start for each row so that it ends inside the context (Huang et al. 2024)."""
    return rng.integers(0, context - batch.size + 1)


def loss(model: Decoder, inputs: Inputs) -> Float[Tensor, ""]:
    """Return the mean cross-entropy over supervised positions."""
    return F.cross_entropy(inputs.logits(model), inputs.targets)
