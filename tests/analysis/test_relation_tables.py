"""Reading a learned relation out: values, comparison with a given one, tables and drawings."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.analysis.relation_tables import causal, compare, read_relation_from
from lengthwise.core.errors import InputError
from lengthwise.positions import load_position
from lengthwise.positions.base import Shape
from lengthwise.relations.tables import read_relation

SHAPE = Shape(layers=1, heads=2, head_width=8, width=16, context=12)


def module_for_select_last():
    """An LBPE whose relation is exactly: j = i - 1 or not."""
    module = load_position("lbpe:values=3,predictor=lines,unit=1").build(SHAPE)
    with torch.no_grad():
        module.first.weight.copy_(torch.tensor([[3.0, -3.0], [0.0, 0.0]]))
        module.first.bias.copy_(torch.tensor([-3.0, 50.0]))
        module.constant.fill_(-2.0)
    return module


def test_values_rows_and_ranks():
    readout = read_relation_from(module_for_select_last(), 6)
    ideal = read_relation("select-last").table(6)
    pairs = causal(6)
    assert (readout.values[pairs] == ideal[pairs]).all()
    assert readout.row(5) == "0001"
    assert (readout.ranked(1) == readout.values).all()
    ranks = np.stack([readout.ranked(r) for r in (1, 2, 3)])
    assert (np.sort(ranks, axis=0) == np.arange(3)[:, None, None]).all()
    with pytest.raises(InputError, match="there are 3 values"):
        readout.ranked(4)


def test_exported_table_is_a_fixed_relation(tmp_path):
    readout = read_relation_from(module_for_select_last(), 6)
    readout.save(tmp_path / "r.npz")
    fixed = load_position(f"ipe:relation={tmp_path / 'r.npz'}").phi
    assert (fixed.table(6)[causal(6)] == readout.values[causal(6)]).all()


def test_only_learned_relations_can_be_read():
    with pytest.raises(InputError, match="lbpe"):
        read_relation_from(load_position("rope").build(SHAPE), 4)
    hinted = load_position("lbpe-sh").build(SHAPE)
    with pytest.raises(InputError, match="give it"):
        read_relation_from(hinted, 4)
    assert read_relation_from(hinted, 4, 3).values.shape == (4, 4)


@given(st.data())
def test_comparison_against_brute_force(data):
    cells = st.lists(st.integers(0, 2), min_size=4, max_size=4)
    a, b = (np.array(data.draw(cells)) for _ in range(2))
    result = compare(a[None], b[None], np.ones((1, 4), bool))
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    images = {x: {y for z, y in pairs if z == x} for x in a}
    back = {y: {x for x, z in pairs if z == y} for y in b}
    assert result.refines == all(len(s) == 1 for s in images.values())
    assert result.equal == (result.refines and all(len(s) == 1 for s in back.values()))
    best = max(
        np.mean([m[x] == y for x, y in zip(a, b, strict=True)])
        for m in ({0: p, 1: q, 2: r} for p in range(3) for q in range(3) for r in range(3))
    )
    assert result.agreement == pytest.approx(best)
    assert result.distinct == len(set(a.tolist()))


def test_causal_marks_queries():
    assert causal(3, [2], itself=False).tolist() == [
        [False, False, False],
        [True, False, False],
        [False, False, False],
    ]
