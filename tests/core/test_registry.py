"""Names to things: built in, plug-ins, and the user's own files."""

import shutil
from importlib.metadata import entry_points

import pytest

from lengthwise.core.errors import InputError
from lengthwise.core.registry import Registry, load_from_file, plugins


def install(folder, group):
    """Write what an installed package says about itself."""
    info = folder / "plugin-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\nmine = json:dumps\n")


def test_plug_ins_are_found_by_their_entry_point(monkeypatch, tmp_path):
    install(tmp_path, "lengthwise.tasks")
    monkeypatch.syspath_prepend(tmp_path)
    known = Registry("codec", "lengthwise.tasks", {"loads": "json:loads"})
    assert list(known) == ["loads", "mine"]
    assert "mine" in known
    assert known.load("mine")([1]) == "[1]"
    with pytest.raises(InputError, match=r"unknown codec 'loadz'\. Did you mean 'loads'"):
        known.load("loadz")


def test_plug_ins_in_an_archive_are_found_too(monkeypatch, tmp_path):
    install(tmp_path / "inside", "lengthwise.tasks")
    archive = shutil.make_archive(str(tmp_path / "plugins"), "zip", tmp_path / "inside")
    monkeypatch.syspath_prepend(archive)
    assert plugins("lengthwise.tasks") == {"mine": "json:dumps"}


def test_plug_ins_are_those_that_python_knows():
    for group in sorted(entry_points().groups):
        assert plugins(group) == {p.name: p.value for p in entry_points(group=group)}
    assert plugins("no.such.group") == {}


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
