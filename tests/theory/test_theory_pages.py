"""The theory pages: every command on them runs, every picture is there."""

import re
import shlex
from pathlib import Path

import pytest

from lengthwise.cli.main import main

PAGES = sorted((Path(__file__).parents[2] / "docs" / "theory").glob("*.md"))
MINE = {"linear-theorem-1", "linear-theorem-2", "circuits", "relations", "nope-theorem-1"}
MINE |= {"nope-theorem-2", "nope-probes"}


def _commands(page):
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def _mine():
    return [page for page in PAGES if page.stem in MINE]


def _exit_code(words):
    try:
        main(words)
    except SystemExit as stop:
        return stop.code or 0
    return 0


def test_every_theorem_has_its_page():
    assert {page.stem for page in _mine()} == MINE


@pytest.mark.parametrize("page", _mine(), ids=lambda page: page.stem)
def test_pictures_exist_and_are_made_by_a_command_on_the_page(page):
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", page.read_text())
    assert pictures
    written = " ".join(line for other in _mine() for line in _commands(other))
    for picture in pictures:
        assert (page.parent / picture).is_file()
        assert f"--plot {Path(picture).name}" in written


@pytest.mark.parametrize("page", _mine(), ids=lambda page: page.stem)
def test_commands_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for source in re.findall(r"```python\n# (\S+\.py)\n(.*?)```", page.read_text(), re.DOTALL):
        Path(source[0]).write_text(source[1])
    for line in _commands(page):
        words = shlex.split(line)
        assert words[0] == "lengthwise"
        if words[1] in ("train", "probe"):  # minutes of training: tested in tests/analysis
            continue
        assert _exit_code(words[1:]) == 0, capsys.readouterr().err
