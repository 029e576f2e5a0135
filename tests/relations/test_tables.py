"""Relations as encodings: where they come from, and that the ideal encoding obeys its formula."""

import math

import numpy as np
import pytest
import torch

from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions import load_position
from lengthwise.positions.base import Places, Shape, shared_positions
from lengthwise.relations.expressions import evaluate_pairs, read_function
from lengthwise.relations.library import NAMES, circuit
from lengthwise.relations.tables import read_relation, save_table
from lengthwise.tasks import load_task

SHAPE = Shape(layers=2, heads=2, head_width=16, width=32, context=24, logit_scale=0.25)


@pytest.mark.parametrize("name", ["copy", "parity", "addition", "select-middle", "select-first"])
def test_circuits_by_name_give_their_relation(name):
    table = read_relation(name, reference=3).table(12)
    family = circuit(name, reference=3)
    for i in range(1, 13):
        for j in range(1, 13):
            expected = int(family.relation(i, j)) if j <= i else 0
            assert table[i - 1, j - 1] == expected


def test_unaligned_circuits_take_the_length():
    relation = read_relation("parity", layout="unaligned")
    for n in (1, 2, 5):
        table = relation.table(2 * n + 3, n)
        for i in range(n + 2, 2 * n + 2):  # '=' stands at n + 2
            assert table[i - 1, i - n - 1] == 1
            assert table[i - 1, i - 1] == 2


def test_vectorised_and_plain_functions_agree(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "def plain(i, j, n):\n"
        "    if j == i:\n        return 2\n"
        "    return 1 if i - j == n else 0\n"
        "def fast(i, j, n):\n    return 2 * (i == j) + (i - j == n)\n"
        "def looks_fast(i, j):\n    return max(int(i > 3), 0) if not hasattr(i, 'shape') else 0\n"
    )
    plain, fast = (read_relation(f"{file}:{name}").table(9, 3) for name in ("plain", "fast"))
    assert (plain == fast).all()
    assert (plain == read_relation("2*(i==j)+(i-j==n)").table(9, 3)).all()
    # a function that answers arrays differently from numbers is called pair by pair
    assert read_relation(f"{file}:looks_fast").table(5).max() == 1


def test_evaluate_pairs_fills_the_causal_half_only():
    values = evaluate_pairs(read_function("10*i+j", "bias"), 3, (), "bias")
    assert values.tolist() == [[11, 0, 0], [21, 22, 0], [31, 32, 33]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("j-i", r"phi\(i=2, j=1\) = -1 is negative"),
        ("i*i*i*i*i", "too large"),
        ("i/2", r"phi\(i=1, j=1\) = 0.5 is not a whole number"),
        ("log(i-i)", "not a whole number"),
        ("partiy", "Did you mean 'parity'"),
        ("missing.npz", "not a saved table"),
        ("missing.py:phi", "no file"),
        ("(i", "not an expression"),
        ("[i]", "not allowed"),
    ],
)
def test_bad_relations_are_named(text, message):
    with pytest.raises(InputError, match=message):
        load_position(f"ipe:relation={text}").build(SHAPE)


def test_functions_that_raise_are_named(tmp_path):
    (tmp_path / "bad.py").write_text("def phi(i, j):\n    return {}[i]\n")
    with pytest.raises(InputError, match=r"f\(1, 1\) raised KeyError"):
        load_position(f"ipe:relation={tmp_path}/bad.py:phi").build(SHAPE)


def test_relations_that_need_the_length_ask_for_the_hint():
    with pytest.raises(InputError, match="use ipe-sh"):
        load_position("ipe:relation=i-n")
    with pytest.raises(InputError, match="use ipe-sh"):
        load_position("ipe:relation=parity,layout=unaligned")


def test_values_beyond_the_rows_say_what_to_set():
    module = load_position("ipe-sh:relation=n,values=3").build(SHAPE)
    at = shared_positions(4)
    with pytest.raises(InputError, match="set values=8"):
        module.prepare(Places(at, at, None, torch.tensor([7])))
    with pytest.raises(InputError, match="needs the length"):
        module.prepare(Places(at, at))


def test_the_tasks_own_relation():
    encoding = load_position("ipe")
    with pytest.raises(InputError, match="filled in when a task is trained"):
        encoding.build(SHAPE)
    task = load_task("parity-steps:reference=3")
    module = encoding.for_task(task).build(SHAPE)
    at = shared_positions(10)
    index = module.index(Places(at, at))[0].numpy()
    for i in range(7, 11):  # '=' stands at W + 2 = 7
        assert index[i - 1, i - 5 - 1] == 1
        assert index[i - 1, i - 1] == 2
    with pytest.raises(InputError, match="use ipe-sh"):
        encoding.for_task(load_task("parity-steps:layout=unaligned"))
    with pytest.raises(InputError, match="has no relation"):
        encoding.for_task(load_task("sort"))
    hinted = load_position("ipe-sh").for_task(load_task("parity-steps:layout=unaligned"))
    assert hinted.build(SHAPE).values == 3


def slow_ideal(module, phi, q, k, layer, attention):
    size = q.shape[2]
    out = torch.full((*q.shape[:2], size, size), -torch.inf, dtype=q.dtype)
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            for t in range(size):
                for s in range(t + 1):
                    value = phi(t + 1, s + 1)
                    if attention == "hard" and value == 0 and s != t:
                        continue
                    row, number = (
                        module.vectors[layer, h, value],
                        module.numbers[layer, h, value],
                    )
                    out[b, h, t, s] = q[b, h, t] @ row + number
    return out


