"""Separation, injectivity, functionality and coverage; and users' own gates."""

from itertools import product

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.relations.gates import Gate, wiring_of
from lengthwise.relations.library import CONTROLS, STEP_CIRCUITS, circuit, step_circuit
from lengthwise.relations.own_circuit import user_family
from lengthwise.relations.relation import (
    IdealRelation,
    absolute,
    constant,
    ideal_relation,
    relative,
)
from lengthwise.relations.symbols import ZERO
from lengthwise.theory.circuits.checks import coverage, injectivity, separation, truth_tables

EXHAUSTIVE = {"addition": 20_000, "multiplication": 4_600, "division": 4_500}


@pytest.mark.parametrize("layout", ["aligned", "unaligned"])
@pytest.mark.parametrize("name", sorted(STEP_CIRCUITS))
def test_ideal_absolute_and_relative_separate(name, layout):
    family = step_circuit(name, layout=layout)
    for relation in (ideal_relation(family), absolute, relative):
        assert separation(family, relation, 6) == []
        assert injectivity(family, relation, 6) == []
    assert separation(family, constant, 3)


def test_symmetric_slots_may_share_a_value():
    addition = step_circuit("addition", layout="unaligned")

    def merged(query, key, scale):
        value = addition.relation(query, key, scale)
        return np.array([0, 1, 1, 3, 3, 5])[value]

    assert injectivity(addition, merged, 4) == []
    multiplication = step_circuit("multiplication", layout="unaligned")

    def confused(query, key, scale):
        value = multiplication.relation(query, key, scale)
        return np.array([0, 1, 1, 3, 4])[value]

    clash = injectivity(multiplication, confused, 2)[0]
    assert (clash.scale, clash.query, clash.slot) == (1, 5, 1)


def _interior_rows(name):
    """Rows of the third step over all instances of scale 3."""
    family = step_circuit(name, layout="unaligned")
    widths = [3 if part.long else 1 for part in family.fields]
    grids = [range(part.low, part.high + 1) for part in family.fields]
    spaces = [grid for grid, width in zip(grids, widths, strict=True) for _ in range(width)]
    digits = np.array(list(product(*spaces)))
    parts = np.split(digits, np.cumsum(widths)[:-1], axis=1)
    tokens = family.encode({p.name: d for p, d in zip(family.fields, parts, strict=True)})
    gate = family.gates(3)[2]
    return tokens[:, np.array(gate.arguments) - 1] - ZERO, tokens[:, gate.query] - ZERO


@pytest.mark.parametrize("name", sorted(EXHAUSTIVE))
def test_interior_truth_tables_are_functions_with_the_known_sizes(name):
    rows, outputs = _interior_rows(name)
    key = np.ravel_multi_index(rows.T, (10,) * rows.shape[1])
    assert len(np.unique(key)) == EXHAUSTIVE[name]
    assert len(np.unique(key * 10 + outputs)) == EXHAUSTIVE[name]


@pytest.mark.parametrize(("name", "rows"), [("copy", 11), ("parity", 8), ("shift", 1110)])
def test_small_truth_tables_have_the_known_sizes(name, rows):
    family = step_circuit(name, layout="unaligned")
    tables = truth_tables(family, range(1, 6), np.random.default_rng(0), 4000)
    assert len(tables[name]) == rows


@pytest.mark.parametrize("layout", ["aligned", "zero", "unaligned"])
@pytest.mark.parametrize("name", [*sorted(STEP_CIRCUITS), *sorted(CONTROLS), "select-last"])
def test_every_family_is_a_function(name, layout):
    family = circuit(name, layout=layout, reference=6)
    assert truth_tables(family, range(1, 7), np.random.default_rng(3), 100)


