"""Layouts, gates and relations of the step-by-step tasks, against worked examples."""

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.relations.formulas import fit_formulas
from lengthwise.relations.library import SELECT_CIRCUITS, STEP_CIRCUITS, circuit, step_circuit
from lengthwise.relations.relation import ideal_table
from lengthwise.relations.select_circuits import SelectCircuit
from lengthwise.relations.step_circuits import LAYOUTS
from lengthwise.relations.symbols import codes, text

TASKS = sorted(STEP_CIRCUITS)

# task, layout, reference, operands, sequence, {query: {slot: (position, token)}}
WORKED = [
    ("copy", "unaligned", 20, {"x": "314"}, "< 3 1 4 = 3 1 4 >", {5: {1: 2}, 7: {1: 4}, 8: {}}),
    (
        "copy",
        "aligned",
        4,
        {"x": "72"},
        "< 7 2 _ _ _ _ = 7 2 >",
        {8: {1: 2}, 9: {1: 3}, 10: {1: 4}},
    ),
    (
        "shift",
        "unaligned",
        20,
        {"x": "314"},
        "< 3 1 4 = 1 4 3 >",
        {5: {1: 3, 2: 2, 3: 2}, 6: {1: 4, 2: 3, 3: 2}, 7: {2: 4, 3: 2}, 8: {3: 2}},
    ),
    (
        "shift",
        "aligned",
        4,
        {"x": "59"},
        "< 5 9 _ _ _ _ = 9 5 >",
        {9: {1: 4, 2: 3, 3: 2}, 10: {1: 5, 2: 4, 3: 2}},
    ),
    ("shift-drop-first", "unaligned", 20, {"x": "314"}, "< 3 1 4 = 1 4 >", {5: {1: 3}, 7: {}}),
    (
        "parity",
        "unaligned",
        20,
        {"x": "1011"},
        "< 1 0 1 1 = 1 1 0 1 >",
        {6: {1: 2, 2: 6}, 9: {1: 5, 2: 9}, 10: {2: 10}},
    ),
    ("parity", "aligned", 4, {"x": "11"}, "< 1 1 _ _ _ _ = 1 0 >", {9: {1: 3, 2: 9}}),
    (
        "addition",
        "unaligned",
        20,
        {"a": "75", "b": "86"},
        "< 7 5 + 8 6 = 5 2 1 >",
        {
            7: {1: 2, 2: 5, 5: 7},
            8: {1: 3, 2: 6, 3: 2, 4: 5, 5: 8},
            9: {3: 3, 4: 6, 5: 9},
            10: {5: 10},
        },
    ),
    (
        "addition",
        "aligned",
        3,
        {"a": "999", "b": "100"},
        "< 9 9 9 _ _ + 1 0 0 _ _ = 0 0 0 1 >",
        {14: {1: 3, 2: 9, 3: 2, 4: 8, 5: 14}, 16: {1: 5, 2: 11, 3: 4, 4: 10, 5: 16}},
    ),
    (
        "multiplication",
        "unaligned",
        20,
        {"b": "7", "a": "843"},
        "< 7 * 8 4 3 = 6 3 4 2 >",
        {7: {1: 4, 2: 2, 4: 7}, 8: {1: 5, 2: 2, 3: 4, 4: 8}, 10: {2: 2, 3: 6, 4: 10}},
    ),
    (
        "multiplication",
        "aligned",
        2,
        {"b": "9", "a": "99"},
        "< 9 * 9 9 _ _ = 1 9 8 >",
        {8: {1: 4, 2: 2, 4: 8}, 10: {1: 6, 2: 2, 3: 5, 4: 10}},
    ),
    (
        "division",
        "unaligned",
        20,
        {"a": "745", "b": "3"},
        "< 7 4 5 / 3 = 2 4 8 >",
        {7: {1: 2, 2: 6, 4: 7}, 8: {1: 3, 2: 6, 3: 2, 4: 8}, 9: {1: 4, 2: 6, 3: 3, 4: 9}},
    ),
    (
        "division",
        "aligned",
        3,
        {"a": "100", "b": "7"},
        "< 1 0 0 _ _ / 7 = 0 1 4 >",
        {9: {1: 2, 2: 8, 4: 9}, 11: {1: 4, 2: 8, 3: 3, 4: 11}, 12: {1: 5, 2: 8, 3: 4, 4: 12}},
    ),
]


@pytest.mark.parametrize(("name", "layout", "reference", "operands", "line", "steps"), WORKED)
def test_worked_examples(name, layout, reference, operands, line, steps):
    family = step_circuit(name, layout=layout, reference=reference)
    digits = {field: np.array([[int(c) for c in word]]) for field, word in operands.items()}
    tokens = family.encode(digits)[0]
    assert text(tokens) == line if line.endswith(">") else text(tokens) == line + " >"
    gates = (
        {gate.query: gate for gate in family.gates(digits[family.fields[0].name].shape[1])}
        if (family.fields[0].long)
        else {gate.query: gate for gate in family.gates(digits["a"].shape[1])}
    )
    for query, slots in steps.items():
        present = {s: p for s, p in enumerate(gates[query].arguments, 1) if p is not None}
        assert present == slots


def _number(digits, high_first):
    ordered = digits if high_first else digits[:, ::-1]
    return [int("".join(map(str, row))) for row in ordered.tolist()]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["addition", "multiplication", "division"])