@pytest.mark.parametrize("attention", ["hard", "gap", "soft"])
@torch.no_grad()
def test_ideal_encoding_against_its_formula(attention):
    torch.manual_seed(0)
    text = f"ipe:relation=(j==i-2)+2*(j==2),attention={attention}"
    module = load_position(text).build(SHAPE).double()
    assert module.numbers[..., 0].eq(-6.0 if attention == "gap" else 0.0).all()
    module.numbers.add_(torch.randn_like(module.numbers))
    q, k = torch.randn(2, 2, 2, 7, 16, dtype=torch.float64).unbind(0)
    at = shared_positions(7)
    fast = module.bias(q, k, module.prepare(Places(at, at)), 1)
    phi = lambda i, j: (j == i - 2) + 2 * (j == 2)  # noqa: E731
    torch.testing.assert_close(fast, slow_ideal(module, phi, q, k, 1, attention))


@torch.no_grad()
def test_scale_hint_gives_every_row_its_own_relation():
    torch.manual_seed(0)
    module = load_position("ipe-sh:relation=(j==i-n)+2*(j==i),attention=soft").build(SHAPE).double()
    q, k = torch.randn(2, 2, 2, 7, 16, dtype=torch.float64).unbind(0)
    at = shared_positions(7)
    fast = module.bias(q, k, module.prepare(Places(at, at, None, torch.tensor([2, 3]))), 0)
    for row, n in enumerate((2, 3)):
        phi = lambda i, j, n=n: (j == i - n) + 2 * (j == i)  # noqa: E731
        slow = slow_ideal(module, phi, q[row : row + 1], k[row : row + 1], 0, "soft")
        torch.testing.assert_close(fast[row : row + 1], slow)


def model(text):
    torch.manual_seed(7)
    return Decoder(ModelConfig(layers=2, heads=2, width=32), 9, load_position(text), 24).eval()


@torch.no_grad()
def test_distance_as_relation_is_the_relative_encoding_bit_for_bit():
    shaw, ideal = model("shaw:clip=0"), model("ipe:relation=i-j,attention=soft")
    shared = {k: v for k, v in shaw.state_dict().items() if not k.startswith("encoding")}
    ideal.load_state_dict(shared, strict=False)
    scale = 16**-0.5  # a power of two: scaling is exact
    ideal.encoding.vectors.copy_(scale * shaw.encoding.vectors)
    tokens = torch.randint(0, 9, (3, 20), generator=torch.Generator().manual_seed(0))
    assert torch.equal(ideal(tokens), shaw(tokens))


@torch.no_grad()
def test_a_constant_relation_with_zero_rows_is_nope():
    nope, ideal = model("nope"), model("ipe:relation=0*i,attention=soft")
    ideal.load_state_dict(nope.state_dict(), strict=False)
    ideal.encoding.vectors.zero_()
    tokens = torch.randint(0, 9, (3, 20), generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(ideal(tokens), nope(tokens), rtol=1e-5, atol=1e-6)


def test_saved_tables_come_back(tmp_path):
    table = np.tril(np.arange(36).reshape(6, 6) % 5)
    save_table(tmp_path / "one.npz", table)
    relation = read_relation(str(tmp_path / "one.npz"))
    assert (relation.table(5) == table[:5, :5]).all()
    with pytest.raises(InputError, match="ends at position 6"):
        relation.table(7)
    save_table(tmp_path / "two.npz", np.stack([table, 2 * table]), [3, 4])
    hinted = read_relation(str(tmp_path / "two.npz"))
    assert (hinted.table(6, 4) == 2 * table).all()
    with pytest.raises(InputError, match="no table for length 5"):
        hinted.table(6, 5)
    with pytest.raises(InputError, match="npz"):
        save_table(tmp_path / "three.txt", table)


def test_every_circuit_name_can_be_an_encoding():
    for name in NAMES:
        if hasattr(circuit(name), "relation"):
            assert load_position(f"ipe-sh:relation={name}").build(SHAPE).values >= 2


@torch.no_grad()
@pytest.mark.parametrize("options", ["", "vectors=true", "predictor=lines", "hard=true"])
def test_learned_relation_against_its_formula(options):
    torch.manual_seed(0)
    module = load_position(f"lbpe:values=3,{options}").build(SHAPE).double()
    q, k = torch.randn(2, 2, 2, 6, 16, dtype=torch.float64).unbind(0)
    at = shared_positions(6)
    fast = module.bias(q, k, module.prepare(Places(at, at)), 1)
    for t in range(6):
        for s in range(t + 1):
            x = torch.tensor([(t + 1) / 5, (s + 1) / 5], dtype=torch.float64)
            first = module.first.weight @ x + module.first.bias
            if "lines" in options:
                logits = torch.cat([module.constant, -(first**2)])
            else:
                logits = module.second.weight @ first.relu() + module.second.bias
            pi = logits.softmax(0)
            if "hard" in options:
                pi = torch.nn.functional.one_hot(pi.argmax(), 3).double()
            for h in range(2):
                expected = pi @ module.numbers[1, h]
                if module.rows is not None:
                    expected = expected + q[0, h, t] @ (pi @ module.rows[1, h])
                assert math.isclose(fast[0, h, t, s], expected, abs_tol=1e-9)
