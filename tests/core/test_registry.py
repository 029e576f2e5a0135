"""Names to things: built in, plug-ins, and the user's own files."""

from importlib.metadata import EntryPoint

import pytest

from lengthwise.core import registry
from lengthwise.core.errors import InputError
from lengthwise.core.registry import Registry, load_from_file


def test_plug_ins_are_found_by_their_entry_point(monkeypatch):
    point = EntryPoint(name="mine", value="json:dumps", group="lengthwise.tasks")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    known = Registry("codec", "lengthwise.tasks", {"loads": "json:loads"})
    assert list(known) == ["loads", "mine"]
    assert "mine" in known
    assert known.load("mine")([1]) == "[1]"
    with pytest.raises(InputError, match=r"unknown codec 'loadz'\. Did you mean 'loads'"):
        known.load("loadz")


def test_an_edited_file_is_read_again(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("value = 1\n")
    assert load_from_file(f"{path}:value") == 1
    path.write_text("value = 2\n")
    assert load_from_file(f"{path}:value") == 2


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("valeu = 1", "value", "Did you mean 'valeu'"),
        ("1 / 0", "value", "the file raised ZeroDivisionError"),
        ("def (", "value", "the file raised SyntaxError"),
    ],
)
def test_mistakes_in_files_are_one_line(tmp_path, text, name, message):
    path = tmp_path / "mine.py"
    path.write_text(text + "\n")
    with pytest.raises(InputError, match=message) as raised:
        load_from_file(f"{path}:{name}")
    assert "\n" not in str(raised.value)


def test_a_file_is_loaded_once_while_it_stays_the_same(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("value = object()\n")
    assert load_from_file(f"{path}:value") is load_from_file(f"{path}:value")