@pytest.mark.parametrize(
    ("name", "rows", "unseen"),
    [
        ("addition", 12_150, 0.35),
        ("multiplication", 4_560, 0.065),
        ("division", 4_440, 0.073),
        ("shift", 1_110, 0.0),
        ("copy", 11, 0.0),
        ("parity", 8, 0.0),
    ],
)
def test_coverage_is_that_of_the_notes(name, rows, unseen):
    found = coverage(step_circuit(name, layout="unaligned"))
    assert found.rows_seen == pytest.approx(rows, rel=0.02)
    assert found.unseen == pytest.approx(unseen, abs=0.01)


class Echo:
    """A user's task: read ``x_1 .. x_n =`` and write it reversed."""

    name = "reverse"

    def gates(self, scale):
        return [Gate(scale + t, "copy", (scale + 1 - t,)) for t in range(1, scale + 1)]

    def sample(self, scale, rng):
        word = rng.choice(list("abc"), scale).tolist()
        return [*word, "=", *reversed(word)]


def test_a_users_gates_get_their_ideal_relation():
    family = user_family(Echo, "mine.py:Echo")
    phi = ideal_relation(family)
    assert isinstance(phi, IdealRelation)
    query = 3 + np.arange(1, 4)
    assert phi(query, [3, 2, 1], 3).tolist() == [1, 1, 1]
    assert phi(query[:, None], np.arange(1, 7), 3).sum() == 3
    assert phi([4, 5], [3, 4], [3, 4]).tolist() == [1, 1]
    assert separation(family, phi, 6) == []
    assert len(truth_tables(family, range(1, 6), np.random.default_rng(0))["copy"]) == 3


def _family(gates, sample=None):
    members = {"name": "mine", "gates": lambda self, scale: gates}
    if sample is not None:
        members["sample"] = lambda self, scale, rng: sample(rng)
    return user_family(type("Mine", (), members), "mine.py:Mine")


def test_future_positions_are_named():
    with pytest.raises(
        InputError,
        match=r"mine, scale 2, gate 2 \(copy\): slot 1 looks at position 6, after its query "
        r"position 5; arguments must be at positions 1 to 5",
    ):
        wiring_of(_family([Gate(4, "copy", (1,)), Gate(5, "copy", (6,))]), 2)


def test_positions_below_one_and_foreign_values_are_named():
    with pytest.raises(InputError, match="slot 2 is position 0"):
        wiring_of(_family([Gate(4, "copy", (1, 0))]), 2)
    with pytest.raises(InputError, match="query position 0"):
        wiring_of(_family([Gate(0, "copy", ())]), 2)
    with pytest.raises(InputError, match="a Gate is needed"):
        wiring_of(_family([(4, "copy", (1,))]), 2)
    with pytest.raises(InputError, match="a list is needed"):
        wiring_of(_family(None), 2)
    with pytest.raises(InputError, match=r"needs a method gates\(scale\)"):
        user_family(3, "mine.py:three")


def test_conflicting_truth_tables_are_named():
    family = _family([Gate(2, "next", (1,))], lambda rng: ["a", "=", str(rng.integers(2))])
    with pytest.raises(
        InputError,
        match=r"operator 'next' at scale 1: slot 1 = a gives both 0 and 1|"
        r"operator 'next' at scale 1: slot 1 = a gives both 1 and 0",
    ):
        truth_tables(family, [1], np.random.default_rng(0))


def test_samples_that_do_not_fit_the_gates_are_named():
    short = _family([Gate(4, "copy", (1,))], lambda rng: ["a", "b"])
    with pytest.raises(InputError, match="have 2 tokens, but a gate writes token 5"):
        truth_tables(short, [1], np.random.default_rng(0))
    ragged = _family([Gate(1, "copy", (1,))], lambda rng: ["a"] * int(rng.integers(2, 5)))
    with pytest.raises(InputError, match="positions may depend on the scale only"):
        truth_tables(ragged, [1], np.random.default_rng(0))
    with pytest.raises(InputError, match=r"add a method sample\(scale, rng\)"):
        truth_tables(_family([Gate(1, "copy", (1,))]), [1], np.random.default_rng(0))
