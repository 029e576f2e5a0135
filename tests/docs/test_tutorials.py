"""Tutorials run at smoke size, and their pages are what the scripts say."""

import os
import runpy
import sys

import pytest

from tests.docs.tutorials import PAGES, SCRIPTS, cells, prose, render


def names():
    return [script.stem for script in SCRIPTS]


@pytest.mark.parametrize("script", SCRIPTS, ids=names())
def test_tutorials_run_at_smoke_size(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(script), "--size", "smoke"])
    runpy.run_path(str(script), run_name="__main__")
    printed = capsys.readouterr().out
    assert EXPECTED[script.stem](printed), printed
    assert not os.listdir(tmp_path) or os.listdir(tmp_path) == ["store"]


EXPECTED = {
    "predict_train_compare": lambda text: (
        "nope: no" in text and "ape: yes" in text and text.count("measured") == 2
    ),
    "regex_to_weights": lambda text: (
        "plain C-RASP: in" in text and " 0 errors" in text and "[ True False]" in text
    ),
    "new_encoding_on_ten_tasks": lambda text: sum("%)" in line for line in text.splitlines()) == 10,
}


def test_every_tutorial_is_checked():
    assert sorted(EXPECTED) == names()


@pytest.mark.parametrize("script", SCRIPTS, ids=names())
def test_pages_of_tutorials_are_up_to_date(script):
    """When this fails: ``python -m tests.docs.tutorials`` writes the pages."""
    assert (PAGES / f"{script.stem}.md").read_text() == render(script.name, script.read_text())


def test_cells_are_split_and_prose_is_prose():
    source = '"""Doc."""\n\n# %% [markdown]\n# # Title\n#\n# Text.\n\n# %%\nx = 1\n'
    assert cells(source) == [("markdown", "# # Title\n#\n# Text."), ("code", "x = 1")]
    assert prose("# # Title\n#\n# Text.") == "# Title\n\nText."
