"""One table of namings for all commands: each reads the same text as the same thing."""

import json

import pytest

from lengthwise.cli.main import main
from lengthwise.languages.formats import to_json
from lengthwise.languages.regex import compile_regex

PYTHON = "def begins(word): return word[:1] == 'a'\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with one file of each kind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LENGTHWISE_STORE", raising=False)
    (tmp_path / "ab.json").write_text(to_json(compile_regex("(ab)*")))
    (tmp_path / "ab.cr").write_text('alphabet "a" "b"\naccept = #"b" == 0\n')
    (tmp_path / "bad.cr").write_text('x = #"a" == 1\ny = x &&\n')
    (tmp_path / "mine.py").write_text(PYTHON)


def run(capsys, *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([*words])
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


# how a command is called about something that a user names
ASKED = {
    "predict": ("predict", "{}", "--json"),
    "decide": ("decide", "{}", "--json"),
    "compile": ("compile", "{}", "--length", "20", "--json"),
    "crasp show": ("crasp", "show", "{}", "--json"),
    "crasp run": ("crasp", "run", "{}", "ab", "--json"),
    "crasp trace": ("crasp", "trace", "{}", "ab"),
    "crasp simplify": ("crasp", "simplify", "{}"),
    "crasp format": ("crasp", "format", "{}"),
    "crasp check": ("crasp", "check", "contains-ab", "--against", "{}", "--json"),
    "crasp learn": ("crasp", "learn", "{}", "--plain", "--size", "4", "--json"),
    "lab infer": ("lab", "infer", "{}", "--horizon", "16", "--json"),
    "lab communication": ("lab", "communication", "{}", "--longest", "2", "--json"),
    "analyse products": ("analyse", "products", "{}", "--json"),
    "analyse regulariser": ("analyse", "regulariser", "{}", "--json"),
    "train": (
        *("train", "{}", "--steps", "1", "--width", "8", "--heads", "1", "--layers", "1"),
        *("--train-length", "1:6", "--instances", "2", "--json"),
    ),
    "show": ("show", "{}", "--length", "4", "--json"),
}
LANGUAGES = ["predict", "decide", "crasp check", "crasp learn", "lab infer", "lab communication"]
TASKS = ["train", "show"]


def ask(capsys, command: str, text: str) -> tuple[int, str, str]:
    return run(capsys, *(word.format(text) for word in ASKED[command]))


@pytest.mark.parametrize("command", ASKED)
@pytest.mark.parametrize("text", ["(ab)*", "regex:(ab)*", "ab.json", "automaton:ab.json"])
def test_every_command_takes_expressions_and_automata(capsys, command, text):
    code, _, err = ask(capsys, command, text)
    assert code in (0, 1), err  # 1: what was compared differs
    assert "error" not in err


@pytest.mark.parametrize("command", [name for name in ASKED if name not in TASKS])
@pytest.mark.parametrize("text", ["ab.cr", "program:ab.cr", "program:d-2"])
def test_every_command_but_those_about_tasks_takes_programs(capsys, command, text):
    code, _, err = ask(capsys, command, text)
    assert code in (0, 1), err
    assert "error" not in err


@pytest.mark.parametrize("command", ASKED)
@pytest.mark.parametrize("text", ["d-2", "task:d-2"])
def test_every_command_takes_tasks_with_a_regular_language(capsys, command, text):
    code, _, err = ask(capsys, command, text)
    assert code in (0, 1), err
    assert "error" not in err


@pytest.mark.parametrize("command", TASKS)
def test_a_program_is_no_task(capsys, command):
    code, _, err = ask(capsys, command, "ab.cr")
    assert code == 2
    assert "a program is no task" in err


# a mistake -> what every command says about it
MISTAKES = {
    "nosuch.json": "there is no such file",
    "nosuch.py:f": "nosuch.py",
    "bounded-dyk": "bounded-dyck",
    "(ab": "column 1: this '(' is never closed",
    "a$b": "anchor",
    "data.txt": "regex:data.txt",
    "parity:size=3": "size",
    "task:nosuch": "unknown task 'nosuch'",
    "regex:": "names nothing",
}


@pytest.mark.parametrize("command", ASKED)
@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_the_same_line_everywhere(capsys, command, text):
    code, out, err = ask(capsys, command, text)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert MISTAKES[text] in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize("command", [name for name in ASKED if name not in TASKS])
def test_a_mistake_in_a_program_points_to_its_place_everywhere(capsys, command):
    code, _, err = ask(capsys, command, "bad.cr")
    assert code == 2
    assert err.splitlines() == [
        "error: bad.cr:2:9: unexpected the end of the line; expected an expression.",
        "    y = x &&",
        "            ^",
    ]


@pytest.mark.parametrize("command", LANGUAGES)
def test_functions_are_taken_where_languages_are(capsys, command):
    words = [word.format("mine.py:begins") for word in ASKED[command]]
    words += [] if command == "crasp check" else ["--alphabet", "ab"]
    code, out, err = run(capsys, *words)
    assert code in (0, 1), err
    assert "error" not in err
    assert json.loads(out)


def test_a_named_task_is_trained_under_its_own_name(capsys):
    _, out, _ = ask(capsys, "train", "(ab)*")
    assert json.loads(out)[0]["task"] == "regex:pattern=(ab)*"
