"""Sweeps: every combination once, mistakes named before anything runs."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.runs.store import Store
from lengthwise.runs.sweep import FIELDS, Sweep, load_sweep, note_sweep, noted_sweep, shard

TEXT = """
[axes]
task = ["binary-majority", "parity"]
position = ["nope", "rope"]
"model.layers" = [1, 2]
seed = "0:2"
shape = [
  { "model.width" = 8, "training.learning_rate" = 1e-3 },
  { "model.width" = 16, "training.learning_rate" = 3e-4 },
]

[fixed]
preset = "t5"
training.steps = 30
[fixed.evaluation]
instances = 10

[[exclude]]
position = "rope"
model.layers = [1]

[sizes.smoke]
seed = [7]
"training.steps" = 3
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TEXT)
    return path


def test_a_file_becomes_every_combination_but_the_excluded(file):
    sweep = load_sweep(file)
    specs = sweep.specs()
    expected = {
        (task, position, layers, seed, width, rate)
        for task, position, layers, seed, (width, rate) in itertools.product(
            ["binary-majority", "parity"],
            ["nope", "rope"],
            [1, 2],
            range(3),
            [(8, 1e-3), (16, 3e-4)],
        )
        if (position, layers) != ("rope", 1)
    }
    found = [
        (s.task.name, s.position.name, s.model.layers, s.seed, s.model.width, rate)
        for s in specs
        for rate in [s.training.learning_rate]
    ]
    assert len(found) == len(expected) == 36
    assert set(found) == expected
    assert sweep.name == "mine"
    assert {s.model.norm for s in specs} == {"rms"}
    assert {s.training.steps for s in specs} == {30}
    assert {s.evaluation.instances for s in specs} == {10}


def test_a_size_changes_axes_and_fixed_values(file):
    specs = load_sweep(file).specs("smoke")
    assert len(specs) == 12
    assert {(s.seed, s.training.steps) for s in specs} == {(7, 3)}


def test_test_lengths_follow_the_training_lengths():
    axes = {"task": ["parity"], "position": ["nope"], "training.length": [[1, 5], [1, 10]]}
    bins = [spec.bins for spec in Sweep(axes=axes).specs()]
    assert bins == [((1, 5), (6, 10), (11, 15)), ((1, 10), (11, 20), (21, 30))]


@given(
    st.dictionaries(
        st.sampled_from(["seed", "training.steps", "model.layers"]),
        st.lists(st.integers(1, 9), min_size=1, max_size=4, unique=True),
        min_size=1,
    ),
    st.data(),
)
def test_exclusions_agree_with_a_plain_filter(axes, data):
    names = list(axes)
    rule = {name: data.draw(st.sampled_from(axes[name])) for name in names[:2]}
    sweep = Sweep(axes=axes, fixed={"task": "parity", "position": "nope"}, exclude=(rule,))
    every = [dict(zip(names, values, strict=True)) for values in itertools.product(*axes.values())]
    kept = [point for point in every if any(point[name] != rule[name] for name in rule)]
    if not kept:
        with pytest.raises(InputError, match="no run is left"):
            sweep.points()
        return
    assert [{name: point[name] for name in names} for point in sweep.points()] == kept


@given(st.integers(0, 30), st.integers(1, 9))
def test_shards_are_disjoint_and_complete(count, parts):
    runs = list(range(count))
    shares = [shard(runs, f"{number}/{parts}") for number in range(1, parts + 1)]
    assert sorted(itertools.chain(*shares)) == runs
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize("text", ["", "0/4", "5/4", "a/b", "1", "1/0", "-1/3", "1/2/3"])
def test_other_shards_are_refused(text):
    with pytest.raises(InputError, match="--shard"):
        shard([], text)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"axes": {"task": ["parity"], "positon": ["nope"]}}, "Did you mean 'position'"),
        ({"axes": {"task": ["parity"]}}, "which position"),
        ({"axes": {"task": [], "position": ["nope"]}}, "'task' must be a list"),
        ({"axes": {"task": "parity", "position": ["nope"]}}, "'task' must be a list"),
        ({"axis": {}}, "axes: is missing"),
        ({"axes": {"task": ["parity"], "position": ["nope"]}, "sizs": {}}, "sizs: Extra"),
        ({"axes": {"task": ["paritty"], "position": ["nope"]}}, "Did you mean 'parity'"),
        ({"axes": {"task": ["parity"], "position": ["nope"], "model.width": [7]}}, "divide"),
        ({"axes": {"task": ["parity"], "position": ["nope"], "seed": "5:2"}}, "range is empty"),
        ({"axes": {"task": ["parity"], "position": ["nope"], "preset": ["t6"]}}, "'t5'"),
        (
            {"axes": {"task": ["parity"], "position": ["nope"]}, "fixed": {"task": "sort"}},
            "both fixed and an axis",
        ),
        (
            {"axes": {"task": ["parity"], "position": ["nope"]}, "exclude": [{"position": "rop"}]},
            "no axis has it, but 'nope'",
        ),
        (
            {"axes": {"task": ["parity"], "position": ["nope"]}, "exclude": [{"seed": 1}]},
            "there is no such axis",
        ),
        (
            {"axes": {"task": ["parity"], "position": ["nope"]}, "exclude": [{"task": "parity"}]},
            "no run is left",
        ),
        ({"axes": {"task": ["parity"], "position": ["nope"], "training.steps": ["x"]}}, "steps"),
        ({"name": "../up", "axes": {}}, "name"),
        ([1], "sweep"),
    ],
)
def test_mistakes_are_named(data, message):
    with pytest.raises(InputError, match=message):
        Sweep.read(data).specs()


