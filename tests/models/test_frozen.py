"""Weights laid out for few rows: the same function, the given model untouched."""

import pytest
import torch

from lengthwise.models import frozen as room
from lengthwise.models import generation
from lengthwise.models.frozen import FEW, NARROW, Few, Packed, frozen
from lengthwise.models.generation import WORTHWHILE, generate
from tests.models.test_decoder import decoder
from tests.models.test_generation import by_full_passes


@pytest.mark.parametrize("loops", [True, False], ids=["loops", "oneDNN"])
@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("options", [{}, {"preset": "t5", "pe": "t5"}, {"activation": "gelu"}])
def test_it_computes_the_same(rows, options, loops, monkeypatch):
    if not loops:
        monkeypatch.setattr(room, "compiled", lambda: None)
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


def test_few_rows_go_to_the_loops_and_many_to_onednn():
    model = decoder(width=NARROW, heads=4)
    assert isinstance(frozen(model, FEW).unembedding, Few)
    assert isinstance(frozen(model, FEW + 1).unembedding, Packed)


@pytest.mark.parametrize("rows", [3, FEW + 1])
def test_embeddings_are_shared(rows):
    model = decoder(width=NARROW, heads=4)
    fast = frozen(model, rows)
    assert fast is not model
    assert fast.embedding.weight is model.embedding.weight


def test_layers_of_an_encoding_stay():
    model = decoder(pe="fire", width=NARROW, heads=4)
    assert type(frozen(model, 1).encoding.first) is torch.nn.Linear


def test_narrow_models_stay_without_loops():
    narrow = decoder(width=NARROW // 2, heads=4)
    assert frozen(narrow, FEW + 1) is narrow
    assert frozen(narrow, FEW) is not narrow


def test_a_torch_without_the_layout_keeps_the_model(monkeypatch):
    monkeypatch.setattr(room, "has_onednn", lambda: False)
    model = decoder(width=NARROW, heads=4)
    assert frozen(model, FEW + 1) is model


@pytest.mark.parametrize("other", ["double", "training", "autocast"])
def test_other_models_generate_as_they_are(other, monkeypatch):
    asked = []
    monkeypatch.setattr(generation, "frozen", lambda *given: asked.append(given) or frozen(*given))
    model = decoder(width=NARROW, heads=4)
    prompt = torch.zeros(2, 3, dtype=torch.long), torch.full((2,), 3)
    with torch.autocast("cpu", torch.bfloat16, enabled=other == "autocast"):
        model = {"double": model.double, "training": model.train}.get(other, model.eval)()
        generate(model, *prompt, steps=WORTHWHILE + 1)
    assert not asked
    generate(model.float().eval(), *prompt, steps=WORTHWHILE + 1)
    assert len(asked) == 1


@pytest.mark.parametrize("rows", [1, 4, FEW + 1])
def test_generation_with_it_equals_full_passes(rows):
    model = decoder(width=NARROW, heads=4, init="t5").eval()
    prompts = torch.randint(0, 11, (rows, 6)), torch.full((rows,), 6)
    steps = WORTHWHILE + 4
    got = generate(model, *prompts, steps=steps)
    assert torch.equal(got, by_full_passes(model, *prompts, steps=steps))
