"""The table of recipes: read with care, known by a hash, blind to the problem's name."""

import pytest

from lengthwise.core.errors import InputError
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.recipes import RecipeBook, Rung, climb, read_recipes, recipes
from lengthwise.records.result import RunResult
from lengthwise.records.spec import RunSpec

TABLE = """
edition = 3
note = "a note"
[[rungs]]
model = { layers = 1 }
[[rungs]]
training = { steps = 7 }
"""


def test_the_table_that_comes_with_the_library_makes_runs():
    book = recipes()
    for encoding in ("ape", "nope", "rope", "t5"):
        specs = book.specs(task="parity", position=encoding)
        assert len({spec.recipe for spec in specs}) == len(book.rungs)
        for spec in specs:
            assert spec.training.settle > 0  # it is the studies' rule for when to stop
            assert spec.training.regularize == 0  # which few encodings have


def test_the_hash_is_that_of_what_changes_a_run():
    book = read_recipes(TABLE, "table")
    assert read_recipes(TABLE.replace("a note", "another"), "table").digest == book.digest
    assert read_recipes(TABLE.replace("steps = 7", "steps = 8"), "table").digest != book.digest
    assert read_recipes(TABLE.replace("edition = 3", "edition = 4"), "table").digest != book.digest


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("steps = 7", "stepz = 7", "stepz"),
        ("layers = 1", "layers = 0", "layers"),
        ("edition = 3", "edition = 0", "edition"),
        ("edition = 3", "edition = 3\nother = 1", "other"),
        ("edition = 3", "edition = ", "table: "),
    ],
)
def test_mistakes_are_named(before, after, said):
    with pytest.raises(InputError, match=said):
        read_recipes(TABLE.replace(before, after), "table")


def test_a_table_has_rungs():
    with pytest.raises(ValueError, match="rungs"):
        RecipeBook(edition=1, note="", rungs=())


def test_what_the_user_gives_overrules_a_rung_and_the_style_yields_to_it():
    rung = Rung(model={"layers": 3, "width": 32}, training={"steps": 7, "batch": 4})
    spec = rung.spec(
        task="parity",
        position="nope",
        style={"layers": 1, "norm": "rms"},
        model={"width": 16},
        training={"batch": 8},
    )
    assert (spec.model.layers, spec.model.norm, spec.model.width) == (3, "rms", 16)
    assert (spec.training.steps, spec.training.batch, spec.recipe) == (7, 8, "")


def ended(spec, accuracy):
    bin_ = AccuracyByLength(low=1, high=1, correct={1: round(1000 * accuracy)}, total={1: 1000})
    return RunResult(
        spec=spec, steps=1, stopped="", bins=(bin_,), history=(), seconds=1.0, environment={}
    )


def test_rungs_are_climbed_until_one_fits():
    book = read_recipes(TABLE.replace("[[other]]", "[[other]]\n[[other]]"), "table")
    ladders = [book.specs(task="parity", position="nope", seed=seed) for seed in range(3)]
    reached = {(0, 0): 0.99, (1, 0): 0.989, (1, 1): 1.0, (2, 0): 0.1, (2, 1): 0.2}
    asked = []

    def execute(specs):
        asked.append([spec.seed for spec in specs])
        return [ended(s, reached[s.seed, "rung 2" in s.recipe]) for s in specs]

    found = climb(ladders, execute)
    assert asked == [[0, 1, 2], [1, 2]]
    assert ["rung 2" in result.spec.recipe for result in found] == [False, True, True]
    assert [result.spec.seed for result in found] == [0, 1, 2]
    assert climb([], execute) == []


def test_the_rung_is_part_of_a_run_only_where_there_is_one():
    plain = RunSpec.create(task="parity", position="nope")
    assert "recipe" not in plain.model_dump()
    named = RunSpec.create(task="parity", position="nope", recipe="1, rung 1 (x)")
    assert RunSpec.read(named.model_dump(mode="json")) == named
    assert named.id != plain.id
