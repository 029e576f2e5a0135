"""Mistakes over all commands: one clear line that names the culprit, and exit code 2."""

import inspect
import json

import pytest

from lengthwise.cli.console import print_table
from lengthwise.cli.main import COMMANDS, load, main

# what is typed -> what the line must name. Files: bad.cr, bad.json, list.txt, old.py are given.
MISTAKES = {
    "frobnicate": "frobnicate",
    "help": "--help",
    "positions rope": "'lengthwise list encodings' or 'lengthwise show'",
    "list encodings rope": "`lengthwise show rope`",
    "verify-certificate x.json": "'lengthwise verify'",
    "train parity --pe nope": "--pe is now --encoding",
    "lab src parity --n0 4": "--n0 is now --train-length",
    "reproduce huang2024 --html page.html": "--html is now --report",
    "reproduce huang2024 --kept --size smoke": "no smoke results of huang2024",
    "reproduce --kept": "name a study",
    "reproduce huang2024 --dry-run --report page.html": "--dry-run trains nothing",
    "show addition -o picture.png": "only an encoding is drawn",
    "show rope --windows": "is an encoding",
    "show rop": "Did you mean 'rope'?",
    "show encoding:parity": "unknown position encoding 'parity'",
    "predict (ab": "column 1",
    "predict paritty": "Did you mean 'parity'?",
    "predict parity --encoding roop": "roop",
    "predict parity --encoding t5": "encoding 't5': no theory says what it can do",
    "predict": "predict: SUBJECT is missing; see `lengthwise predict --help`",
    "train parity --encoding nope ape": "'ape' is an encoding, not a task: write --encoding ape",
    "train parity --encoding nameless.py:Mine": "the class says no name; write `name = ...`",
    "sweep empty.toml": "axes: is missing",
    "predict old.py:missing --alphabet ab": "missing",
    "predict old.py:fine": "--alphabet",
    "predict (ab)* --time-limit 0": "--time-limit",
    "decide": "no language",
    "decide a** --max-monoid 0": "--max-monoid",
    "decide a{5,2}": "column",
    "decide (": "column 2",
    "decide ()": "name the alphabet",
    "decide (ab)* --accept middle": "--accept",
    "decide absent.json": "absent.json",
    "decide bad.json": "bad.json",
    "decide bad.cr": "bad.cr:2",
    "decide list.txt": "regex:list.txt",
    "decide paritty": "Did you mean 'parity'?",
    "decide --suite published2": "published2",
    "verify absent.json": "absent.json",
    "verify bad.json": "bad.json",
    "crasp show dyck1": "dyck-1",
    "crasp show bad.cr": "bad.cr:2",
    "crasp run dyck-1 abc": "a",
    "crasp check dyck-1 --against (": "column 2",
    "crasp learn": "--examples",
    "compile dyck-1 --length 0": "--length",
    "compile absent.cr": "absent.cr",
    "ask absent.safetensors ab": "absent.safetensors",
    "evaluate absent.safetensors": "absent.safetensors",
    "evaluate absent --length 5": "--length",
    "evaluate absent --until 170%": "--until",
    "evaluate absent --instances 0": "instances",
    "evaluate absent": "absent",
    "train parity --train-length 0:0": "--train-length",
    "train parity --seeds 0": "--seeds",
    "train parity --jobs 0": "--jobs",
    "train parity --layers 2.5": "'2.5' is not a whole number",
    "train parity --warmup 2.5": "'2.5' is not a whole number",
    "show parity --seed 0.5": "'0.5' is not a whole number",
    "dev bench --group sampling --rounds 0": "--rounds",
    "compile dyck-1 --length 5 --output list.txt/there": "list.txt",
    "compile dyck-1 --alphabet xyz": "--alphabet",
    "show rope --output list.txt/there.png": "list.txt",
    "train parity --threads -1": "--threads",
    "train parity --learning-rate -1": "--learning-rate",
    "train list.txt:Mine": "list.txt",
    "train old.py:fine": "old.py:fine",
    "show parity:size=3": "size",
    "show regex: --length 3": "regex",
    "show ropes": "rope",
    "sweep absent.toml": "absent.toml",
    "sweep list.txt": "list.txt",
    "runs select absent.toml": "absent.toml",
    "runs work --sweep absent.toml --shard 1/2": "absent.toml",
    "runs query 'selct 1'": "selct",
    "runs export": "--",
    "runs --state finished": "--state",
    "analyse relation abcdef": "abcdef",
    "analyse probe abcdef": "abcdef",
    "analyse positional abcdef": "abcdef",
    "analyse regulariser": "--run",
    "analyse products nothing": "nothing",
    "analyse products": "--run",
    "analyse limit abcdef": "abcdef",
    "lab communication nothing": "nothing",
    "lab lrc --target nothing": "nothing",
    "lab lrc --train-length 9 --length 3": "N0 = 9",
    "lab theorem 3": "3",
    "lab src nothing": "nothing",
    "lab relation nothing": "nothing",
    "lab nope --length x": "x",
    "lab infer (ab)* --context 0": "context 0",
    "lab scoreboard --suite nothing": "nothing",
    "dev bench --group nothing": "nothing",
    "quickstart --output list.txt/there": "list.txt",
    "dev completion tcsh": "bash",
    "reproduce nobody2020": "nobody2020",
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with some files that are not what they seem."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "bad.cr").write_text('x = #"a" == 1\ny = x &&\n')
    (folder / "bad.json").write_text('{"format": "none"}')
    (folder / "list.txt").write_text("(ab)*\n")
    (folder / "old.py").write_text("def fine(word):\n    return True\n")
    (folder / "nameless.py").write_text(
        "from lengthwise.positions.base import EncodingModule, PositionEncoding\n"
        "class Mine(PositionEncoding):\n"
        "    def build(self, shape):\n        return EncodingModule()\n"
    )
    (folder / "empty.toml").write_text('name = "nothing"\n')
    return folder


@pytest.mark.parametrize("typed", MISTAKES)
def test_a_mistake_is_one_line_that_names_it(run, files, tmp_path, typed):
    import shlex

    words = shlex.split(typed) if "'" in typed else typed.split()
    before = sorted(files.iterdir())
    code, out, err = run(*words)
    assert code == 2, (out, err)
    message = err.strip()
    assert message.startswith("error: ")
    assert MISTAKES[typed] in message
    assert "Traceback" not in out + err
    assert len([line for line in message.splitlines() if not line.startswith(" ")]) == 1, message
    assert sorted(path for path in files.iterdir() if path.name != "__pycache__") == before
    assert not list((tmp_path / "store").glob("*")) if (tmp_path / "store").exists() else True


def run_(capsys, *words):
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    return stopped.value.code, capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("train", "parity", "--learning-rate", "inf"), "finite"),
        (("train", "parity", "--first-seed", str(2**64 - 1)), "--first-seed. It must be between"),
        (("compile", "dyck-1", "-o", "x.json"), "use a name that ends in .safetensors"),
        (("crasp", "check", "majority", "--against", "ok.py:boom"), "failed on the word"),
        (("crasp", "check", "majority", "--against", "ok.py:X"), "not a function"),
        (("lab", "lrc", "--plot", "ok.py/x.svg"), "x.svg"),
        (("lab", "lrc", "--seed", "-1"), "--seed"),
        (("lab", "scoreboard", "--suite", "random", "--seed", "-1", "--dry-run"), "--seed"),
    ],
)
def test_more_mistakes_are_one_line(capsys, tmp_path, monkeypatch, words, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ok.py").write_text("X = 3\ndef boom(word):\n    raise ValueError('no')\n")
    code, found = run_(capsys, *words)
    assert code == 2, found.err
    assert expected in found.err
    assert "Traceback" not in found.err
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] != "_") == ["ok.py"]


