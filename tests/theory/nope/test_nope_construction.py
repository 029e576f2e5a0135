"""Absolute and relative positions from the mask alone, in the package's own decoder."""

import numpy as np
import pytest
import torch

from lengthwise.core.errors import InputError
from lengthwise.models.internals import attention_logits, hidden_states
from lengthwise.theory.nope.construction import (
    BEGIN,
    ONE,
    POSITION,
    alibi_twin,
    knot_weights,
    position_decoder,
)
from lengthwise.theory.nope.verification import read_positions, sequence, verify

SIZES = [8, 50, 64, 512]
# Largest position errors in float64 grow with the square of N, as do the output weights.
ALLOWED = {8: 1e-14, 50: 1e-12, 64: 1e-12, 512: 2e-10, 2048: 5e-9}


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.mark.parametrize("norm", ["none", "rms", "layer"])
@pytest.mark.parametrize("size", [*SIZES, pytest.param(2048, marks=pytest.mark.slow)])
def test_positions_and_relative_logits_to_float_precision(size, norm):
    found = verify(position_decoder(size, norm=norm))
    for name in ("position", "content", "relative", "shift"):
        assert getattr(found, name) < ALLOWED[size]
    assert found.uniform < 1e-15
    assert found.alibi < 1e-9
    assert found.unmasked < 1e-11
    assert found.anchorless > 1


def test_positions_to_float_precision_at_2048():
    built = position_decoder(2048)
    found = read_positions(built, sequence(built))[0]
    assert (found - torch.arange(1, 2049)).abs().max() < 1e-9


@pytest.mark.parametrize("size", SIZES)
def test_channels_one_and_two_are_unchanged(size):
    built = position_decoder(size)
    before, after, last = hidden_states(built.model, sequence(built))
    for channel in (ONE, BEGIN):
        assert torch.equal(built.channel(before, channel), built.channel(after, channel))
    for channel in (ONE, BEGIN, POSITION):
        assert torch.equal(built.channel(after, channel), built.channel(last, channel))


def test_attention_of_the_first_block_is_uniform():
    built = position_decoder(16)
    q, k = attention_logits(built.model, sequence(built), 0)
    logits = (q @ k.mT)[0, 0]
    assert (logits.amax(-1) - logits.amin(-1)).max() < 1e-12


def test_content_does_not_matter_but_the_first_token_does():
    built = position_decoder(32, begin=3)
    tokens = sequence(built)
    assert (tokens == 3).sum() == 1
    truth = torch.arange(1, 33).double()
    permuted = torch.cat([tokens[:, :1], tokens[:, 1:].flip(1)], dim=1)
    assert torch.allclose(read_positions(built, permuted)[0], truth, atol=1e-12)
    tokens[:, 0] = 5
    assert torch.allclose(read_positions(built, tokens)[0], torch.tensor(32 - 1 / 32).double())


def test_without_the_mask_every_position_reads_the_same(monkeypatch):
    built = position_decoder(16)

    def attend(q, k, v, *_, **__):
        return torch.softmax(q @ k.mT, dim=-1) @ v

    monkeypatch.setattr("lengthwise.models.layout.attend", attend)
    found = read_positions(built, sequence(built))[0]
    assert torch.allclose(found, torch.full((16,), 16.0, dtype=torch.float64), atol=1e-12)


@pytest.mark.parametrize("knots", [2, 5, 16])
def test_positions_beyond_the_knots_saturate(knots):
    built = position_decoder(24, knots=knots)
    found = read_positions(built, sequence(built))[0]
    place = torch.arange(1, 25).double()
    wanted = torch.where(place <= knots, place, knots - 1 / knots + 1 / place)
    assert torch.allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("slope", [(1.0,), (0.5, 3.0), (-0.25,)])
def test_relative_logits_have_the_asked_slopes(slope):
    built = position_decoder(20, heads=len(slope), slope=slope)
    tokens = sequence(built)
    q, k = attention_logits(built.model, tokens, 1)
    logits = (q @ k.mT)[0]
    for head, steepness in enumerate(slope):
        for t in range(20):
            for i in range(t + 1):
                content = float(q[0, head, t, 2:] @ k[0, head, i, 2:])
                wanted = content - steepness * (t - i)
                assert float(logits[head, t, i]) == pytest.approx(wanted, abs=1e-11)


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_alibi_is_reproduced(heads):
    assert verify(position_decoder(64, heads=heads)).alibi < 1e-9


def test_knots_interpolate_exactly_and_monotonically():
    inner, outer = knot_weights(50)
    u = np.linspace(1 / 50, 1, 5000)
    hidden = np.maximum(inner.numpy() @ np.stack([np.ones_like(u), u]), 0)
    written = outer.numpy() @ hidden + u
    reference = np.interp(
        u, 1 / np.arange(50, 0, -1), np.arange(50, 0, -1) - 1 / np.arange(50, 0, -1)
    )
    assert np.abs(written - u - reference).max() < 1e-10
    assert (np.diff(written) < 1e-9).all()


def test_the_bypass_error_falls_with_the_square_of_its_constant():
    errors = [verify(position_decoder(64, norm="rms", bypass=m)).position for m in (1e4, 1e5, 1e6)]
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert (ratios > 50).all()
    assert (ratios < 200).all()


def test_bad_options_are_named():
    with pytest.raises(InputError, match="must be at least 2"):
        position_decoder(1)
    with pytest.raises(InputError, match="begin token 9: the vocabulary has ids 0 to 7"):
        position_decoder(8, begin=9)
    with pytest.raises(InputError, match="1 slopes for 2 heads"):
        position_decoder(8, slope=(1.0,))
    with pytest.raises(InputError, match="not those of ALiBi"):
        alibi_twin(position_decoder(8, heads=1, slope=(3.0,)))
