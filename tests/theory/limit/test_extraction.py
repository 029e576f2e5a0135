"""Norms folded in, functions of the distance fitted, limit objects extracted: exact where known."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.crasp.library import load
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions.learned import LearnedAbsolute
from lengthwise.positions.nope import NoPE
from lengthwise.theory.limit.compiler import compile_program
from lengthwise.theory.limit.distance_fit import LEFT, PositionalFunction, fit_distances
from lengthwise.theory.limit.export import to_decoder
from lengthwise.theory.limit.finite_to_limit import best_period, extract
from lengthwise.theory.limit.folding import folded_heads, norm_scales, numpy
from lengthwise.theory.limit.logits_inside import PlacedRows, look_inside
from lengthwise.theory.limit.precision import (
    answers,
    least_bits,
    least_rank,
    measured_regulariser,
    with_rank,
)

CONTEXT = 24


def random_decoder(seed, *, norm="layer", bias=True, context=CONTEXT, encoding=None, **rest):
    torch.manual_seed(seed)
    config = ModelConfig(layers=2, heads=2, width=12, norm=norm, bias=bias, **rest)
    model = Decoder(config, 5, encoding or LearnedAbsolute(std=0.5), context).double().eval()
    for parameter in model.parameters():  # norms and biases too are not what they start from
        parameter.data += 0.4 * torch.randn_like(parameter)
    return model


def random_rows(seed, letters=4, context=CONTEXT, longest=10, count=20):
    rng = torch.Generator().manual_seed(seed)
    found = []
    for size in range(2, longest + 1):
        tokens = torch.randint(1, letters + 1, (count, size), generator=rng)
        tokens[:, 0] = 0
        offsets = torch.randint(0, context - size + 1, (count,), generator=rng)
        found.append(PlacedRows(tokens, offsets))
    return found


@pytest.mark.parametrize("norm", ["layer", "rms", "none"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_folded_heads_give_the_true_logits_on_random_inputs(norm, bias, seed):
    model = random_decoder(seed, norm=norm, bias=bias)
    rows = random_rows(seed)[-1]
    states = []
    hooks = [b.register_forward_pre_hook(lambda _, x: states.append(x[0])) for b in model.blocks]
    inside = look_inside(model, rows)
    for hook in hooks:
        hook.remove()
    for layer, heads in enumerate(folded_heads(model)):
        y = numpy(states[layer].reshape(*rows.tokens.shape, -1))
        r = numpy(inside.inverse[2 * layer])
        for head, one in enumerate(heads):
            made = np.einsum("bj,bi,bjd,de,bie->bji", r, r, y, one.kq, y)
            made += (r * (y @ one.key))[:, :, None]
            true = numpy(inside.logits[layer][:, head]).transpose(0, 2, 1)  # key on the left
            left = true - made
            assert np.ptp(left, axis=1).max() < 1e-9  # only what all keys of a query share


def test_shared_keys_are_folded_and_gates_refused():
    model, rows = random_decoder(1, key_heads=1), random_rows(1)
    first, second = folded_heads(model)[0]
    assert not np.allclose(first.kq, second.kq)
    assert len(extract(model, rows).heads) == 4
    with pytest.raises(InputError, match="gate"):
        folded_heads(random_decoder(1, gated=True))
    with pytest.raises(InputError, match="both ways"):
        extract(random_decoder(1, bidirectional=True), rows)


def test_scales_of_norms_are_measured():
    model, rows = random_decoder(0), random_rows(0)
    scales = norm_scales(model, rows)
    assert len(scales.attention) == len(scales.mlp) == 2
    assert scales.spread > 0
    plain = norm_scales(random_decoder(0, norm="none"), rows)
    assert plain.attention == (1.0, 1.0)
    assert plain.spread == 0


# --- functions of the distance ---


@given(
    period=st.integers(1, 3),
    radius=st.integers(-1, 3),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=40, deadline=None)
def test_periodic_and_local_functions_are_recovered_whatever_queries_add(period, radius, seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(-4, 5, period).astype(float)
    function = PositionalFunction(table - table.mean(), rng.choice([-3.0, 2.0, 5.0], radius + 1))
    size = 20
    place = np.arange(size)
    distance = place[None, :] - place[:, None]
    values = function.values(size)[np.maximum(distance, 0)] + rng.normal(size=size) * 10
    found = fit_distances(values, ((distance >= 0) & (distance < 16)).astype(float))
    assert found.residual < 1e-3
    wanted, got = function.values(40), found.function.values(40)
    assert np.ptp(wanted - got) < 0.05  # beyond what was seen too, up to a constant


def test_what_is_no_function_of_the_distance_is_left_over():
    rng = np.random.default_rng(0)
    place = np.arange(20)
    seen = (place[None, :] >= place[:, None]).astype(float)
    noise = fit_distances(rng.normal(size=(20, 20)), seen)
    assert noise.residual > 0.7
    by_key = np.repeat(place[:, None] % 2, 20, axis=1).astype(float)
    assert fit_distances(by_key, seen).shift_residual > 0.5  # absolute positions, not distances
    slope = fit_distances((place[:, None] - place[None, :]).astype(float), seen)
    assert slope.shift_residual < 1e-9
    assert slope.left > LEFT  # neither periodic nor local


@given(st.integers(1, 6), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_the_period_of_a_table_is_found_through_noise(period, seed):
    rng = np.random.default_rng(seed)
    code = rng.normal(size=(period, 32))
    table = code[np.arange(60) % period] + 0.3 * rng.normal(size=(60, 32))
    assert best_period(table) == period


# --- extraction ---


@pytest.mark.parametrize("name", ["contains-ab", "aa", "aaaa", "tomita-4", "abab"])
def test_the_parts_of_a_compiled_transformer_are_recovered_exactly(name):
    limit = compile_program(load(name))
    model = to_decoder(limit, CONTEXT - 1, dtype=torch.float64, layout="unit")
    rows = random_rows(0, letters=len(limit.tokens) - 1, longest=13)
    found = extract(model, rows)
    assert found.period == limit.period
    assert found.radius == limit.reach
    width = limit.width
    codes = limit.positions[(np.arange(found.period) + 1) % limit.period]
    assert np.allclose(found.vectors[:, :width], codes, atol=1e-9)
    assert np.allclose(found.vectors[:, width:], 0, atol=1e-9)
    for part in found.heads:
        heads = limit.layers[part.layer - 1].heads
        true = heads[part.head - 1].phi if part.head <= len(heads) else np.zeros(0)
        values = np.zeros(30)
        values[: len(true)] = true
        assert np.allclose(part.fit.function.values(30), values, atol=1e-9)
        assert part.fit.residual < 1e-9
    assert all(part.residual < 1e-12 for part in found.values)


@pytest.mark.parametrize("name", ["contains-ab", "aa", "tomita-4"])
def test_the_object_of_a_compiled_transformer_runs_beyond_its_context(name):
    limit = compile_program(load(name))
    short = to_decoder(limit, CONTEXT - 1, dtype=torch.float64, layout="unit")
    letters = len(limit.tokens) - 1
    found = extract(short, random_rows(0, letters=letters, longest=13))
    long = to_decoder(limit, 80, dtype=torch.float64, layout="unit")
    rng = torch.Generator().manual_seed(1)
    tokens = torch.randint(1, letters + 1, (10, 60), generator=rng)
    tokens[:, 0] = 0
    with torch.no_grad():
        want, got = long(tokens)[..., -2] > 0, found.model(tokens)[..., -2] > 0
    # gains of steps belong to a context, so only what is safe at 60 in both is compared
    assert (want == got).double().mean() > 0.99
    with pytest.raises(InputError, match="beyond the learned table"):
        short(tokens)


@pytest.mark.parametrize("norm", ["layer", "rms", "none"])
@pytest.mark.parametrize("period", [1, 2, 3])
def test_a_model_with_periodic_positions_is_its_own_limit_object(norm, period):
    """With norms, biases and GELU: nothing is lost, and longer inputs follow the same table."""
    model = random_decoder(period, norm=norm)
    table = model.encoding.table.weight
    code = table.data[:period].clone()
    table.data = code[torch.arange(CONTEXT) % period]
    found = extract(model, random_rows(5))
    assert found.period == period
    rest = found.rest
    if norm == "layer":  # a number on all channels is taken off by every norm: nobody reads it
        rest = rest - rest.mean(axis=1, keepdims=True)
    assert np.abs(rest).max() < 1e-9
    longer = random_decoder(period, norm=norm, context=3 * CONTEXT)
    state = model.state_dict()
    state["encoding.table.weight"] = code[torch.arange(3 * CONTEXT) % period]
    longer.load_state_dict(state)
    tokens = torch.randint(0, 5, (6, 50), generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        assert torch.allclose(found.model(tokens), longer(tokens), atol=1e-6)


def test_the_rest_puts_the_table_together_again():
    model = random_decoder(4)
    found = extract(model, random_rows(4))
    table = found.vectors[np.arange(CONTEXT) % found.period] + found.rest
    assert np.allclose(table, numpy(model.encoding.table.weight))


def test_models_without_a_table_are_refused():
    with pytest.raises(InputError, match="no learned position table"):
        extract(random_decoder(0, encoding=NoPE()), random_rows(0))


# --- bits and rank ---


def test_the_least_bits_and_rank_keep_every_answer():
    model, rows = random_decoder(7), random_rows(7)
    wanted = answers(model, rows)
    assert all(map(torch.equal, answers(with_rank(model, model.config.head), rows), wanted))
    rank = least_rank(model, rows)
    assert all(map(torch.equal, answers(with_rank(model, rank), rows), wanted))
    assert least_bits(model, rows) < 24
    terms = measured_regulariser(model, rows)
    assert terms.rank_v == rank
    assert np.isfinite(terms.total)


def test_a_value_matrix_of_low_rank_needs_no_more():
    model = with_rank(random_decoder(8), 1)
    rows = random_rows(8)
    assert least_rank(model, rows) <= 1