def test_answers_are_integer_arithmetic(name, layout):
    family = step_circuit(name, layout=layout)
    rng = np.random.default_rng(1)
    high = name == "division"
    for scale in (1, 2, 5, 20):
        operands = family.draw(scale, rng, 300)
        tokens = family.encode(operands)
        written = tokens[:, family.prompt_length(scale) :]
        answer = written if layout == "zero" else written[:, :-1]
        a, b = (_number(operands[field], high) for field in "ab")
        rule = {
            "addition": lambda a, b: a + b,
            "multiplication": lambda a, b: a * b,
            "division": lambda a, b: a // b,
        }[name]
        expected = [rule(x, y) for x, y in zip(a, b, strict=True)]
        assert _number(answer - codes("0")[0], high) == expected


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", TASKS)
def test_the_operator_alone_writes_every_output(name, layout):
    family = step_circuit(name, layout=layout)
    rng = np.random.default_rng(2)
    for scale in range(1, 21):
        tokens = family.sample(scale, rng, 100)
        assert tokens.shape == (100, family.length(scale))
        assert np.array_equal(family.run(tokens, scale), tokens)


@pytest.mark.parametrize("null", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", TASKS)
def test_closed_formula_equals_the_relation_from_gates(name, layout, null):
    family = step_circuit(name, layout=layout)
    for scale in range(1, 21):
        table = ideal_table(family, scale, null=null)
        place = np.arange(1, len(table) + 1)
        value = family.relation(place[:, None], place[None, :], scale, null=null)
        assert np.array_equal(value, table)


@pytest.mark.parametrize("begin", [False, True])
@pytest.mark.parametrize("name", sorted(SELECT_CIRCUITS))
def test_select_relation_and_tokens(name, begin):
    family = SelectCircuit(SELECT_CIRCUITS[name].which, begin)
    pick = {"first": 1, "middle": None, "last": None}[family.which]
    for scale in range(1, 21):
        wanted = {"first": 1, "middle": -(-scale // 2), "last": scale}[family.which]
        tokens = family.sample(scale, np.random.default_rng(scale), 20)
        assert np.array_equal(tokens[:, -1], tokens[:, wanted - 1 + begin])
        table = ideal_table(family, scale)
        place = np.arange(1, len(table) + 1)
        assert np.array_equal(family.relation(place[:, None], place, scale), table)
        assert family.relation(scale + 1 + begin, place).tolist() == table[-1].tolist()
    assert pick in (1, None)


@pytest.mark.parametrize("name", TASKS)
def test_relation_broadcasts_over_mixed_scales(name):
    family = step_circuit(name, layout="unaligned")
    scales, place = np.array([1, 4, 2]), np.arange(1, 30)
    batch = family.relation(place[None, :, None], place[None, None, :], scales[:, None, None])
    for row, scale in zip(batch, scales, strict=True):
        assert np.array_equal(row, family.relation(place[:, None], place[None, :], int(scale)))


@pytest.mark.parametrize("name", TASKS)
def test_scale_hint_is_the_aligned_relation_of_moved_positions(name):
    natural, aligned = (step_circuit(name, layout=layout) for layout in ("unaligned", "aligned"))
    for scale in range(1, 21):
        moved = aligned.aligned_positions(scale)
        assert len(moved) == natural.length(scale)
        wiring = natural.wiring(scale)
        for query, arguments in zip(wiring.query, wiring.arguments, strict=True):
            present = arguments[arguments > 0]
            hinted = natural.relation(query, present, scale, null=False)
            assert np.array_equal(hinted, aligned.relation(moved[query - 1], moved[present - 1]))


@pytest.mark.parametrize("name", TASKS)
def test_formulas_are_recovered_from_the_gates_alone(name):
    natural = step_circuit(name, layout="unaligned")
    fitted = fit_formulas(natural, range(1, 13))
    declared = [str(formula).partition(" (")[0] for formula in natural.formulas()]
    assert [str(formula) for formula in fitted] == declared


def test_declared_formulas_match_the_published_shapes():
    # Aligned formulas of the format notes: t counts steps from 1.
    width = 22
    for name, positions in {
        "copy": lambda i, t: [i - width],
        "shift": lambda i, t: [i - width + 1, i - width, 2],
        "parity": lambda i, t: [i - width, i],
        "addition": lambda i, t: [1 + t, width + 2 + t, t, width + 1 + t, i],
        "multiplication": lambda i, t: [3 + t, 2, 2 + t, i],
        "division": lambda i, t: [1 + t, width + 3, t, i],
    }.items():
        family = step_circuit(name)
        for step in range(2, 20):
            query = family.prompt_length(20) + step - 1
            assert list(family.gates(20)[step - 1].arguments) == positions(query, step)


def test_bad_requests_are_named():
    with pytest.raises(InputError, match="scale 21 does not fit the aligned layout"):
        step_circuit("copy").wiring(21)
    with pytest.raises(InputError, match="Did you mean 'parity'"):
        circuit("paritty")
    with pytest.raises(InputError, match="unknown layout 'diagonal'"):
        step_circuit("copy", layout="diagonal")
    with pytest.raises(InputError, match="needs the scale"):
        step_circuit("copy", layout="unaligned").relation(3, 2)
    with pytest.raises(InputError, match="scale 0; scales count from 1"):
        step_circuit("copy", layout="unaligned").wiring(0)
