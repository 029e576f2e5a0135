"""Where every row reads the same columns one mask serves all rows, with the same answers."""

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
