"""Weights laid out for few rows: the same function, the given model untouched."""

import pytest
import torch

from lengthwise.models import frozen as room
from lengthwise.models.frozen import NARROW, frozen
from lengthwise.models.generation import WORTHWHILE, generate
from tests.models.test_decoder import decoder


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("options", [{}, {"preset": "t5", "pe": "t5"}, {"activation": "gelu"}])
def test_it_computes_the_same(rows, options):
    model = decoder(width=NARROW, heads=4, **options).eval()
    tokens = torch.randint(0, 11, (rows, 9))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with torch.inference_mode():
        fast = frozen(model, rows)
        assert fast is not model
        torch.testing.assert_close(fast(tokens), model(tokens), rtol=1e-5, atol=1e-5)
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name])
        assert value.is_contiguous()


def test_embeddings_are_shared():
    model = decoder(width=NARROW, heads=4)
    fast = frozen(model, 3)
    assert fast.embedding.weight is model.embedding.weight


def test_narrow_models_and_other_types_stay():
    narrow = decoder(width=NARROW // 2, heads=4)
    assert frozen(narrow, 1) is narrow
    wide = decoder(width=NARROW, heads=4)
    with torch.autocast("cpu", torch.bfloat16):
        assert frozen(wide, 2) is wide
        generate(wide, torch.zeros(2, 3, dtype=torch.long), torch.full((2,), 3), steps=20)
    assert frozen(wide.double(), 2) is wide


def test_a_torch_without_the_layout_keeps_the_model(monkeypatch):
    monkeypatch.setattr(room, "has_onednn", lambda: False)
    model = decoder(width=NARROW, heads=4)
    assert frozen(model, 2) is model


@pytest.mark.parametrize("rows", [1, 4])
def test_generation_with_it_equals_full_passes(rows):
    model = decoder(width=NARROW, heads=4, init="t5").eval()
    text = torch.randint(0, 11, (rows, 6))
    steps = WORTHWHILE + 4
    got = generate(model, text, torch.full((rows,), 6), steps=steps)
    for _ in range(steps):
        text = torch.cat([text, model(text)[:, -1:].argmax(dim=-1)], dim=1)
    assert torch.equal(got, text[:, 6:])
