"""Whole-number rows: solutions satisfy them, proofs are checked, brute force agrees."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.core.integer_rows import (
    Cases,
    Divide,
    Farkas,
    GaveUpError,
    LinearRow,
    refutes,
    solve,
)

coefficients = st.dictionaries(st.integers(0, 2), st.integers(-4, 4), max_size=3)
systems = st.lists(
    st.builds(LinearRow.of, coefficients, st.integers(-6, 8), equal=st.booleans()),
    min_size=1,
    max_size=5,
)


def by_trying(rows, largest=8):
    points = product(range(largest + 1), repeat=3)
    return next((p for p in points if all(row.holds(p) for row in rows)), None)


def no_reason(split):
    return False


@settings(max_examples=150, deadline=None)
@given(systems)
def test_a_solution_satisfies_the_rows_and_a_proof_is_one(rows):
    try:
        result = solve(rows, 3, nodes=60)
    except GaveUpError:
        return
    if isinstance(result, tuple):
        assert min(result) >= 0
        assert all(row.holds(result) for row in rows)
    else:
        assert refutes(result, rows, no_reason)
        assert by_trying(rows) is None


@settings(max_examples=150, deadline=None)
@given(systems, st.data())
def test_no_proof_refutes_rows_that_have_a_solution(rows, data):
    """Whatever the leaf says: where there is a solution, it is not accepted."""
    if by_trying(rows) is None:
        return
    numbers = data.draw(st.lists(st.integers(-4, 4), min_size=len(rows), max_size=len(rows)))
    modulus = data.draw(st.integers(-1, 5))
    assert not refutes(Farkas(tuple(numbers)), rows, no_reason)
    assert not refutes(Divide(tuple(numbers), modulus), rows, no_reason)


def test_divisibility_is_seen_without_bounds():
    rows = [LinearRow.of({0: 2, 1: 4, 2: 2}, 3, equal=True)]
    assert isinstance(solve(rows, 3), Divide)
    rows = [LinearRow.of({0: 2, 1: 1}, 1, equal=True), LinearRow.of({1: 1, 2: 2}, 0, equal=True)]
    assert refutes(solve(rows, 3), rows, no_reason)


def test_a_bound_is_rounded_up_for_whole_numbers():
    rows = [LinearRow.of({0: 3, 1: -3}, 1), LinearRow.of({0: -3, 1: 3}, -2)]
    assert isinstance(solve(rows, 2), Farkas)


def test_splits_must_cover_all_whole_numbers():
    rows = [
        LinearRow(((0, 2),), 3),
        LinearRow(((0, -2),), -3),
    ]  # 2x == 3, without its common factor
    proof = solve(rows, 1)
    assert isinstance(proof, Cases)
    assert refutes(proof, rows, no_reason)
    (low, below), (high, above) = proof.branches
    for branches in [
        ((low, below),),
        ((low, below), ((replace(high[0], bound=high[0].bound + 1),), above)),
        ((low, below), ((replace(high[0], terms=((0, 2),)),), above)),
        ((low, below), ((replace(high[0], equal=True),), above)),
    ]:
        assert not refutes(Cases(proof.reason, branches), rows, no_reason)


def test_a_leaf_of_another_size_is_refused():
    rows = [LinearRow.of({0: 1}, 1), LinearRow.of({0: -1}, 0)]
    assert refutes(Farkas((1, 1)), rows, no_reason)
    assert not refutes(Farkas((1, 1, 0)), rows, no_reason)
    assert not refutes(Farkas((1,)), rows, no_reason)
    equal = [LinearRow.of({0: 2}, 1, equal=True)]
    assert refutes(Divide((1,), 2), equal, no_reason)
    assert not refutes(Divide((1, 0), 2), equal, no_reason)


def test_too_many_nodes_are_given_up():
    rows = [
        LinearRow(((0, 2), (1, -2)), 1),
        LinearRow(((0, -2), (1, 2)), -1),
    ]  # 2x - 2y == 1, unbounded
    with pytest.raises(GaveUpError):
        solve(rows, 2, nodes=20)
