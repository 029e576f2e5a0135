"""Tutorials run at smoke size, notebooks as they are, and their pages are what they say."""

import json
import os
import runpy
import sys

import pytest

from tests.docs.tutorials import (
    NOTEBOOKS,
    PAGES,
    SCRIPTS,
    asset,
    cells,
    execute,
    page_of,
    prose,
    render,
    style,
)


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


def kinds(notebook):
    """What every cell is and which forms its results have."""
    return [
        (
            cell["cell_type"],
            cell["source"],
            [sorted(one.get("data", {"text": 0})) for one in cell.get("outputs", ())],
        )
        for cell in notebook["cells"]
    ]


@pytest.mark.parametrize("script", NOTEBOOKS, ids=[script.stem for script in NOTEBOOKS])
def test_notebooks_run_and_are_what_was_run(script):
    """When this fails: ``python -m tests.docs.tutorials`` runs and writes them."""
    kept = json.loads((PAGES / f"{script.stem}.ipynb").read_text())
    assert kinds(execute(script.read_text())) == kinds(kept)
    assert kept["cells"][1]["outputs"]  # a result comes first
    assert (PAGES / f"{script.stem}.md").read_text() == page_of(script.stem, kept)
    assert (PAGES / f"{script.stem}.ipynb").stat().st_size < 700_000


def test_results_in_pages_have_the_style_of_notebooks():
    made, dark = style(), asset("fragment.css").partition(".vscode-dark")[2].partition("{")[2]
    assert asset("fragment.css") in made
    assert asset("parts.css") in made
    assert f'[data-md-color-scheme="slate"] .lengthwise {{{dark.partition("}")[0]}}}' in made


def test_cells_are_split_and_prose_is_prose():
    source = '"""Doc."""\n\n# %% [markdown]\n# # Title\n#\n# Text.\n\n# %%\nx = 1\n'
    assert cells(source) == [("markdown", "# # Title\n#\n# Text."), ("code", "x = 1")]
    assert prose("# # Title\n#\n# Text.") == "# Title\n\nText."
