"""Compute only what is needed: the cells of a padded batch that hold tokens, and those read.

Everything but attention works cell by cell, so blocks run on a flat list of real cells; attention
spreads it over the padded grid and packs the result again. The last block and the unembedding run
on the supervised cells alone. No padding is multiplied, whatever the mix of lengths.

    grid of 4 rows           packed list             bands (rows of similar width)
    a b . . . .              a b c d e f g ...       a b      c d e      f g h i j k
    c d e . . .                                      (2)      (3)        l m n o p .
    f g h i j k                                                          (6)
    l m n o p .

Rows come sorted by size in training, so neighbours are of similar width. Attention over a band of
r rows and width w costs r * w^2: here three bands cost 4 + 9 + 72 = 85 and the whole grid 144. As
every band is a call of its own, small differences are not worth one (``SHRINK``).
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

BANDS = 4
"""Most groups of rows that attention treats separately."""
SHRINK = 0.8
"""A group of rows is worth an attention call of its own if it is this much narrower."""


@dataclass(frozen=True)
class Band:
    """Some neighbouring rows of a grid, all of whose tokens lie in the first ``width`` columns."""

    start: int
    end: int
    width: int
    cells: Int[Tensor, "n"] | None = None
    """Flat indices, in the band's own (rows, width) rectangle, of the cells in use."""

    @property
    def size(self) -> int:
        """How many cells are in use."""
        return (self.end - self.start) * self.width if self.cells is None else len(self.cells)

    def spread(self, x: Float[Tensor, "n f"]) -> Float[Tensor, "r w f"]:
        """Put packed values into their cells and zero elsewhere."""
        rows = self.end - self.start
        x = x if self.cells is None else _put(x, self.cells, rows * self.width)
        return x.view(rows, self.width, x.shape[-1])

    def pack(self, x: Float[Tensor, "r w f"]) -> Float[Tensor, "n f"]:
        """Take the values of the band's cells in use."""
        x = x.flatten(0, 1)
        return x if self.cells is None else cast(Tensor, _Take.apply(x, self.cells))


@dataclass(frozen=True)
class Grid:
    """A (rows, columns) grid of which some cells are in use, listed as flat indices."""

    rows: int
    columns: int
    cells: Int[Tensor, "n"] | None = None
    """Flat indices of the cells in use; None means all of them, in order."""
    narrow: tuple[Band, ...] = ()
    """Bands that cover the grid, where its rows differ in size enough for that to pay."""

    @property
    def whole(self) -> Band:
        """The grid as one band."""
        return Band(0, self.rows, self.columns, self.cells)

    @property
    def bands(self) -> tuple[Band, ...]:
        """Bands that cover the grid; one band if it was not divided."""
        return self.narrow or (self.whole,)

    def spread(self, x: Float[Tensor, "n f"]) -> Float[Tensor, "r c f"]:
        """Put packed values into their cells and zero elsewhere."""
        return self.whole.spread(x)

    def pack(self, x: Float[Tensor, "r c f"]) -> Float[Tensor, "n f"]:
        """Take the values of the cells in use."""
        return self.whole.pack(x)


@dataclass(frozen=True)
class Reads:
    """Where logits are wanted: some columns of each row."""

    columns: Int[Tensor, "b s"]
    """The columns read in each row; filler where a row reads fewer."""
    grid: Grid
    """The (b, s) grid without filler."""
    source: Int[Tensor, "m"]
    """Where each read cell stands in the packed list of tokens."""
    alike: bool = False
    """Whether all rows read the same columns; then one mask serves them all."""


def read_columns(columns: Int[Tensor, "b s"], width: int) -> Reads:
    """Read the given columns of every row of an unpacked batch of this width."""
    rows = torch.arange(len(columns), device=columns.device)[:, None]
    grid = Grid(columns.shape[0], columns.shape[1])
    return Reads(columns, grid, (rows * width + columns).flatten())


def pack_marked(
    marked: Bool[np.ndarray, "b t"], device: torch.device | str = "cpu"
) -> tuple[Grid, Reads | None]:
    """Lay out a batch of which the marked cells are read.

    A causal model needs nothing behind a row's last marked cell. Where that leaves every cell in
    use and read, no index is made at all.
    """
    rows, width = marked.shape
    sizes = width - np.argmax(marked[:, ::-1], axis=1)
    real = np.arange(width) < sizes[:, None]
    counts = marked.sum(axis=1)
    if marked.all():
        return Grid(rows, width), None
    most = int(counts.max())
    order = np.argsort(~marked, axis=1, kind="stable")[:, :most]
    used = np.arange(most) < counts[:, None]
    place = np.cumsum(real.ravel()) - 1  # a cell's rank among the real ones
    source = place[(np.arange(rows)[:, None] * width + order)[used]]
    reads = Reads(
        columns=torch.from_numpy(np.where(used, order, 0)).to(device),
        grid=Grid(rows, most, None if used.all() else _indices(used, device)),
        source=torch.from_numpy(source).to(device),
        alike=bool((marked == marked[:1]).all()),
    )
    if real.all():
        return Grid(rows, width), reads
    return Grid(rows, width, _indices(real, device), _narrow(sizes, real, device)), reads


def _narrow(
    sizes: Int[np.ndarray, "b"], real: Bool[np.ndarray, "b t"], device: torch.device | str
) -> tuple[Band, ...]:
    """Divide the rows into bands of equally many rows, joining those of similar width."""
    cuts = [0]
    widths: list[int] = []
    for end in np.linspace(0, len(sizes), BANDS + 1).astype(int)[1:].tolist():
        width = int(sizes[cuts[-1] : end].max(initial=1))
        if widths and min(width, widths[-1]) > SHRINK * max(width, widths[-1]):
            widths[-1] = max(width, widths[-1])
            cuts[-1] = end
        elif end > cuts[-1]:
            widths.append(width)
            cuts.append(end)
    return tuple(
        Band(start, end, width, _indices(real[start:end, :width], device))
        for start, end, width in zip(cuts[:-1], cuts[1:], widths, strict=True)
    )


def _put(x: Float[Tensor, "n f"], cells: Int[Tensor, "n"], size: int) -> Float[Tensor, "m f"]:
    return x.new_zeros(size, x.shape[-1]).index_copy_(0, cells, x)


class _Take(torch.autograd.Function):
    """Take a band's cells: as none is taken twice, gradients are put back, not summed up."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, cells: Tensor) -> Tensor:
        ctx.save_for_backward(cells)
        ctx.size = len(x)
        return x.index_select(0, cells)

    @staticmethod
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, grad: Tensor
    ) -> tuple[Tensor, None]:
        (cells,) = ctx.saved_tensors
        return _put(grad, cells, ctx.size), None


def _indices(mask: Bool[np.ndarray, "r c"], device: torch.device | str) -> Int[Tensor, "n"]:
    return torch.from_numpy(np.flatnonzero(mask.ravel())).to(device)
