"""The table of recipes: read with care, known by a hash, blind to the problem's name."""

import pytest

from lengthwise.core.errors import InputError
from lengthwise.positions import POSITIONS
from lengthwise.records.recipes import RecipeBook, Rung, read_recipes, recipes
from lengthwise.records.spec import RunSpec

TABLE = """
edition = 3
note = "a note"
[[absolute]]
model = { layers = 1 }
[[other]]
training = { steps = 7 }
"""


def test_the_table_that_comes_with_the_library_makes_runs():
    book = recipes()
    for encoding in ("ape", "nope", "rope", "t5"):
        for rung in book.rungs(encoding):
            spec = RunSpec.create(
                task="parity",
                position=rung.position(encoding),
                model=rung.model,
                training=rung.training,
            )
            assert spec.training.settle > 0  # it is the studies' rule for when to stop
            assert spec.training.regularize == 0 or spec.position.name == "ape"


def test_a_recipe_depends_on_the_kind_of_encoding_alone():
    book = read_recipes(TABLE, "table")
    absolute = {name for name in POSITIONS if book.rungs(_usable(name)) == book.absolute}
    assert absolute == {"ape", "abacus"}


def _usable(name):
    needs = {
        "abacus": "abacus:digits=0-4",
        "bias": "bias:function=-(i-j)",
        "hybrid": "hybrid:nope+rope",
    }
    return needs.get(name, name)


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
        ("[[other]]", "[[others]]", "other"),
        ("edition = 3", "edition = ", "table: "),
    ],
)
def test_mistakes_are_named(before, after, said):
    with pytest.raises(InputError, match=said):
        read_recipes(TABLE.replace(before, after), "table")


def test_a_table_has_rungs():
    with pytest.raises(ValueError, match="absolute"):
        RecipeBook(edition=1, note="", absolute=(), other=(Rung(),))


def test_a_spread_that_the_user_chose_stays():
    rung = Rung(table_spread=0.5)
    assert rung.position("ape:std=0.1") == "ape:std=0.1"
    assert rung.position("ape") == "ape:std=0.5"
    assert rung.position("rope:fraction=0.25") == "rope:fraction=0.25"
