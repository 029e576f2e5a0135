"""``list encodings``, ``show`` and ``analyse relation`` as a user meets them."""

import json

import numpy as np
import pytest

from lengthwise.crasp.library import names
from lengthwise.positions import POSITIONS

TINY = """--layers 1 --heads 2 --width 8 --steps 4 --evaluate-every 4 --batch 8 --instances 10
    --train-length 1:4 --test-length 5:6 --jobs 1 --device cpu""".split()  # noqa: SIM905


def test_listing(run):
    code, out, _ = run("list", "encodings", "--json")
    rows = json.loads(out)
    assert code == 0
    assert [row["encoding"] for row in rows] == list(POSITIONS)
    assert all(row["summary"] for row in rows)
    assert "rotary" in run("list", "encodings")[1]


def test_programs_are_listed(run):
    code, out, _ = run("list", "programs")
    assert code == 0
    assert all(name in out for name in names())
    rows = json.loads(run("list", "programs", "--json")[1])
    assert [row["name"] for row in rows] == names()


def test_drawing(run, tmp_path):
    code, out, _ = run("show", "alibi", "--length", 9, "-o", tmp_path / "a.svg")
    assert code == 0
    assert "logit bias" in out
    assert "<svg" in (tmp_path / "a.svg").read_text()
    _, out, _ = run("show", "alibi", "--length", 3, "--json")
    assert json.loads(out)[0]["values"] == [[0, None, None], [-0.25, 0, None], [-0.5, -0.25, 0]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rop",), "Did you mean 'rope'"),
        (("rope:bas=3",), "Did you mean 'base'"),
        (("rope", "-o", "x.gif"), ".png, .svg or .pdf"),
        (("rope", "--length", 0), "needs at least 1 position"),
        (("ipe:relation=j-i",), "negative"),
    ],
)
def test_mistakes_end_in_one_line(run, words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("show", *words)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.glob("*.png"))


def test_a_learned_relation_becomes_the_fixed_relation_of_another_run(run, tmp_path):
    code, out, err = run("train", "select-last", "--encoding", "lbpe", *TINY, "--json")
    assert code == 0, err
    name = json.loads(run("runs", "--json")[1])[0]["id"]
    table = tmp_path / "learned.npz"
    drawing = tmp_path / "learned.png"
    code, out, err = run("analyse", "relation", name, "--plot", drawing, "-o", table)
    assert code == 0, err
    assert drawing.stat().st_size > 1000
    assert "query   7: " in out
    assert "trained lengths" in out
    assert "longer lengths" in out
    values = json.loads(run("analyse", "relation", name, "--json")[1])["values"]
    with np.load(table) as saved:
        assert saved["table"].tolist() == values
    code, out, err = run(
        "train", "select-last", "--encoding", f"ipe:relation={table}", *TINY, "--json"
    )
    assert code == 0, err


def test_only_lbpe_has_a_learned_relation(run):
    run("train", "select-last", "--encoding", "rope", *TINY, "--json")
    name = json.loads(run("runs", "--json")[1])[0]["id"]
    code, _, err = run("analyse", "relation", name)
    assert code == 2
    assert "lbpe" in err
    assert run("analyse", "relation", name, "-o", "x.txt")[0] == 2


def test_a_users_relation_and_bias_train_from_the_command_line(run, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "def phi(i, j, n):\n    return 1 if j == n else 0\n\ndef far(i, j):\n    return j - i\n"
    )
    for pe in (f"ipe-sh:relation={file}:phi", f"bias:function={file}:far", "ipe", "randomised"):
        code, _, err = run("train", "select-last", "--encoding", pe, *TINY, "--json")
        assert code == 0, err


def test_an_edited_function_is_another_run(run, tmp_path):
    from lengthwise.core.components import Component

    file = tmp_path / "mine.py"
    file.write_text("def f(i, j):\n    return 0\n")
    text = f"window:encoding=bias:function={file}:f"
    before = Component.parse(text, POSITIONS).digest
    file.write_text("def f(i, j):\n    return 1\n")
    assert before is not None
    assert Component.parse(text, POSITIONS).digest != before
    assert Component.parse("rope", POSITIONS).digest is None
