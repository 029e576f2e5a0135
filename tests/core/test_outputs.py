"""Results go to files through one writer, whatever a user names as a file."""

import ast
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_text
from lengthwise.core.outputs import check_output, is_special, save_bytes, saved

PACKAGE = Path(__file__).parents[2] / "src" / "lengthwise"

OWN = {
    "core/files.py": "the writer of stores",
    "core/outputs.py": "the writer of results",
    "runs/details.py": "a temporary folder, where the store may only be read",
    "runs/query.py": "a temporary folder, for duckdb",
    "cli/ending.py": "the log of a bug, in the system's temporary folder",
    "subjects/function_server.py": "/dev/null",
    "models/exchange/writing.py": "a temporary folder, read back before anything is written",
    "runs/store.py": "locks",
    "api/decide_folder.py": "a record that grows line by line",
    "bench": "nobody's results",
}
"""Where files are opened for writing otherwise, and why."""
WRITING = {"write_text", "write_bytes", "save_file", "savetxt", "to_csv", "to_parquet"}


def _writes(node: ast.AST) -> bool:
    """Whether code opens a file for writing by itself."""
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name in WRITING:  # a method; ``write_bytes(path, data)`` is the store's own function
        return isinstance(node.func, ast.Attribute)
    modes = [*node.args[:2], *(k.value for k in node.keywords if k.arg == "mode")]
    return name == "open" and any(
        isinstance(mode, ast.Constant)
        and set(str(mode.value)) & set("wax+") <= set("wax+b")
        and set(str(mode.value)) & set("wax+")
        and len(str(mode.value)) <= 3
        for mode in modes
    )


def test_no_room_writes_files_by_itself():
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        if name in OWN or name.split("/")[0] in OWN:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            assert not _writes(node), f"{name}:{getattr(node, 'lineno', 0)} writes a file by itself"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


