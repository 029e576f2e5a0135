import json

import pytest

from lengthwise.cli.main import main
from lengthwise.crasp.parser import parse
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide import explain as explaining
from lengthwise.theory.decide.decision import decide

ANSWER = {"answer", "modulus", "window", "rounds", "depth", "kind", "strength"}
OBJECT = {
    "regex",
    "alphabet",
    "accept",
    "states",
    "monoid",
    "plain",
    "periodic_local",
    "classes",
    "neutral_letter_safe",
    "readings",
    "seconds",
}


def run(capsys, *arguments):
    """Run the command line; return the exit code, standard output and standard error."""
    code = 0
    try:
        main([*arguments])
    except SystemExit as end:
        code = end.code or 0
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_json_is_the_documented_contract(capsys):
    code, out, _ = run(capsys, "decide", "(ab)*", "(aa)*", "--alphabet", "ab", "--json")
    assert code == 0
    rows = json.loads(out)
    assert [row["regex"] for row in rows] == ["(ab)*", "(aa)*"]
    for row in rows:
        assert set(row) == OBJECT
        assert set(row["plain"]) == set(row["periodic_local"]) == ANSWER
        assert {"star_free", "r_trivial", "r_infinity", "r_g"} <= set(row["classes"])
        assert row["accept"] == "last"
        assert row["alphabet"] == ["a", "b"]
    first, second = rows
    assert first["plain"]["answer"] == "in"
    assert (first["plain"]["modulus"], first["plain"]["window"]) == (1, 0)
    assert second["plain"]["answer"] == "out"
    assert second["plain"]["modulus"] is None
    assert second["periodic_local"]["modulus"] == 2
    assert second["neutral_letter_safe"] is False


def test_the_depth_is_that_of_the_written_program(capsys, tmp_path):
    path = tmp_path / "out.cr"
    code, out, _ = run(capsys, "decide", "(ab|bbaa)*", "--program", str(path), "--json")
    assert code == 0
    from lengthwise.crasp.facts import analyse

    depth = analyse(parse(path.read_text())).depth
    assert json.loads(out)[0]["plain"]["depth"] == depth == 3


def test_certificates_are_written_and_verified(capsys, tmp_path):
    path = tmp_path / "out.json"
    assert run(capsys, "decide", "(aa)*", "[ab]*b", "--certificate", str(path))[0] == 0
    code, out, _ = run(capsys, "verify", str(path), "--json")
    assert code == 0
    rows = json.loads(out)
    assert len(rows) == 4
    assert rows[1]["proved"] == (
        "the automaton's language is in C-RASP[periodic, local] (convention last)"
    )
    changed = json.loads(path.read_text())
    changed["certificates"][0]["regex"] = "(aaa)*"
    path.write_text(json.dumps(changed))
    code, _, err = run(capsys, "verify", str(path))
    assert code == 2
    assert "certificate 1: the automaton is not that of '(aaa)*'" in err


def test_tables_state_the_convention_and_the_basis(capsys):
    code, out, _ = run(capsys, "decide", "[ab]*b", "--alphabet", "ab")
    assert code == 0
    assert "[ab]*b" in out
    assert "accept = last" in out
    assert "unpublished" in out
    assert "padding" in out


def test_explanations_argue_in_words(capsys):
    _, out, _ = run(capsys, "decide", "[012]*02*", "--explain", "--accept", "end")
    assert "OUT" in out
    assert "Pad with copies of 2" in out
    assert "Yang, Veseli et al. 2026" in out
    assert "own derivation, unpublished" in out


def test_files_dialects_automata_and_functions(capsys, tmp_path):
    listing = tmp_path / "list.txt"
    listing.write_text("# comment\n(a+b)*\n\n(ab)*\n")
    automaton = tmp_path / "even.att"
    automaton.write_text("0 1 a\n1 0 a\n0\n")
    source = tmp_path / "mine.py"
    source.write_text("def odd(word):\n    return len(word) % 2 == 1\n")
    options = [str(automaton), f"{source}:odd", "--file", str(listing), "--union-plus"]
    code, out, _ = run(capsys, "decide", *options, "--alphabet", "ab", "--json")
    assert code == 0
    rows = json.loads(out)
    assert [row["states"] for row in rows] == [2, 2, 1, 2]
    assert "not proved" in rows[1]["learned"]
    assert rows[2]["union_plus"] is True


FUNCTIONS = """
def odd(word): return len(word) % 2 == 1
def copies(word): return word.count("#") == 1 and word.split("#")[0] == word.split("#")[1]
def loops(word):
    while len(word) > 2: pass
    return True
"""


