"""The command lines that the playground shows do what they say, in a real shell."""

import json
import os
import shlex
import subprocess
import sys

import pytest

from lengthwise.cli.main import COMMANDS, build_app
from lengthwise.languages.regex import compile_regex
from lengthwise.playground import commands
from lengthwise.playground.language import language
from lengthwise.playground.programs import compare, program
from lengthwise.playground.results import curves, run, runs, sweep

NASTY = ["-a*", "a'b", 'a"b', "regex:x.cr", "regex:parity", r"\$(touch)x", "`id`", "a;b", "&|<>"]


def shell(line, folder):
    """Run a line in sh, with ``lengthwise`` being this package."""
    binaries = folder / "bin"
    binaries.mkdir(exist_ok=True)
    script = binaries / "lengthwise"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m lengthwise "$@"\n')
    script.chmod(0o755)
    environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-ec", line], cwd=folder, env=environment, capture_output=True, text=True
    )


def parses(line):
    """Whether the command line understands every ``lengthwise`` command of a line."""
    app = build_app(COMMANDS)
    for part in line.split(" && "):
        words = shlex.split(part)
        if words[0] == "lengthwise":
            app.parse_args(words[1:], exit_on_error=False, print_error=False)


@pytest.mark.parametrize("text", NASTY)
def test_a_shown_name_is_read_as_the_same_language(text):
    from lengthwise.subjects import read_subject

    written = commands.shown_name(text)
    assert not written.startswith("-")
    read = read_subject(written)
    assert read.kind == "regex"
    assert read.dfa.equivalent(compile_regex(text.removeprefix("regex:")))


@pytest.mark.parametrize("regex", [regex for regex in NASTY if '"' not in regex])
def test_language_commands_are_understood(regex):
    letters = {*regex.removeprefix("regex:"), "-"} - set("*.()|\\")
    found = language({"regex": regex, "alphabet": "".join(sorted(letters))})
    for one in found["commands"]:
        parses(one["command"])
    word = shlex.split(found["commands"][0]["command"])[2]
    assert word == commands.shown_name(regex)


def test_language_commands_run(tmp_path):
    found = language({"regex": "(a'b)*", "accept": "end"})
    assert len(found["commands"]) == 4
    for one in found["commands"]:
        done = shell(one["command"], tmp_path)
        assert done.returncode == 0, (one, done.stderr)
    assert (tmp_path / commands.FILE).read_text().strip() == found["program"].strip()


TEXT = 'alphabet "-" "\'"\n// a $HOME `id` \\n % "comment"\naccept = #"-" > #"\'"\n'


def test_program_commands_run_and_agree(tmp_path):
    traced = program({"text": TEXT, "word": "--'", "accept": "end"})
    compared = compare({"text": TEXT, "word": "--'", "length": 12, "accept": "end"})
    printed = []
    for one in [*traced["commands"], *compared["commands"]]:
        done = shell(one["command"], tmp_path)
        assert done.returncode == 0, (one, done.stderr)
        printed.append(done.stdout)
    assert (tmp_path / commands.FILE).read_text() == TEXT
    assert "accepted" in printed[-1]
    assert "True" in printed[-2]
    assert compared["answers"] == {"program": "accepted", "transformer": "accepted"}


@pytest.mark.parametrize("word", ["", "-", "( )", "' ; rm -rf /", "a" * 200])
def test_words_of_any_kind_are_understood(word):
    for text, parameters in ((TEXT, ""), ("parameter n = 2\naccept = #true > n", "n=-3")):
        if text == TEXT and word not in ("", "-"):
            continue
        source = commands.ProgramSource(None, text, parameters)
        for one in [
            *commands.trace(source, word, "last")[1:],
            *commands.compare(source, word, "last", 300, "float32", False)[1:],
        ]:
            parses(one["command"])


def test_library_programs_are_named(tmp_path):
    from lengthwise.crasp.library import text

    found = program({"text": text("dyck-1") + "\n", "word": "( )"})
    assert found["commands"][0]["command"] == "lengthwise crasp show dyck-1"
    assert found["commands"][-1]["command"] == "lengthwise predict dyck-1.cr --explain"


def test_store_commands_run(small_store, tmp_path):
    where = str(small_store.root)
    ids = [row["id"] for row in runs({"store": where, "state": "done"})["runs"]]
    listed = runs({"store": where, "state": "done"})["commands"]
    shown = run({"store": where, "id": ids[0]})["commands"]
    watched = sweep({"store": where})["commands"]
    page = curves({"store": where, "ids": ids})["commands"]
    for one in [*listed, *shown, *watched, *page]:
        parses(one["command"])
    done = shell(listed[0]["command"] + " --json", tmp_path)
    assert {row["id"] for row in json.loads(done.stdout)} == set(ids)
    for text in ("ape", "NOPE", "o'b", "-x", "done"):
        found = runs({"store": where, "filter": text})
        done = shell(found["commands"][0]["command"] + " --json", tmp_path)
        assert {row["id"] for row in json.loads(done.stdout)} == {r["id"] for r in found["runs"]}
    done = shell(watched[0]["command"] + " --json", tmp_path)
    assert json.loads(done.stdout)["total"] == 5
