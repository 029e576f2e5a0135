"""The check of shapes can fail: a test that never refuses proves nothing."""

import numpy as np
import pytest
import torch
from jaxtyping import TypeCheckError

from lengthwise.models.layout import to_heads
from lengthwise.models.packing import pack_marked
from lengthwise.positions.base import Places
from lengthwise.tasks.batch import Batch
from tests.models.test_decoder import decoder


def test_arguments_that_disagree_are_refused():
    model, tokens = decoder(), torch.zeros(2, 5, dtype=torch.long)
    with pytest.raises(TypeCheckError, match="positions"):
        model(tokens, torch.zeros(3, 5, dtype=torch.long))
    with pytest.raises(TypeCheckError, match="'x'"):
        to_heads(torch.zeros(2, 6), 2)
    with pytest.raises(TypeCheckError, match="marked"):
        pack_marked(np.zeros((2, 3)))


def test_fields_that_disagree_are_refused():
    cells, sizes = np.zeros((2, 3), dtype=int), np.zeros(2, dtype=int)
    Batch(cells, cells, sizes, sizes)
    with pytest.raises(TypeCheckError, match="length"):
        Batch(cells, cells, np.zeros(3, dtype=int), sizes)
    with pytest.raises(TypeCheckError, match="key"):
        Places(torch.zeros(2, 3, dtype=torch.long), torch.zeros(3, 3, dtype=torch.long))
