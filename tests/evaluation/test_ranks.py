"""Reciprocal ranks against plain counting, and what order may and may not change."""

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.evaluation.ranks import appearance, complete, rank_table, ranks, reciprocal_ranks
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.result import RunResult
from lengthwise.records.spec import RunSpec

scores = st.lists(st.integers(0, 4).map(lambda n: n / 4), min_size=1, max_size=6)


@given(scores)
def test_ranks_equal_plain_counting(values):
    fair = [1 + sum(b > a for b in values) + (sum(b == a for b in values) - 1) / 2 for a in values]
    first = [
        1 + sum(b > a for b in values) + sum(b == a for b in values[:i])
        for i, a in enumerate(values)
    ]
    assert ranks(values) == fair
    assert ranks(values, "published") == first
    n = len(values)
    assert sum(ranks(values)) == sum(ranks(values, "published")) == n * (n + 1) / 2
    if len(set(values)) == n:
        assert fair == first


NAMES = ("nope", "t5", "alibi", "rope")
cells = st.lists(
    st.tuples(*[st.integers(0, 2).map(float) for _ in NAMES]), min_size=1, max_size=5
).map(lambda rows: {n: dict(zip(NAMES, row, strict=True)) for n, row in enumerate(rows)})


@given(cells, st.permutations(NAMES), st.randoms(use_true_random=False))
def test_order_does_not_matter_with_fair_ties(table, names, random):
    keys = list(table)
    random.shuffle(keys)
    turned = {key: {name: table[key][name] for name in names} for key in keys}
    assert reciprocal_ranks(turned) == pytest.approx(reciprocal_ranks(table))
    assert reciprocal_ranks(table, encodings=names) == pytest.approx(reciprocal_ranks(table))


def test_order_decides_published_ties():
    table = {"cell": {"rope": 0.0, "ape": 0.0, "nope": 1.0}}
    found = {
        reciprocal_ranks(table, "published", order)["ape"] for order in permutations(table["cell"])
    }
    assert found == {1 / 2, 1 / 3}
    turned = {"cell": dict(reversed(table["cell"].items()))}
    assert reciprocal_ranks(turned, "published")["ape"] == 1 / 2
    assert reciprocal_ranks(table, "published")["ape"] == 1 / 3


@given(cells)
def test_published_ties_have_a_constant_sum(table):
    harmonic = sum(1 / rank for rank in range(1, len(NAMES) + 1))
    assert sum(reciprocal_ranks(table, "published").values()) == pytest.approx(harmonic)
    assert sum(reciprocal_ranks(table).values()) <= harmonic + 1e-9


def test_incomplete_cells_are_dropped():
    table = {
        1: {"nope": 0.9, "t5": 0.5},
        2: {"nope": 0.1, "t5": math.nan},
        3: {"t5": 0.7},
    }
    assert complete(table, ["nope", "t5"]) == [1]
    assert reciprocal_ranks(table) == {"nope": 1.0, "t5": 0.5}
    assert appearance(table) == {"nope": 2, "t5": 2}
    assert complete(table, ["t5"]) == [1, 3]
    with pytest.raises(InputError, match="no cell has a score for all of nope, rope"):
        reciprocal_ranks(table, encodings=["nope", "rope"])
    with pytest.raises(InputError, match="no cell"):
        reciprocal_ranks({})
    with pytest.raises(InputError, match="Did you mean 'fair'"):
        reciprocal_ranks(table, "fare")


def test_the_published_tie_order_favours_rotary():
    """Accuracies of one published cell: copying a repeated symbol, where two encodings have 0."""
    cell = {"rope": 0.0, "alibi": 0.289, "t5": 0.771, "sinusoidal": 0.0, "nope": 0.986}
    found = reciprocal_ranks({("copy", 0): cell}, "published")
    assert list(found) == ["nope", "t5", "alibi", "rope", "sinusoidal"]
    assert found["rope"] == 1 / 4
    fair = reciprocal_ranks({("copy", 0): cell})
    assert fair["rope"] == fair["sinusoidal"] == 1 / 4.5


def result(position: str, correct: dict[int, int], seed: int = 0, steps: int = 5) -> RunResult:
    spec = RunSpec.create(
        task="parity", position=position, seed=seed, training={"length": (1, 4), "steps": steps}
    )
    inside = AccuracyByLength(low=1, high=4, correct={4: 1}, total={4: 10})
    outside = [
        AccuracyByLength(low=n, high=n, correct={n: right}, total={n: 10})
        for n, right in correct.items()
    ]
    return RunResult(
        spec=spec, steps=1, stopped="steps", bins=(inside, *outside), history=(), seconds=0.0,
        environment={},
    )  # fmt: skip


def test_runs_that_differ_in_their_encoding_alone_share_a_cell():
    table = rank_table(
        [
            result("nope", {5: 8, 6: 4}),
            result("rope", {5: 1, 6: 0}),
            result("rope", {5: 9, 6: 9}, seed=1),
            result("nope", {5: 9, 6: 9}, steps=6),
            result("alibi", {}),
        ]
    )
    rows = list(table.values())
    assert rows == [{"nope": 0.6, "rope": 0.05}, {"rope": 0.9}, {"nope": 0.9}]
    assert [(cell.task, cell.seed) for cell in table] == [
        ("parity", 0),
        ("parity", 1),
        ("parity", 0),
    ]
    assert reciprocal_ranks(table) == {"nope": 1.0, "rope": 0.5}
