"""Finite models, the regulariser, products and conditions against what the literature says."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lengthwise.core.errors import InputError
from lengthwise.crasp.library import load
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions.learned import LearnedAbsolute
from lengthwise.positions.nope import NoPE
from lengthwise.report.static import save_drawn
from lengthwise.report.theory_figures import draw_reading
from lengthwise.theory.limit import compile_program
from lengthwise.theory.limit.folding import NormScales, folded
from lengthwise.theory.limit.logits_inside import PlacedRows
from lengthwise.theory.limit.products import check_products
from lengthwise.theory.limit.readout import mean_logits, measure, read_positions
from lengthwise.theory.limit.regulariser import explicit, regulariser
from lengthwise.theory.limit.translation import to_finite
from lengthwise.training.positional import check_regularize, positional_penalty
from tests.theory.limit.cases import CASES, PERIODIC, program
from tests.theory.limit.properties import (
    is_local,
    is_periodic,
    offset_difference,
    period_of,
)

TERM_6 = {"contains-ab": 9.0, "no-000": 18.0, "(aa)*": 36.0, "(abab)*": 36.0, "dyck-1": 0.0}


def random_tokens(model, rows, size, seed=0):
    tokens = np.random.default_rng(seed).integers(1, len(model.tokens), size=(rows, size))
    tokens[:, 0] = 0
    return tokens


@pytest.mark.parametrize("name", TERM_6)
def test_finite_models_equal_the_limit_transformer_exactly(name):
    model = compile_program(program(name))
    for context in (16, 32):
        finite = to_finite(model, context)
        for offset in (0, 1, 5):
            tokens = random_tokens(model, 3, 11)
            ours = model.activations(tokens, offset=offset)
            theirs = finite.activations(tokens, offset=offset)
            assert all(
                torch.equal(x, y[..., : model.width]) for x, y in zip(ours, theirs, strict=True)
            )


@pytest.mark.parametrize("name", TERM_6)
def test_the_positional_term_has_the_published_value_at_every_context(name):
    model = compile_program(program(name))
    found = [regulariser(explicit(model, n)) for n in (16, 32, 64)]
    assert [r.positional for r in found] == [TERM_6[name]] * 3
    totals = [r.total for r in found]
    assert max(totals) - min(totals) < 1e-9


def test_a_direct_periodic_comparison_would_not_stay_bounded():
    """Why residues are copied through a value matrix first."""
    table = np.eye(2)[np.arange(64) % 2]
    grown = [((table[:n] @ table[1]) ** 2).sum() for n in (16, 32, 64)]
    assert grown == [8.0, 16.0, 32.0]


@pytest.mark.parametrize("name", ["contains-ab", "no-000", *PERIODIC])
def test_products(name):
    assert check_products(explicit(compile_program(program(name)), 12)).holds
    short = check_products(explicit(compile_program(program(name), periodic="short"), 12))
    assert short.holds == (name not in PERIODIC)
    if name in PERIODIC:
        assert {v.kind for v in short.violations} == {"one position"}


def test_products_notice_absolute_comparisons():
    model = to_finite(compile_program(program("contains-ab")), 12)
    head = model.layers[0].heads[0]
    head.kq[-3, -2] += 1.0  # one pair of positions is treated differently
    report = check_products(explicit(model))
    assert [v.kind for v in report.violations] == ["two positions"]


@pytest.mark.parametrize("name", CASES)
def test_conditions_and_offsets(name):
    model = compile_program(program(name))
    assert is_periodic(model)
    assert is_local(model)
    assert is_periodic(model, model.period)
    assert is_local(model, model.reach)
    assert model.reach < 0 or not is_local(model, model.reach - 1)
    assert offset_difference(model, random_tokens(model, 4, 20)) == 0.0


def test_finite_models_are_not_periodic_and_refuse_what_does_not_fit():
    finite = to_finite(compile_program(program("contains-ab")), 8)
    assert not is_periodic(finite)
    with pytest.raises(InputError, match="do not fit a context of 8"):
        finite.logits(random_tokens(finite, 1, 6), offset=3)


def test_vectors_that_are_compared_directly_are_not_local():
    model = compile_program(load("aa"))
    layer = model.layers[0]
    direct = replace(layer.heads[0], kq=np.outer(model.positions[0], model.positions[0]))
    changed = replace(model, layers=(replace(layer, heads=(direct,)), *model.layers[1:]))
    assert is_local(model)
    assert not is_local(changed)


def test_period_of():
    assert period_of(np.arange(12.0)[:, None] % 4) == 4
    assert period_of(np.arange(12.0)[:, None]) is None


# --- the practical penalty ----------------------------------------------------------------------


def small_decoder(encoding=None, **style):
    torch.manual_seed(0)
    config = ModelConfig(layers=2, heads=2, width=8, **style)
    return Decoder(config, 5, encoding or LearnedAbsolute(std=1.0), context=7)


def slow_penalty(model):
    """The triple loop: layers and heads, keys j, queries i >= j."""
    table, total = model.encoding.table.weight, 0.0
    for block in model.blocks:
        query, key, _ = block.qkv.weight.chunk(3)
        for head in range(2):
            rows = slice(4 * head, 4 * head + 4)
            for j in range(len(table)):
                for i in range(j, len(table)):
                    product = (query[rows] @ table[i]) @ (key[rows] @ table[j])
                    total = total + product**2 / len(table)
    return total


def test_the_penalty_equals_the_triple_loop_and_so_do_its_gradients():
    model = small_decoder()
    gradients = []
    for penalty in (positional_penalty, slow_penalty):
        model.zero_grad()
        value = penalty(model)
        value.backward()
        gradients.append((value.item(), model.encoding.table.weight.grad.clone()))
    assert gradients[0][0] == pytest.approx(gradients[1][0], rel=1e-5)
    assert torch.allclose(gradients[0][1], gradients[1][1], rtol=1e-4, atol=1e-6)


def test_the_penalty_vanishes_without_positions_and_is_refused_without_a_table():
    model = small_decoder()
    model.encoding.table.weight.data.zero_()
    assert positional_penalty(model).item() == 0.0
    with pytest.raises(InputError, match="no learned position table"):
        positional_penalty(small_decoder(NoPE()))
    with pytest.raises(InputError, match="needs learned absolute positions"):
        check_regularize(1e-4, NoPE())


def test_term_6_of_a_decoder_is_one_column_of_the_penalty():
    model = small_decoder(norm="none")
    table = model.encoding.table.weight.detach().double()
    expected = 0.0
    for block in model.blocks:
        query, key, _ = block.qkv.weight.detach().double().chunk(3)
        for head in range(2):
            rows = slice(4 * head, 4 * head + 4)
            scores = (table @ query[rows].T) @ (key[rows] @ table[0]) / 2.0
            expected += float((scores**2).sum())
    found = regulariser(folded(model, NormScales.none(2)))
    assert found.positional == pytest.approx(expected)


# --- reading positions of a model ---------------------------------------------------------------


def test_reading_a_local_and_a_periodic_function():
    distance = np.arange(40)[None, :] - np.arange(40)[:, None]
    local = measure(np.where(distance == 3, 2.0, 0.0))
    assert (local.function.period, local.function.radius) == (1, 3)
    assert local.residual < 1e-9
    periodic = measure(np.where(distance % 5 == 2, 1.0, 0.0))
    assert (periodic.function.period, periodic.function.radius) == (5, -1)
    assert periodic.residual < 1e-9


def test_products_of_positions_are_the_true_logits_where_nothing_else_is():
    """With empty tokens and position vectors of one size, layer 1 sees positions alone."""
    model = small_decoder()
    model.embedding.weight.data.zero_()
    table = model.encoding.table.weight
    table.data -= table.data.mean(dim=1, keepdim=True)
    table.data /= table.data.std(dim=1, keepdim=True, unbiased=False)
    rows = PlacedRows(torch.zeros(12, 5, dtype=torch.long), torch.arange(3).repeat(4))
    true, counts = mean_logits(model, [rows], 7)[0][0]
    products = read_positions(model, [rows]).products[0][0]
    for query in range(7):
        keys = np.flatnonzero(counts[:, query])
        assert np.ptp((true - products)[keys, query], axis=0) < 1e-6 if len(keys) else True


def test_reading_something_that_depends_on_the_absolute_position():
    noise = np.random.default_rng(0).normal(size=(40, 40))
    assert measure(noise).shift_residual > 0.8


def test_reading_a_decoder_and_drawing_it(tmp_path):
    rows = PlacedRows(torch.randint(0, 5, (6, 5)), torch.tensor([0, 1, 2, 0, 1, 2]))
    reading = read_positions(small_decoder(), [rows], "small")
    assert len(reading.heads) == 4
    save_drawn(draw_reading(reading), tmp_path / "products.png")
    assert (tmp_path / "products.png").stat().st_size > 1000
    with pytest.raises(InputError, match="no learned position table"):
        read_positions(small_decoder(NoPE()), [rows])
