import json
import re

import pytest

from lengthwise.cli.main import main
from lengthwise.crasp import parse_file
from lengthwise.crasp.library import load, names


def run(capsys, *words, family="crasp"):
    try:
        main([family, *words])
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    out = capsys.readouterr()
    return code, out.out, out.err


def test_list(capsys):
    code, out, _ = run(capsys, "programs", family="list")
    assert code == 0
    assert all(name in out for name in names())
    rows = json.loads(run(capsys, "programs", "--json", family="list")[1])
    assert [row["name"] for row in rows] == names()


def test_show(capsys):
    assert "// depth 2, size 14" in run(capsys, "show", "dyck-1")[1]
    assert "\\begin{align*}" in run(capsys, "show", "dyck-1", "--latex")[1]
    assert "> Cb + 7" in run(capsys, "show", "bounded-dyck", "--set", "n=7")[1]
    assert json.loads(run(capsys, "show", "aa", "--json")[1])["periods"] == [2]


def test_run(capsys, tmp_path):
    code, out, _ = run(capsys, "run", "dyck-1", "( ( ) )", "())", "")
    assert (code, out.splitlines()) == (
        0,
        ["( ( ) ): accepted", "()): rejected", "(empty word): accepted"],
    )
    words = tmp_path / "words.txt"
    words.write_text("// comment\n\n( )\n) (\n")
    rows = json.loads(run(capsys, "run", "dyck-1", "--file", str(words), "--json")[1])
    assert [row["result"] for row in rows] == [True, False]
    assert run(capsys, "run", "generate-sort", "3 1 4 <sep>")[1] == "3 1 4 <sep>: 1 3 4 <eos>\n"
    assert run(capsys, "run", "majority", "aab", "--accept", "end")[1] == "aab: accepted\n"


def test_trace(capsys, tmp_path):
    out = run(capsys, "trace", "dyck-1", "( ( ) )")[1]
    assert out.splitlines()[1] == "C_open   1  2  2  2"
    page = tmp_path / "t.html"
    assert run(capsys, "trace", "dyck-1", "(())", "--report", str(page))[0] == 0
    assert "<table" in page.read_text()


def test_check(capsys):
    code, out, _ = run(capsys, "check", "d-2", "--against", "(a(ab)*b)*")
    assert code == 0
    assert "equal on words of every length" in out
    code, out, _ = run(capsys, "check", "d-2", "--against", "(ab)*")
    assert code == 1
    assert "shortest counterexample: a a b b (the program accepts it)" in out
    code, out, _ = run(capsys, "check", "tomita-4", "--against", "tomita-4", "--json")
    assert json.loads(out)["evidence"] == "proof"
    code, out, _ = run(
        capsys, "check", "generate-majority", "--against", "majority:letters=3", "--samples", "50"
    )
    assert (code, "solves all 50" in out) == (0, True)


def test_simplify_and_format(capsys, tmp_path):
    path = tmp_path / "noisy.cr"
    path.write_text('u = #"z"  // unused\nx=!!(#"a"+0>1)\n')
    assert run(capsys, "simplify", str(path))[1] == 'x = #"a" > 1\n'
    again = tmp_path / "again.cr"
    found = run(capsys, "format", str(path), "--output", str(again))
    assert found == (0, "", f"program: {again}\n")
    assert parse_file(again) == parse_file(path)


def test_learn(capsys, tmp_path):
    target = tmp_path / "found.cr"
    code, out, _ = run(capsys, "learn", "a*", "--alphabet", "ab", "--output", str(target))
    assert code == 0
    assert "verified: equal on words of every length" in out
    assert parse_file(target).alphabet == ("a", "b")
    examples = tmp_path / "examples.txt"
    examples.write_text("+ a\n- b\n+ ab\n- bb\n+ ba\n")
    assert 'accept = #"a"' in run(capsys, "learn", "--examples", str(examples), "--plain")[1]
    code, out, _ = run(capsys, "learn", "a*", "--alphabet", "ab", "--plain", "--train-length", "3")
    assert "right everywhere tested from n = 2 on" in out
    options = ["--plain", "--depth", "1", "--size", "5", "--json"]
    code, out, _ = run(capsys, "learn", "(b*ab*a)*b*", *options)
    assert (code, json.loads(out)["program"]) == (1, None)


def test_what_is_not_found_is_not_written(capsys, tmp_path):
    target = tmp_path / "none.cr"
    options = ["--plain", "--depth", "1", "--size", "5", "-o", str(target)]
    code, out, err = run(capsys, "learn", "(b*ab*a)*b*", *options)
    assert code == 1
    assert out.startswith("// nothing found in")
    assert (err, target.exists()) == ("", False)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "dyck", "a"], "unknown program 'dyck'"),
        (["run", "dyck-1"], "give words"),
        (["run", "dyck-1", "( a"], "symbol 'a' at position 2"),
        (["run", "none.cr", "a"], "none.cr: there is no such file"),
        (["run", "dyck-1", "--file", "none.txt"], "none.txt: there is no such file"),
        (["run", "bounded-dyck", "ab", "--set", "m=1"], "no parameter 'm'"),
        (["run", "generate-sort", "3 1"], "no `next` holds"),
        (["check", "dyck-1", "--against", "(("], "regex '(('"),
        (["check", "dyck-1", "--against", "none.py:f"], "none.py: there is no such file"),
        (["check", "generate-sort", "--against", "sort"], "symbols the program does not know"),
        (["learn"], "give a language"),
        (["learn", "a*", "--task", "aa-star"], "--task is now"),
        (["learn", "sort", "--train-length", "3"], "is for languages"),
        (["learn", "a*", "--train-length", "0"], "at least 1"),
        (["trace", "dyck-1", "()", "--report", "/dev/null/x.html"], "cannot write"),
        (["trace", "dyck-1", "()", "--accept", "first"], "first"),
    ],
)
def test_mistakes_are_one_message_and_code_2(capsys, words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, *words)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert err.startswith("error: ")


def test_parse_errors_show_the_caret(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.cr").write_text('x = #"a"\ny = x &&\n')
    code, _, err = run(capsys, "run", "bad.cr", "a")
    assert code == 2
    assert re.search(r"error: bad\.cr:2:9: unexpected.*\n    y = x &&\n            \^", err)


def test_library_programs_survive_formatting(capsys, tmp_path):
    for name in names():
        path = tmp_path / f"{name}.cr"
        run(capsys, "format", name, "--output", str(path))
        assert parse_file(path) == load(name)
