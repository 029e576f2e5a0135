"""Cached generation against generating with full passes."""

import pytest
import torch

from lengthwise.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.models.generation import WORTH_A_COPY, for_few_rows, generate
from lengthwise.positions import load_position
from tests.models.test_decoder import decoder


@pytest.mark.parametrize("pe", ["nope", "ape", "rope", "t5", "alibi", "sinusoidal"])
def test_cached_generation_equals_full_passes(pe):
    model = decoder(pe=pe, layers=3, init="t5")
    prompts = torch.randint(0, 11, (4, 8))
    sizes = torch.tensor([8, 3, 1, 5])
    got = generate(model, prompts, sizes, steps=6)
    for row, size in enumerate(sizes.tolist()):
        text = prompts[row : row + 1, :size]
        for _ in range(6):
            text = torch.cat([text, model(text)[:, -1:].argmax(dim=-1)], dim=1)
        assert torch.equal(got[row], text[0, size:])


def test_rows_end_at_the_stop_token():
    model = decoder(init="t5")
    prompts, sizes = torch.randint(0, 11, (6, 5)), torch.full((6,), 5)
    free = generate(model, prompts, sizes, steps=8)
    stop = int(free[0, 2])
    got = generate(model, prompts, sizes, steps=8, stop=stop)
    for row in range(6):
        hits = (free[row] == stop).nonzero().flatten().tolist()
        end = hits[0] if hits else 8
        kept = min(end, got.shape[1])
        assert torch.equal(got[row, :kept], free[row, :kept])
        assert (got[row, end:] == stop).all()


def test_an_empty_prompt_is_refused():
    with pytest.raises(InputError, match="at least one token"):
        generate(decoder(), torch.zeros(1, 3, dtype=torch.long), torch.tensor([0]), steps=2)


def test_a_copy_for_few_rows_has_the_same_numbers_and_shares_the_rest():
    model = Decoder(ModelConfig(layers=2, heads=2, width=16), 7, load_position("ape"), 32).eval()
    copied = for_few_rows(model)
    tokens = torch.arange(12).view(2, 6) % 7
    assert torch.allclose(model(tokens), copied(tokens), atol=1e-6)
    assert copied.norm.weight is model.norm.weight
    ours, theirs = model.blocks[0].qkv.weight, copied.blocks[0].qkv.weight
    assert torch.equal(ours, theirs)
    assert ours.is_contiguous()
    assert not theirs.is_contiguous()


def test_the_model_is_left_as_it_is():
    model = Decoder(ModelConfig(layers=1, heads=1, width=8), 5, load_position("nope"), 64).eval()
    before = {name: value.data_ptr() for name, value in model.state_dict().items()}
    steps = WORTH_A_COPY + 1
    few = generate(model, torch.tensor([[1, 2]]), torch.tensor([2]), steps=3)
    many = generate(model, torch.tensor([[1, 2]]), torch.tensor([2]), steps=steps)
    assert torch.equal(few, many[:, :3])
    assert {name: value.data_ptr() for name, value in model.state_dict().items()} == before
