"""``lengthwise analyse cost`` at a size that takes no time: what it prints and refuses."""

import json

import pytest

SIZE = ("--layers", "1", "--heads", "1", "--width", "8", "--rounds", "1")
WORDS = (
    "analyse",
    "cost",
    *SIZE,
    "--encoding",
    "nope",
    "--encoding",
    "t5",
    "--length",
    "9",
    "--length",
    "5",
)


def test_every_encoding_is_measured_at_every_length(run):
    code, out, err = run(*WORDS, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    cells = [(row["encoding"], row["length"]) for row in found]
    assert cells == [("nope", 5), ("t5", 5), ("nope", 9), ("t5", 9)]
    assert all(0 < row["forward"] < row["step"] for row in found)
    assert all(row["memory"] >= 0 for row in found)


def test_the_table_names_its_units(run):
    code, out, _ = run(*WORDS)
    assert code == 0
    assert "memory, MB" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--encoding", "nop"), "Did you mean 'nope'"),
        (("--length", "0"), "--length. It must be at least 1"),
        (("--batch", "0"), "--batch. It must be at least 1"),
        (("--threads", "-1"), "--threads. It must be at least 1"),
        (("--heads", "3"), "heads=3 does not divide width=128"),
    ],
)
def test_mistakes_are_one_line(run, words, message):
    code, out, err = run("analyse", "cost", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