def test_a_learned_automaton_is_sampled_wherever_its_strength_is_said(capsys, tmp_path):
    source, saved = tmp_path / "mine.py", tmp_path / "c.json"
    source.write_text(FUNCTIONS)
    options = [f"{source}:odd", "--alphabet", "ab", "--accept", "end"]
    code, out, _ = run(capsys, "decide", *options, "--json", "--certificate", str(saved))
    row = json.loads(out)[0]
    assert code == 0
    assert (row["plain"]["answer"], row["plain"]["strength"]) == ("out", "sampled")
    assert (row["periodic_local"]["answer"], row["periodic_local"]["strength"]) == ("in", "sampled")
    for certificate in json.loads(saved.read_text())["certificates"]:
        assert "not proved equal" in certificate["learned"]
        assert certificate["strength"] == "sampled"
    assert run(capsys, "verify", str(saved))[0] == 0
    code, out, _ = run(capsys, "decide", *options)
    assert "read: all words to length 17" in " ".join(out.partition("┏")[0].split())
    assert "odd: sampled, whatever the theorem" in " ".join(out.split())
    code, out, _ = run(capsys, "decide", *options, "--explain")
    assert "read: all words to length 17" in " ".join(out.partition("minimal")[0].split())
    assert "Basis: The automaton was learned" in " ".join(out.split())


def test_without_an_automaton_both_answers_are_open_and_say_why(capsys, tmp_path):
    source = tmp_path / "mine.py"
    source.write_text(FUNCTIONS)
    options = [f"{source}:copies", "--alphabet", "ab#"]
    code, out, _ = run(capsys, "decide", "(ab)*", *options, "--json")
    first, row = json.loads(out)
    assert (code, first["plain"]["answer"]) == (0, "in")
    assert row["plain"]["answer"] == row["periodic_local"]["answer"] == "undecided"
    assert "fits all words to length 5 but not" in row["plain"]["tried"]
    assert row["states"] is row["monoid"] is row["classes"]["r_trivial"] is None
    code, out, _ = run(capsys, "decide", *options, "--explain")
    assert "Undecided: an automaton of" in out
    svg = ["--plot", str(tmp_path / "a.svg")]
    assert "no automaton to draw" in run(capsys, "decide", *options, *svg)[2]
    saved = ["--certificate", str(tmp_path / "c.json")]
    assert "nothing was decided" in run(capsys, "decide", *options, *saved)[2]
    options = [f"{source}:loops", "--alphabet", "ab", "--time-limit", "5"]
    code, _, err = run(capsys, "decide", *options)
    assert code == 2
    assert "gave no answer within" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["(ab"], "column 1: this '(' is never closed"),
        (["abc", "--alphabet", "ab"], "symbol 'c' is not in the alphabet"),
        ([], "no language"),
        (["--file", "missing.txt"], "missing.txt: there is no such file"),
        (["missing.json"], "missing.json: there is no such file"),
        (["a", "--time-limit", "0"], "--time-limit. It must be above 0"),
        (["--suite", "huang"], "unknown suite"),
        (["a", "b", "--program", "x.cr"], "--program: this takes one language; 2 were given"),
        (["(aa)*b*a", "--program", "/dev/null/x.cr"], "cannot write"),
        (["a", "--program", "x.txt"], "ends in .cr"),
        (["b*(ab*ab*)*", "--program", "x.cr"], "there is no program"),
        (["none.py:f", "--alphabet", "a"], "none.py: there is no such file"),
        (["a", "--accept", "first"], "first"),
    ],
)
def test_mistakes_are_one_line(capsys, arguments, message):
    code, out, err = run(capsys, "decide", *arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "lengthwise-certificate"}'])
def test_broken_certificates_are_one_line(capsys, tmp_path, text):
    path = tmp_path / "broken.json"
    path.write_text(text)
    code, out, err = run(capsys, "verify", str(path))
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1


def test_lines_of_files_are_named(capsys, tmp_path):
    listing = tmp_path / "list.txt"
    listing.write_text("(ab)*\n(a\n")
    code, _, err = run(capsys, "decide", "--file", str(listing))
    assert code == 2
    assert "line 2" in err
    assert "column 1" in err


def test_the_automaton_is_drawn_unless_it_is_too_large(capsys, tmp_path):
    svg = tmp_path / "x.svg"
    assert run(capsys, "decide", "(ab)*", "--plot", str(svg))[0] == 0
    assert 'aria-label="Automaton with 2 states; start 0; accepting: 0;' in svg.read_text()
    large = tmp_path / "large.svg"
    code, _, err = run(capsys, "decide", "a{50}", "--plot", str(large))
    assert code == 2
    assert "--plot: 51 states are too many to draw (the limit is 40)" in err
    assert not large.exists()


def test_who_stops_it_sees_what_was_decided(capsys, monkeypatch):
    seen = []

    def stopped(dfa, *rest, **about):
        seen.append(about["regex"])
        if len(seen) == 2:
            raise KeyboardInterrupt
        return decide(dfa, *rest, **about)

    monkeypatch.setattr("lengthwise.theory.decide.decision.decide", stopped)
    code, out, err = run(capsys, "decide", "(ab)*", "(aa)*")
    assert code == 130
    assert "(ab)*" in out
    assert "(aa)*" not in out
    assert "interrupted" in err


def test_explanations_of_undecided_answers_say_what_was_tried():
    from lengthwise.core.limits import Limits

    found = decide(compile_regex("(aa|b)*"), "end", Limits(seconds=1e-9))
    assert "What was tried" in explaining.explain(found)


def test_a_quote_in_the_alphabet_costs_the_program_not_the_answer(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["decide", '("a)*', "--json"])
    assert stopped.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert (found if isinstance(found, dict) else found[0])["plain"]["answer"] == "in"
