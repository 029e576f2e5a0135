"""How commands end: exit codes, full disks, closed pipes, and bugs of ours."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lengthwise.cli import main as module
from lengthwise.core.errors import InputError, shortened


def lengthwise(*words, **how):
    command = [sys.executable, "-m", "lengthwise", *words]
    return subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True, **how)


@pytest.mark.parametrize("words", [["list", "encodings", "--json"], ["list", "encodings"]])
def test_a_full_disk_behind_standard_output_is_a_mistake(words):
    with open("/dev/full", "w") as full:
        done = lengthwise(*words, stdout=full)
    assert done.returncode == 2
    assert done.stderr == (
        "error: standard output: the disk is full; what was printed is cut short\n"
    )


def test_a_reader_that_has_enough_is_no_mistake():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        done = lengthwise("list", "encodings", "--json", stdout=pipe)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "words", [["decide", "(éß)*"], ["decide", "(é", "--json"], ["decide", "(éß)*", "--json"]]
)
def test_a_terminal_without_a_letter_gets_its_escape(words):
    """What was printed in JSON is JSON still."""
    pipe, ascii_only = subprocess.PIPE, {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = lengthwise(*words, stdout=pipe, env=ascii_only)
    assert done.returncode == (2 if words[1] == "(é" else 0), done.stderr
    if done.returncode:
        assert done.stderr.startswith("error: ")
        assert "\\u00e9" in done.stderr
    elif "--json" in words:
        assert "é" in json.dumps(json.loads(done.stdout), ensure_ascii=False)
    else:
        assert "\\u00e9\\u00df" in done.stdout


def broken(error):
    def call(words):
        raise error

    return call


def test_a_bug_is_two_lines_and_a_log(run, monkeypatch):
    monkeypatch.setattr(module, "call", broken(KeyError("x" * 1000)))
    code, out, err = run("predict", "(ab)*")
    assert (code, out, err.count("\n")) == (70, "", 2)
    assert err.startswith("error: a bug in Lengthwise (KeyError: 'xxx")
    assert "Traceback" not in err
    path = Path(err.split()[-1])
    log = path.read_text()
    path.unlink()
    assert "command: lengthwise predict '(ab)*'" in log
    assert "Traceback (most recent call last)" in log


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("no"), 2),
        (MemoryError(), 2),
        (OSError(28, "No space left on device"), 2),
        (PermissionError(13, "Permission denied", "there"), 2),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 0),
        (SystemExit(1), 1),
    ],
)
def test_everything_else_is_one_line(run, monkeypatch, error, code):
    monkeypatch.setattr(module, "call", broken(error))
    found, out, err = run("list")
    assert (found, out) == (code, "")
    assert err.count("\n") == (code > 1)


def test_bytes_that_are_no_text_are_refused(run):
    code, _, err = run("predict", "a\udcff")
    assert (code, err) == (2, "error: argument 2 is not UTF-8 text: 'a\\udcff'\n")


@pytest.mark.parametrize("text", ["x" * 10_000, "a b " * 3_000, "é\n" * 3_000, '"' * 1_000])
def test_errors_quote_a_little_of_a_long_input(run, text):
    assert len(str(InputError(f"what {text!r} is"))) < 300
    assert len(shortened(f"what {text!r} is")) < 300
    for words in (["show", text], ["train", text], ["verify", text], ["predict", f"({text}"]):
        code, _, err = run(*words)
        assert code == 2
        assert len(err) < 2_500


@pytest.mark.parametrize("what", ["raise GeneratorExit", "import sys; sys.exit(7)", "1 / 0"])
def test_a_users_file_that_ends_python_is_a_mistake(run, tmp_path, monkeypatch, what):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(f"{what}\n")
    Path("sweep.py").write_text(f"def SWEEP():\n    {what}\n")
    for words in (["train", "own.py:T"], ["sweep", "own.py"], ["sweep", "sweep.py"]):
        code, _, err = run(*words)
        assert (code, err.count("\n")) == (2, 1), err
