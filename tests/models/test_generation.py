"""Cached generation against generating with full passes."""

import pytest
import torch

from lengthwise.core.errors import InputError
from lengthwise.models.generation import generate
from tests.models.test_decoder import decoder


def by_full_passes(model, prompts, sizes, *, steps):
    """Continue prompts slowly: a full pass for every token of every row."""
    rows = []
    for row, size in enumerate(sizes.tolist()):
        text = prompts[row : row + 1, :size]
        for _ in range(steps):
            text = torch.cat([text, model(text)[:, -1:].argmax(dim=-1)], dim=1)
        rows.append(text[0, size:])
    return torch.stack(rows)


@pytest.mark.parametrize("sizes", [(8, 3, 1, 5), (5, 5, 5, 5), (8, 8, 8, 8)])
@pytest.mark.parametrize("pe", ["nope", "ape", "rope", "t5", "alibi", "sinusoidal"])
def test_cached_generation_equals_full_passes(pe, sizes):
    model = decoder(pe=pe, layers=3, init="t5")
    prompts = torch.randint(0, 11, (4, 8))
    sizes = torch.tensor(sizes)
    got = generate(model, prompts, sizes, steps=6)
    assert torch.equal(got, by_full_passes(model, prompts, sizes, steps=6))


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


@pytest.mark.parametrize("sizes", [(8, 3, 1, 5), (5, 5, 5, 5)])
def test_every_row_may_have_its_own_number_of_steps(sizes):
    """Row r may fill the context; the others wait for it without leaving theirs."""
    sizes = torch.tensor(sizes)
    model = decoder(pe="ape", init="t5")  # a table for 32 positions
    prompts = torch.randint(0, 11, (4, 8))
    free = generate(model, prompts, sizes, steps=10)
    steps = torch.minimum(32 - sizes, torch.tensor([4, 29, 31, 2]))
    got = generate(model, prompts, sizes, steps=steps)
    for row, count in enumerate(steps.tolist()):
        kept = min(count, 10)
        assert torch.equal(got[row, :kept], free[row, :kept])


@pytest.mark.parametrize("pe", ["ape", "rope", "t5"])
def test_positions_may_be_given(pe):
    model = decoder(pe=pe, init="t5")
    prompts, sizes = torch.randint(0, 11, (3, 4)), torch.tensor([4, 2, 3])
    positions = torch.randint(1, 4, (3, 10)).cumsum(1)
    got = generate(model, prompts, sizes, steps=6, positions=positions)
    for row, size in enumerate(sizes.tolist()):
        text = prompts[row : row + 1, :size]
        for _ in range(6):
            at = positions[row : row + 1, : text.shape[1]]
            text = torch.cat([text, model(text, at)[:, -1:].argmax(dim=-1)], dim=1)
        assert torch.equal(got[row], text[0, size:])
