"""Sequential representation complexity: the table of known integers, controls, and merging."""

from itertools import combinations

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.relations.library import CONTROLS, STEP_CIRCUITS, circuit, step_circuit
from lengthwise.relations.relation import RELATIONS, ideal_relation
from lengthwise.theory.circuits.merging import merge_operators, merged_src
from lengthwise.theory.circuits.src import src_by_scale, src_verdict

# SRC at scales 5/10/20: aligned APE, RPE, IPE, then unaligned APE, RPE, IPE with scale hint.
GOLDEN = {
    "copy": "6/11/21 1/1/1 1/1/1 16/56/211 6/11/21 2/2/2",
    "shift": "6/11/21 6/11/21 1/1/1 20/65/230 20/65/230 3/3/3",
    "shift-drop-first": "5/10/20 1/1/1 1/1/1 11/46/191 5/10/20 2/2/2",
    "parity": "6/11/21 1/1/1 1/1/1 20/65/230 6/11/21 2/2/2",
    "addition": "7/12/22 2/2/2 2/2/2 25/75/250 15/30/60 4/4/4",
    "multiplication": "7/12/22 7/12/22 2/2/2 25/75/250 25/75/250 4/4/4",
    "division": "6/11/21 6/11/21 2/2/2 20/65/230 20/65/230 3/3/3",
}


def _row(name):
    cells = []
    for layout in ("aligned", "unaligned"):
        family = step_circuit(name, layout=layout)
        for relation in ("ape", "rpe", "ipe"):
            src = src_by_scale(family, relation, 20)
            cells.append("/".join(str(src[n - 1]) for n in (5, 10, 20)))
    return " ".join(cells)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_golden_table(name):
    assert _row(name) == GOLDEN[name]


def _slow_src(family, relation, scale):
    """The definition, gate by gate."""
    signatures, counts = set(), []
    for size in range(1, scale + 1):
        for gate in family.gates(size):
            values = tuple(
                None
                if place is None
                else slot
                if relation == "ipe"
                else int(RELATIONS[relation](gate.query, place, size))
                for slot, place in enumerate(gate.arguments)
            )
            signatures.add((gate.operator, values))
        counts.append(len(signatures))
    return counts


@pytest.mark.parametrize("relation", ["ape", "rpe", "nope", "ipe"])
@pytest.mark.parametrize("name", [*sorted(STEP_CIRCUITS), *sorted(CONTROLS), "select-middle"])
def test_fast_count_equals_the_definition(name, relation):
    family = circuit(name, layout="unaligned")
    assert src_by_scale(family, relation, 12).tolist() == _slow_src(family, relation, 12)


@pytest.mark.parametrize("which", ["first", "middle", "last"])
def test_selection_has_one_operator_under_its_ideal_relation(which):
    family = circuit(f"select-{which}")
    assert src_by_scale(family, "ipe", 20).tolist() == [1] * 20
    assert src_by_scale(family, ideal_relation(family), 20).tolist() == [1] * 20


def test_zero_layout_counts_only_steps_that_read_drawn_digits():
    for name in STEP_CIRCUITS:
        family = step_circuit(name, layout="zero", reference=21)
        assert src_verdict(family, "ape").answer == "no"
        assert src_verdict(family, "ipe").answer == "yes"


def test_zero_layout_has_an_edge_step_at_full_width():
    # The step that reads past the last digit meets drawn digits only when the field is full.
    for name in ("shift", "addition", "multiplication", "division"):
        src = src_by_scale(step_circuit(name, layout="zero", reference=20), "ipe", 20)
        assert src[-1] == src[-2] + 1


def test_verdicts_follow_the_papers_parity_figure():
    parity = step_circuit("parity")
    answers = {name: src_verdict(parity, name).answer for name in ("ape", "rpe", "ipe", "nope")}
    assert answers == {"ape": "no", "rpe": "yes", "ipe": "yes", "nope": "undecided"}
    assert src_verdict(parity, "ipe").kind == "conjecture"


@pytest.mark.parametrize("name", ["parity-direct", "addition-high-first", "multiplication-square"])
def test_negative_controls_grow_under_every_relation(name):
    family = circuit(name)
    for relation in ("ape", "rpe", "nope", "ipe"):
        assert src_verdict(family, relation, train_scale=4, scale=10).answer == "no"
    assert merged_src(family, 4)[-1] > merged_src(family, 4)[0]


def test_carry_tokens_need_two_operators_at_every_scale():
    family = circuit("addition-carry")
    assert merged_src(family, 5).tolist() == [2] * 5
    assert len(set(src_by_scale(family, "ipe", 20)[2:].tolist())) == 1


def _fewest_groups(tables):
    """Brute force: the least number of groups without an inner contradiction."""
    names = list(tables)
    clash = {
        (a, b)
        for a, b in combinations(names, 2)
        if any(tables[b].get(row, out) != out for row, out in tables[a].items())
    }

    def fits(index, groups, limit):
        if index == len(names):
            return True
        for group in [*groups, []] if len(groups) < limit else groups:
            if all((member, names[index]) not in clash for member in group):
                rest = [g for g in groups if g is not group]
                if fits(index + 1, [*rest, [*group, names[index]]], limit):
                    return True
        return False

    return next(k for k in range(1, len(names) + 1) if fits(0, [], k))


def test_greedy_merging_is_sound_and_near_the_optimum():
    rng = np.random.default_rng(0)
    for _ in range(30):
        tables = {
            f"o{k}": {(int(r),): int(rng.integers(2)) for r in rng.choice(6, 3, replace=False)}
            for k in range(5)
        }
        groups = merge_operators(tables)
        assert sorted(name for group in groups for name in group) == sorted(tables)
        for group in groups:
            for a, b in combinations(group, 2):
                assert all(tables[b].get(row, out) == out for row, out in tables[a].items())
        assert len(groups) >= _fewest_groups(tables)


def test_operators_named_by_step_merge_into_one():
    parity = step_circuit("parity", layout="unaligned")

    class Named:
        name = "parity by step"

        def gates(self, scale):
            from dataclasses import replace

            gates = parity.gates(scale)
            return [replace(gate, operator=f"step {t}") for t, gate in enumerate(gates)]

        def sample(self, scale, rng, count):
            return parity.sample(scale, rng, count)

    assert src_by_scale(Named(), "ipe", 6)[-1] > 6
    assert merged_src(Named(), 6).tolist() == [1] * 6


def test_growing_arity_is_refused_before_memory_runs_out(monkeypatch):
    monkeypatch.setattr("lengthwise.theory.circuits.src.LARGEST", 100_000)
    with pytest.raises(InputError, match="their arity grows"):
        src_by_scale(circuit("addition-high-first"), "ape", 1000)
