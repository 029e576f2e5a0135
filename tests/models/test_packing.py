"""Where every row reads the same columns one mask serves all rows, with the same answers."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from lengthwise.models.packing import pack_marked
from tests.models.test_decoder import decoder


@pytest.mark.parametrize("position", ["ape", "t5", "rope", "alibi"])
@pytest.mark.parametrize("alike", [True, False])
def test_reads_equal_the_full_pass(position, alike):
    model = decoder(pe=position)
    tokens = torch.arange(24).view(3, 8) % 5
    marked = np.zeros((3, 8), dtype=bool)
    marked[:, 5:] = True
    marked[:, 2] = True
    if not alike:
        marked[1, 2], marked[1, 3] = False, True
    grid, reads = pack_marked(marked)
    assert reads is not None
    assert reads.alike == alike
    with torch.no_grad():
        full = model(tokens)[torch.from_numpy(marked)]
        packed = model.packed(tokens, None, grid, reads, None)
    assert torch.allclose(full, packed, atol=1e-5)


def test_gradients_where_a_column_is_read_twice():
    model = decoder()
    tokens = torch.arange(24).view(3, 8) % 5
    columns = torch.tensor([[4, 4, 1]] * 3)
    rows = torch.arange(3)[:, None]
    found = [
        torch.autograd.grad(logits.square().sum(), list(model.parameters()))
        for logits in (model(tokens, supervised=columns), model(tokens)[rows, columns])
    ]
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)


def random_marks(seed):
    """Rows of very different sizes, or all alike; each reads at least one cell."""
    rng = np.random.default_rng(seed)
    rows, width = int(rng.integers(1, 20)), int(rng.integers(1, 16))
    sizes = rng.integers(1, width + 1, rows)
    if seed % 3 == 0:
        sizes.sort()
    marked = (rng.random((rows, width)) < 0.5) & (np.arange(width) < sizes[:, None])
    marked[np.arange(rows), sizes - 1] = True
    return marked


def in_bands(sizes):
    """Slow reference: quarters of the rows, joined while their widths are within a fifth."""
    ends = [len(sizes) * k // 4 for k in range(5)]
    found = []
    for start, end in pairwise(ends):
        if start == end:
            continue
        width = max(sizes[start:end])
        if found and 5 * min(width, found[-1][2]) > 4 * max(width, found[-1][2]):
            before = found.pop()
            start, width = before[0], max(width, before[2])
        found.append((start, end, width))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_a_layout_lists_every_cell_that_is_needed_once(seed):
    marked = random_marks(seed)
    sizes = [max(np.flatnonzero(row)) + 1 for row in marked]
    real = [(row, column) for row, size in enumerate(sizes) for column in range(size)]
    grid, reads = pack_marked(marked)
    if reads is None:
        assert marked.all()
        return
    wanted = [real.index((row, column)) for row, column in zip(*np.nonzero(marked), strict=True)]
    assert reads.source.tolist() == wanted
    values = torch.arange(1.0, len(wanted) + 1)[:, None]
    spread = reads.grid.spread(values)[:, :, 0]
    for row, columns in enumerate(reads.columns.tolist()):
        read = np.flatnonzero(marked[row]).tolist()
        assert columns[: len(read)] == read
        assert (spread[row] > 0).tolist() == [at < len(read) for at in range(len(columns))]
    assert torch.equal(reads.grid.pack(spread[:, :, None]), values)
    assert reads.alike == all((row == marked[0]).all() for row in marked)
    if len(real) == marked.size:
        assert grid.bands == (grid.whole,)
    else:
        assert [(b.start, b.end, b.width) for b in grid.bands] == in_bands(sizes)


@pytest.mark.parametrize("seed", range(40))
def test_bands_hold_what_the_grid_holds(seed):
    grid, _ = pack_marked(random_marks(seed))
    count = grid.rows * grid.columns if grid.cells is None else len(grid.cells)
    values = torch.arange(1.0, 2 * count + 1).view(count, 2)
    whole, place = grid.spread(values), 0
    assert sum(band.size for band in grid.bands) == count
    for band in grid.bands:
        mine = values[place : place + band.size]
        place += band.size
        spread = band.spread(mine)
        assert torch.equal(spread, whole[band.start : band.end, : band.width])
        assert not whole[band.start : band.end, band.width :].any()
        assert torch.equal(band.pack(spread), mine)
        spread.requires_grad_()
        (gradient,) = torch.autograd.grad((band.pack(spread) * mine).sum(), spread)
        assert torch.equal(gradient, whole[band.start : band.end, : band.width])
