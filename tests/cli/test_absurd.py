"""Absurd inputs: one line, exit code 2, at once; never a traceback, never the whole input again."""

import pytest

from lengthwise.cli.main import COMMANDS, main
from lengthwise.core.errors import InputError
from lengthwise.crasp.parser import parse
from lengthwise.relations.expressions import read_function
from lengthwise.runs.sweep import Sweep
from lengthwise.theory.limit.compiler import compile_program

LONG = "q" * 200_000


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2, words[:3]
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert len(said) < 2_500
    return said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["decide", "(ab)*", "--time-limit", "inf"], "--time-limit"),
        (["decide", "(ab)*", "--time-limit", "nan"], "--time-limit"),
        (["decide", "(ab)*", "--max-monoid", "9" * 30], "--max-monoid"),
        (["decide", "(a|b){1,99999999999999999999}"], "more than 20,000 symbols"),
        (["compile", "majority", "--length", "9" * 22], "--length"),
        (["show", "rope", "--length", "99999999"], "--length"),
        (["train", "parity", "--threads", "9" * 20], "between 1 and 4096"),
        (["train", "parity", "--jobs", "99999"], "between 1 and 4096"),
        (["train", "parity", "--seed", "9" * 30], "--seed"),
        (["train", "parity", "--layers", "1001"], "--layers"),
        (["train", "parity", "--width", "9999999"], "--width"),
        (["train", "parity", "--batch", "9999999"], "--batch"),
        (["train", "parity", "--instances", "999999999"], "--instances"),
        (["train", "parity", "--train-length", "1:9999999"], "--train-length"),
    ],
)
def test_absurd_numbers_are_refused_at_the_border(words, message, capsys):
    assert message in refused(words, capsys)


NOTHING_TO_NAME = {"quickstart", "doctor", "ui", "list tasks", "list encodings", "list programs"}
WAITING = {"runs watch", "runs work", "dev completion"}


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - NOTHING_TO_NAME - WAITING))
def test_a_long_input_is_not_repeated(command, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = refused([*command.split(), LONG], capsys)
    assert "q" * 300 not in said


@pytest.mark.parametrize("nested", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000])
def test_deep_json_is_one_line(nested, tmp_path, capsys):
    path = tmp_path / "deep.json"
    path.write_text(nested)
    refused(["decide", str(path)], capsys)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("9**9**9", "too large a number"),
        ("1 << 9**9", "too large a number"),
        ("abs(i, j)", "abs takes one number"),
        ("i(j)", "can be called"),
        ("+" * 20_000 + "i", "at most 1,000 characters"),
        ("(" * 400 + "i" + ")" * 400, "nested"),
    ],
)
def test_absurd_expressions_are_refused(text, message):
    def ask() -> None:
        function = read_function(text, "relation")
        function(3, 2)

    with pytest.raises(InputError, match=message) as caught:
        ask()
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("text", ["2**j % 3", "i ** 2 - j", "(i - j) << 1", "abs(i - j) ** 0.5"])
def test_bounded_operations_are_the_usual_ones(text):
    for i, j in ((1, 1), (9, 4), (200, 150)):
        assert read_function(text, "relation")(i, j) == eval(text, {"i": i, "j": j, "abs": abs})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('accept = #[i-1000000000] "a" > 0', "look back at most 10,000"),
        ('accept = #[i-1000000000..i-1] "a" > 0', "look back at most 10,000"),
        ("accept = pos % 1000000000 == 0", "period 1,000,000,000 is too large"),
    ],
)
def test_programs_with_huge_offsets_and_periods_are_refused_with_the_place(text, message):
    with pytest.raises(InputError, match=message):
        parse(text)


@pytest.mark.parametrize(
    "text", ['accept = #[i-5000..i-1] "a" > 0', 'accept = pos % 100000 == 0 && "a"']
)
def test_what_would_need_thousands_of_heads_is_not_compiled(text):
    with pytest.raises(InputError, match=r"to 1,000 can be compiled"):
        compile_program(parse(text).replace(alphabet=("a",)))


def test_a_range_of_seeds_is_not_written_out_before_it_is_checked():
    sweep = {"task": ["parity"], "position": ["nope"], "seed": "0:99999999"}
    with pytest.raises(InputError, match=r"100,000,000 runs"):
        Sweep(axes=sweep).specs()


@pytest.mark.parametrize("body", ["import sys\nsys.exit(7)", "raise GeneratorExit", "raise Wild"])
@pytest.mark.parametrize("command", ["train", "predict", "show"])
def test_a_file_that_ends_the_program_is_one_line(command, body, tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text(f"class Wild(BaseException): pass\n{body}\n")
    assert "the file raised" in refused([command, f"{path}:T"], capsys)
