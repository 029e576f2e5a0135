"""``train --recipe``: the settings of the table, rung after rung; the user may overrule them."""

import json

import pytest

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.records.recipes import RecipeBook, Rung
from lengthwise.runs import experiment

TINY = {"layers": 1, "heads": 1, "width": 8}
BLIND = Rung(model=TINY, training={"steps": 1, "batch": 1, "settle": 1.0, "evaluate_every": 1000})
ABLE = Rung(
    model=TINY,
    training={"steps": 400, "batch": 16, "learning_rate": 0.02, "settle": 1.0},
)
BOOK = RecipeBook(edition=7, note="", rungs=(BLIND, ABLE, BLIND))
HERE = {"train_length": "1:4", "instances": 50, "jobs": 1, "device": "cpu"}


@pytest.fixture(autouse=True)
def book(monkeypatch):
    monkeypatch.setattr(experiment, "recipes", lambda: BOOK)


def test_rungs_are_tried_until_one_fits_and_the_run_says_which(tmp_path):
    found = lw.train("tomita-2", "parity", recipe=True, store=tmp_path, **HERE)
    easy, hard = found
    assert easy.spec.recipe == f"7, rung 2 ({BOOK.digest})"
    assert (easy.stopped, easy.spec.training.batch) == ("settled", 16)
    assert hard.spec.recipe.startswith("7, rung 3")
    assert hard.stopped == "not fitted"
    assert [run["recipe"][:9] for run in found.to_json()] == ["7, rung 2", "7, rung 3"]
    again = lw.train("tomita-2", "parity", recipe=True, store=tmp_path, **HERE)
    assert [run.seconds for run in again] == [run.seconds for run in found]  # nothing is repeated


def test_options_overrule_the_table_and_the_preset_yields_to_it(tmp_path, capsys):
    words = "train tomita-2 --recipe --preset t5 --steps 2 --width 4 --train-length 1:4 --json"
    with pytest.raises(SystemExit) as end:
        main([*words.split(), "--instances", "5", "--jobs", "1", "--store", str(tmp_path)])
    assert end.value.code in (0, None)
    (run,) = json.loads(capsys.readouterr().out)
    assert (run["steps"], run["recipe"][:9]) == (2, "7, rung 3")
    specs = [json.loads(path.read_text()) for path in tmp_path.rglob("spec.json")]
    assert len(specs) == 3
    for spec in specs:
        assert (spec["model"]["width"], spec["model"]["norm"]) == (4, "rms")
        assert spec["model"]["layers"] == 1


def test_a_mistake_shows_before_anything_is_trained(tmp_path):
    with pytest.raises(lw.InputError, match="regularize"):
        lw.train("tomita-2", recipe=True, regularize=1.0, store=tmp_path / "runs", **HERE)
    assert not (tmp_path / "runs").exists()
