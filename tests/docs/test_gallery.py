"""The gallery's pictures are what its commands make."""

import json
import re

import pytest

from tests.docs.gallery import FOLDER, MADE, PAGE, commands, digest, written


def test_every_picture_has_its_command_and_every_file_a_place():
    shown = re.findall(r"\(img/gallery/([\w.-]+)\)", PAGE.read_text())
    assert sorted(shown) == sorted(commands())
    assert sorted(shown) == sorted(p.name for p in FOLDER.iterdir() if p != MADE)


@pytest.mark.parametrize("picture", sorted(commands()))
def test_pictures_are_what_their_commands_make(picture, tmp_path, capsys):
    """When this fails: ``python -m tests.docs.gallery`` makes them again (with Chromium)."""
    file = written(commands()[picture], tmp_path)
    if file.suffix == ".html":
        assert digest(file) == json.loads(MADE.read_text())[picture]
    else:
        assert file.read_bytes() == (FOLDER / picture).read_bytes()
