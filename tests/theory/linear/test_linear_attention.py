"""Position-only linear attention: the table of known errors, and both theorems."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.theory.linear.demonstrations import TARGETS, target
from lengthwise.theory.linear.fitting import train
from lengthwise.theory.linear.lrc import (
    classes_by_scale,
    lrc,
    lrc_by_scale,
    lrc_nonzero,
)
from lengthwise.theory.linear.partitions import (
    ENCODINGS,
    absolute,
    from_relation,
    ideal,
    relative,
    rotary_basis,
    set_partitions,
)
from lengthwise.theory.linear.position_only import (
    cells,
    triangular,
)
from lengthwise.theory.linear.theorems import (
    count_generalizing,
    exhaustive_check,
    generalizing_fraction,
    some_encoding_generalizes,
    theorem1_dimensions,
)

N0, N = 4, 10

# target: LRC(4), LRC(10), then (train, test) for APE, RPE, ideal; ">" marks a lower bound.
GOLDEN = {
    "banded": (3, 3, (0, 1.0), (0, 0), (0, 0)),
    "sum": (1, 1, (0, 1.0), (0, 1.0), (0, 0)),
    "select-first": (2, 2, (0, 1.0), (">1", ">1"), (0, 0)),
    "select-middle": (2, 2, (0, 1.0), (">1", ">1"), (0, 0)),
    "mean": (4, 10, (0, 0.2), (">0.5", ">0.5"), (0, 0.2)),
    "decay": (4, 10, (0, 1.0), (0, 0.0625), (0, 0.0625)),
    "uniform": (10, 55, (0, ">0.9"), (">1", ">1"), (0, ">0.9")),
    "reuse": (10, 10, (0, ">0.9"), (">1", ">1"), (0, 0)),
}


def encoding_generalizes(matrix, partition, n0):
    """Whether a partition extrapolates: constant on classes seen before n0, 0 on unseen ones."""
    seen = {}
    for j in range(len(matrix)):
        for i in range(j + 1):
            value = seen.get(partition[i, j], 0.0)
            if j < n0:
                value = seen[partition[i, j]] = matrix[i, j]
            elif abs(matrix[i, j] - value) > 1e-9:
                return False
    return all(
        abs(matrix[i, j] - seen[partition[i, j]]) <= 1e-9 for j in range(n0) for i in range(j + 1)
    )


def _holds(value, wanted):
    if isinstance(wanted, str):
        return value > float(wanted[1:])
    return value == pytest.approx(wanted, abs=1e-9)


def test_the_table_lists_every_target():
    assert set(GOLDEN) == set(TARGETS)


@pytest.mark.parametrize("trainer", ["closed", "gradient"])
@pytest.mark.parametrize("name", TARGETS)
def test_golden_table(name, trainer):
    small, large, *fits = GOLDEN[name]
    matrix = target(name, N, n0=N0)
    assert (lrc_by_scale(matrix)[[N0 - 1, N - 1]] == [small, large]).all()
    for encoding, wanted in zip(("ape", "rpe", "ideal"), fits, strict=True):
        fit = train(matrix, ENCODINGS[encoding](matrix), N0, trainer=trainer)
        assert _holds(fit.residual, wanted[0])
        assert _holds(fit.error, wanted[1])


@pytest.mark.parametrize("name", TARGETS)
def test_advice_changes_the_input_coding_only(name):
    matrix = target(name, N, n0=N0)
    for encoding in ("ape", "rpe", "ideal"):
        partition = ENCODINGS[encoding](matrix)
        plain, advised = (train(matrix, partition, N0, inputs=i) for i in ("gaussian", "signs"))
        assert (plain.residual < 1e-9) == (advised.residual < 1e-9)
        if plain.residual < 1e-9:
            assert advised.matrix == pytest.approx(plain.matrix, abs=1e-9)


@pytest.mark.parametrize("name", TARGETS)
def test_theorem_two_on_trained_matrices(name):
    matrix = target(name, N, n0=N0)
    for strict in (True, False):
        predicted = some_encoding_generalizes(matrix, N0, strict=strict)
        assert train(matrix, ideal(matrix), N0).generalizes() == predicted
    for encoding in ("ape", "rpe", "nope", "ideal"):
        partition = ENCODINGS[encoding](matrix)
        assert train(matrix, partition, N0).generalizes() == encoding_generalizes(
            matrix, partition, N0
        )


@pytest.mark.parametrize("n0", [1, 2, 4, 7])
def test_growing_complexity_fails_by_the_predicted_errors(n0):
    for name, error in {"mean": 1 / (n0 + 1), "decay": 0.5**n0}.items():
        matrix = target(name, N)
        fit = train(matrix, ideal(matrix), n0)
        assert fit.residual < 1e-12
        assert fit.errors[:n0].max() < 1e-12
        assert fit.error == pytest.approx(error, abs=1e-12)
        assert fit.errors[n0] == pytest.approx(error, abs=1e-12)


@pytest.mark.parametrize("init", [0, None])
def test_theorem_two_exhaustively(init):
    assert exhaustive_check(2, 3, 4, init=init) == (0, 4096)
    assert exhaustive_check(1, 3, 3, init=init) == (0, 729)


def test_the_exhaustive_reasoning_agrees_with_least_squares():
    rng = np.random.default_rng(0)
    partitions = list(set_partitions(6))
    assert len(partitions) == 203
    order = np.argsort(np.triu_indices(3)[1], kind="stable")
    for _ in range(150):
        matrix, table = np.zeros((3, 3)), np.full((3, 3), -1)
        above = tuple(index[order] for index in np.triu_indices(3))
        matrix[above] = rng.integers(0, 3, 6)
        table[above] = partitions[rng.integers(203)]
        assert train(matrix, table, 2).generalizes() == encoding_generalizes(matrix, table, 2)


def test_theorem_one_by_counting():
    sizes = theorem1_dimensions(5, 20)
    assert (sizes.concepts, sizes.concepts_given_block) == (210, 195)
    assert (sizes.generalizing_given_block, sizes.generalizing) == (0, 15)
    block = [[1, 2], [0, 3]]
    shares = {}
    for levels in (4, 8, 16, 32):
        count, total = count_generalizing(block, levels, 3)
        shares[levels] = count / total
        assert shares[levels] == pytest.approx(generalizing_fraction(block, levels, 3), rel=1e-12)
    slopes = np.diff(np.log2(list(shares.values())))
    assert slopes == pytest.approx(-(cells(3) - cells(2)))
    assert count_generalizing([[1, 1], [0, 0]], 2, 3) == (8, 8)


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_counted_share_is_the_formula_for_any_block(seed, levels):
    block = np.triu(np.random.default_rng(seed).integers(0, levels, (2, 2)))
    count, total = count_generalizing(block, levels, 3)
    assert count / total == pytest.approx(generalizing_fraction(block, levels, 3), rel=1e-12)


def test_the_order_of_classes_does_not_matter():
    matrix = target("decay", 8)
    shuffled = np.random.default_rng(0).permutation(8)[relative(8)]
    shuffled[np.tril_indices(8, -1)] = -1
    first, second = train(matrix, relative(8), 4), train(matrix, shuffled, 4)
    assert first.matrix == pytest.approx(second.matrix, abs=1e-12)


@given(st.integers(1, 8), st.integers(0, 10_000), st.integers(1, 5))
def test_lrc_laws(n, seed, levels):
    rng = np.random.default_rng(seed)
    matrix = np.triu(rng.integers(0, levels, (n, n)).astype(float))
    values = {matrix[i, j] for i in range(n) for j in range(i, n)}
    assert lrc(matrix) == len(values)
    assert lrc_nonzero(matrix) == len(values - {0.0})
    series = lrc_by_scale(matrix)
    assert series.tolist() == [lrc(matrix[:k, :k]) for k in range(1, n + 1)]
    assert lrc_by_scale(matrix, nonzero=True).tolist() == [
        lrc_nonzero(matrix[:k, :k]) for k in range(1, n + 1)
    ]
    assert (np.diff(series) >= 0).all()
    assert series[-1] == len(values)
    assert classes_by_scale(ideal(matrix)).tolist() == series.tolist()
    shuffled = rng.permutation(levels).astype(float)[matrix.astype(int)]
    assert lrc(np.triu(shuffled)) == lrc(matrix)


def test_tolerance_groups_learnt_values():
    noisy = np.triu(np.ones((5, 5)) + 1e-8 * np.random.default_rng(0).uniform(size=(5, 5)))
    assert lrc(noisy) > 1
    assert lrc(noisy, 1e-6) == 1
    assert ideal(noisy, 1e-6).max() == 0


def test_encodings_as_relations():
    assert np.array_equal(from_relation(lambda i, j: j - i, 5), relative(5))
    assert classes_by_scale(absolute(6)).tolist() == [cells(n) for n in range(1, 7)]
    basis = rotary_basis(6, [0.3, 1.1])
    mixed = np.tensordot([1.0, -2.0, 0.5, 0.1], basis, 1)
    assert mixed[1, 4] == pytest.approx(
        np.cos(0.9) - 2 * np.cos(3.3) + 0.5 * np.sin(0.9) + 0.1 * np.sin(3.3)
    )
    assert train(mixed, basis, 4).error < 1e-9


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 2], [3, 4]], r"entry \(2, 1\) below the diagonal is 3"),
        ([[1, 2, 3]], r"shape \(1, 3\); a square matrix"),
        ([[1, float("nan")], [0, 1]], r"entry \(1, 2\) is not a finite number"),
        ([["a"]], "entries must be real numbers"),
    ],
)
def test_bad_matrices_are_named(matrix, message):
    with pytest.raises(InputError, match=message):
        triangular(matrix)


def test_targets_from_files(tmp_path):
    path = tmp_path / "mine.npy"
    np.save(path, np.triu(np.ones((6, 6))))
    assert target(str(path), 5).shape == (5, 5)
    with pytest.raises(InputError, match="6 rows; scale 7 was asked for"):
        target(str(path), 7)
    np.save(path, np.ones((6, 6)))
    with pytest.raises(InputError, match=r"entry \(2, 1\) below the diagonal"):
        target(str(path), 5)
    path.write_text("not numpy")
    with pytest.raises(InputError, match=r"not a numeric \.npy file"):
        target(str(path), 5)
    with pytest.raises(InputError, match="there is no such file"):
        target(str(tmp_path / "absent.npy"), 5)


def test_bad_options_are_named():
    matrix = target("sum", 5)
    with pytest.raises(InputError, match="Did you mean 'decay'"):
        target("decey", 5)
    with pytest.raises(InputError, match="need 1 <= n0 <= 5"):
        train(matrix, relative(5), 6)
    with pytest.raises(InputError, match="unknown trainer 'adam'"):
        train(matrix, relative(5), 2, trainer="adam")
    with pytest.raises(InputError, match="unknown inputs 'bits'"):
        train(matrix, relative(5), 2, inputs="bits")
    with pytest.raises(InputError, match="too many cases"):
        exhaustive_check(2, 5, 4)
    with pytest.raises(InputError, match="need 1 <= n0 < n"):
        exhaustive_check(3, 3)