class TestWriting:
    def test_a_link_stays_and_its_target_is_replaced(self, tmp_path):
        (tmp_path / "there").mkdir()
        (tmp_path / "there" / "page.html").write_text("old")
        os.chmod(tmp_path / "there" / "page.html", 0o600)
        (tmp_path / "second").symlink_to("there/page.html")
        (tmp_path / "first").symlink_to(tmp_path / "second")
        save_bytes(tmp_path / "first", b"new")
        assert (tmp_path / "there" / "page.html").read_text() == "new"
        assert (tmp_path / "first").is_symlink()
        assert (tmp_path / "second").is_symlink()
        assert stat.S_IMODE((tmp_path / "there" / "page.html").stat().st_mode) == 0o600
        assert names(tmp_path / "there") == ["page.html"]

    def test_a_link_to_nothing_makes_its_target(self, tmp_path):
        (tmp_path / "link").symlink_to("page.html")
        save_bytes(tmp_path / "link", b"new")
        assert (tmp_path / "page.html").read_bytes() == b"new"

    @pytest.mark.parametrize("name", ["/dev/full", "link"])
    def test_a_full_disk_is_one_line_and_the_device_stays(self, tmp_path, name):
        (tmp_path / "link").symlink_to("/dev/full")
        with pytest.raises(InputError, match="the disk is full"):
            save_bytes(tmp_path / name, b"new")
        assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
        assert names(tmp_path) == ["link"]

    def test_nowhere_takes_anything(self):
        save_bytes(Path("/dev/null"), b"new")
        assert stat.S_ISCHR(os.stat("/dev/null").st_mode)

    def test_a_pipe_is_written_to_if_somebody_reads(self, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        with pytest.raises(InputError, match="nobody reads this pipe"):
            save_bytes(pipe, b"new")
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        save_bytes(pipe, b"new")
        assert os.read(reader, 10) == b"new"
        os.close(reader)
        assert pipe.is_fifo()

    def test_what_a_shell_has_open_is_written_in_order(self, tmp_path):
        """``--csv /dev/stdout > file``: neither replaced nor written from the beginning."""
        code = (
            "import sys; from pathlib import Path; from lengthwise.core.outputs import save_bytes\n"
            "print('first'); save_bytes(Path('/dev/stdout'), b'second\\n'); print('third')"
        )
        with (tmp_path / "out").open("wb") as out:
            subprocess.run([sys.executable, "-c", code], check=True, stdout=out)
        assert (tmp_path / "out").read_text() == "first\nsecond\nthird\n"

    @pytest.mark.parametrize("name", ["folder", "loop", "file/below", "x" * 300])
    def test_what_cannot_be_written_is_one_line_and_leaves_nothing(self, tmp_path, name):
        (tmp_path / "folder").mkdir()
        (tmp_path / "file").write_text("old")
        (tmp_path / "loop").symlink_to("loop")
        with pytest.raises(InputError, match="cannot write"):
            save_bytes(tmp_path / name, b"new")
        assert names(tmp_path) == ["file", "folder", "loop"]
        with pytest.raises(InputError, match="--out"):
            check_output("--out", tmp_path / name)

    def test_what_fails_in_the_middle_leaves_the_old_file(self, tmp_path):
        path = tmp_path / "page"
        path.write_text("old")

        def fail():
            with saved(path) as temporary:
                temporary.write_text("half")
                raise KeyError

        with pytest.raises(KeyError):
            fail()
        assert (path.read_text(), names(tmp_path)) == ("old", ["page"])


def test_devices_need_no_suffix():
    check_output("--csv", Path("/dev/stdout"), (".csv",))
    check_output("--plot", Path("/dev/null"), (".png", ".svg"))
    assert is_special(Path("/dev/null"))
    assert not is_special(Path(__file__))


WRITERS = (
    "decide (ab)* --certificate FILE.json",
    "decide (ab)* --program FILE.cr",
    "crasp simplify dyck-1 -o FILE.cr",
    "crasp trace dyck-1 () --report FILE.html",
    "lab relation copy -o FILE.npz",
    "compile dyck-1 --length 4 -o FILE.safetensors",
    "predict (ab)* --encoding nope --report FILE.html",
    "show rope -o FILE.png",
    "runs export --csv FILE.csv",
    "runs export --parquet FILE.parquet",
)


@pytest.mark.parametrize("words", WRITERS)
def test_commands_write_through_it(run, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    suffix = words[words.index("FILE") + 4 :]
    (tmp_path / f"link{suffix}").symlink_to(f"target{suffix}")
    (tmp_path / f"folder{suffix}").mkdir()
    call = lambda name: run(*words.replace(f"FILE{suffix}", name).split())  # noqa: E731
    code, _, err = call(f"link{suffix}")
    assert code == 0, err
    assert (tmp_path / f"link{suffix}").is_symlink()
    assert (tmp_path / f"target{suffix}").stat().st_size
    before = names(tmp_path)
    code, _, err = call("/dev/full")
    assert (code, err.count("error: ")) == (2, 1), err
    assert "the disk is full" in err
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    assert call(f"folder{suffix}")[0] == 2
    assert call("/dev/null")[0] == 0
    assert names(tmp_path) == before


def test_inputs_have_an_end(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert read_text(tmp_path / "pipe") == ""  # nobody writes to it, and nobody waits
    for device in ("/dev/zero", "/dev/full", "/dev/urandom"):
        with pytest.raises(InputError, match=f"{device}: more than 5,000 bytes"):
            read_text(Path(device), 5_000)
    given, other = os.pipe()
    os.write(other, b"a\r\nb")
    os.close(other)
    assert read_text(Path(f"/dev/fd/{given}")) == "a\nb"
    os.close(given)
    with pytest.raises(InputError, match=r"cannot be read \(Is a directory\)"):
        read_text(tmp_path)
    (tmp_path / "x").write_bytes(b"\xff")
    with pytest.raises(InputError, match="not a text file in UTF-8"):
        read_text(tmp_path / "x")