def test_an_expression_longer_than_any_file_name_is_an_expression(capsys):
    code, found = run_(capsys, "predict", "(ab)*" * 60, "--encoding", "nope", "--json")
    assert code == 0, found.err


def test_a_prefix_says_that_it_is_an_expression(capsys):
    found = [
        json.loads(run_(capsys, "decide", text, "--json")[1].out)[0]
        for text in ("(ab)*", "regex:(ab)*")
    ]
    for one in found:
        del one["seconds"]
    assert found[0] == found[1]


def test_an_export_that_cannot_be_written_is_one_line(run, files):
    code, _, err = run("runs", "export", "--csv", "list.txt/there.csv")
    assert code == 2
    assert err.startswith("error: --csv list.txt/there.csv: cannot write")


def test_no_option_rounds_a_fraction():
    """A bare ``int`` would: options take ``Whole``, ``Count`` or ``Seed``."""
    for words, (target, _) in COMMANDS.items():
        for parameter in inspect.signature(load(target)).parameters.values():
            assert parameter.annotation not in (int, int | None), (words, parameter.name)


def test_many_columns_are_listed_row_by_row(capsys):
    print_table([{f"name_{number}": number for number in range(43)} | {"gone": None}])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "name_0   0"
    assert lines[42] == "name_42  42"
    assert len(lines) == 44