def test_unknown_sizes_and_files_are_named(file, tmp_path):
    with pytest.raises(InputError, match="Did you mean 'smoke'"):
        load_sweep(file).specs("smok")
    with pytest.raises(InputError, match="no such file"):
        load_sweep(tmp_path / "none.toml")
    file.write_text("axes = [")
    with pytest.raises(InputError, match="not valid TOML"):
        load_sweep(file)


@pytest.mark.parametrize(
    "code",
    [
        "SWEEP = {'axes': AXES}",
        "from lengthwise.runs.sweep import Sweep\nSWEEP = Sweep(axes=AXES)",
        "def SWEEP():\n    return {'axes': AXES}",
    ],
)
def test_a_python_file_may_hold_the_sweep(tmp_path, code):
    path = tmp_path / "sweep.py"
    path.write_text(f"AXES = {{'task': ['parity'], 'position': ['nope', 'ape']}}\n{code}\n")
    assert [str(spec.position) for spec in load_sweep(path).specs()] == ["nope", "ape"]


def test_a_noted_sweep_is_read_back(tmp_path, file):
    store, specs = Store(tmp_path), load_sweep(file).specs()
    path = note_sweep(store, "mine", specs)
    assert note_sweep(store, "mine", specs) == path
    assert noted_sweep(path) == specs
    assert list(store.records()) == []


def test_every_field_of_a_specification_can_be_an_axis():
    assert {"task", "position", "seed", "model.width", "training.schedule"} <= set(FIELDS)


def test_a_noted_sweep_that_was_edited_is_refused(tmp_path):
    specs = Sweep.read({"axes": {"task": ["parity"], "position": ["nope", "rope"]}}).specs()
    path = note_sweep(Store(tmp_path), "two", specs)
    assert noted_sweep(path) == specs
    for text in (path.read_text().replace("rope", "nope"), "{}", '{"specs": 3}', '{"specs": [{}]}'):
        path.write_text(text)
        with pytest.raises(InputError, match="damaged"):
            noted_sweep(path)


WRONG = {
    "training.length": [5, True, "1:5", [1], [1, True], [1.5, 2], [[1, 2]]],
    "training.steps": [True, "1", 1.5, [1], None],
    "training.learning_rate": [True, "0.1", float("nan"), float("inf"), {}],
    "training.compiled": [1, 0, "true", None],
    "model.layers": [True, "2", 2.5, []],
    "evaluation.lengths": [5, [5], [[1]], "1:5", [[1, "2"]]],
    "seed": [True, "1", 1.5, -1],
    "task": [5, True, ["parity"], None],
    "position": [5, [], {}],
    "preset": [True, ["gpt2"], 1],
}


@pytest.mark.parametrize("field", WRONG)
def test_types_are_exact_and_the_field_is_named(field):
    """TOML's true is not 1, "1" is not 1, and one number is no range."""
    axes = {"task": ["parity"], "position": ["nope"]}
    for value in WRONG[field]:
        kept = {name: v for name, v in axes.items() if name != field}
        with pytest.raises(InputError, match=field.rpartition(".")[2]):
            Sweep.read({"axes": kept, "fixed": {field: value}}).specs()
        with pytest.raises(InputError):
            Sweep.read({"axes": {**axes, field: [{"a": value}]}}).specs()


def test_a_table_beside_plain_values_is_not_dropped():
    with pytest.raises(InputError, match="'shape'"):
        Sweep.read({"axes": {"task": ["parity"], "position": ["nope"], "shape": [{}, 5]}})
    with pytest.raises(InputError, match="at most"):
        Sweep.read({"axes": {"task": ["parity"], "position": ["nope"], "seed": "0:99999999"}})
