"""``lengthwise show`` and the lengths that ``lengthwise train`` chooses."""

import json

import pytest

import lengthwise as lw
from lengthwise.cli.main import main
from lengthwise.core.errors import InputError


def run(capsys, *words):
    """Call the command line; return exit code, output and errors."""
    code = 0
    try:
        main(list(words))
    except SystemExit as end:
        code = int(end.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_show_prints_the_windows(capsys):
    code, out, _ = run(capsys, "show", "tomita-7", "--windows", "--json")
    assert code == 0
    assert json.loads(out)[0] == {"for": "train", "disjoint": "1:100", "published": "17:100"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("majority", "--windows"), "no ranges of lengths"),
        (("majority", "--count", "0"), "--count. It must be at least 1"),
        (("majority", "--seed", "-1"), '"-1" for --seed. It must be at least 0'),
        (("majority", "--length", "-3"), "--length. It must be at least 0"),
        (("regex:(ab)*", "--length", "3"), "lengths that exist: 2, 4, 6"),
        (("regex:a[^a]",), "matches no symbol"),
        (("regex:((",), "regex"),
        (("regex:(ab)*;alphabet=a",), "b"),
        (("text:/no/such/file.txt",), "/no/such/file.txt"),
        (("dfa:/no/such/file.json",), "/no/such/file.json"),
    ],
)
def test_mistakes_are_named_in_one_line(capsys, words, message):
    code, out, err = run(capsys, "show", *words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err
    assert "Traceback" not in err


def test_published_lengths_leave_no_other_choice():
    with pytest.raises(InputError, match="published_lengths chooses the lengths"):
        lw.train("d-2", published_lengths=True, train_length=(1, 5))
    with pytest.raises(InputError, match="published_lengths chooses the lengths"):
        lw.train("d-2", published_lengths=True, test_length=[(1, 5)])


def test_published_lengths_reach_the_runs(capsys, tmp_path):
    small = ("--layers", "1", "--heads", "1", "--width", "8", "--steps", "1", "--instances", "4")
    where = ("--store", str(tmp_path / "runs"), "--json")
    code, out, _ = run(capsys, "train", "d-2", "--published-lengths", *small, *where)
    assert code == 0
    bins = [(part["low"], part["high"]) for part in json.loads(out)[0]["bins"]]
    assert bins == [(12, 50), (10, 30), (86, 100), (108, 150)]
