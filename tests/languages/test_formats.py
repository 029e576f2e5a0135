from pathlib import Path

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.languages import formats
from lengthwise.languages.dfa import DFA
from lengthwise.languages.formats import from_att, from_json, read_automaton, to_json
from tests.languages.helpers import random_dfa


def test_json_round_trip():
    rng = np.random.default_rng(0)
    for _ in range(20):
        dfa = random_dfa(rng)
        assert from_json(to_json(dfa)).equivalent(dfa)


def test_symbols_may_have_several_characters():
    text = """{"alphabet": ["open", "close"], "initial": 0, "accepting": [0], "partial": true,
               "transitions": {"0": {"open": 1}, "1": {"close": 0}}}"""
    dfa = from_json(text)
    assert dfa.accepts(["open", "close"])
    assert not dfa.accepts(["close"])
    assert dfa.decode([0, 1]) == "open close"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON at line 1"),
        ("[]", "expected a JSON object"),
        ('{"alphabet": ["a"]}', "'initial' is missing"),
        (
            '{"alphabet": ["a"], "initial": 0, "accepting": [], "transitions": {"0": {}}}',
            "state '0' has no transition on 'a'",
        ),
        (
            '{"alphabet": ["a"], "initial": 0, "accepting": [],'
            ' "transitions": {"0": {"a": 0, "a": 1}}}',
            "'a' is given twice",
        ),
        (
            '{"alphabet": ["a"], "initial": 0, "accepting": [7], "transitions": {"0": {"a": 0}}}',
            "accepting state '7'",
        ),
        (
            '{"alphabet": ["a"], "initial": 0, "accepting": [], "transitions": {"0": {"b": 0}}}',
            "symbol 'b' is not in: a",
        ),
        (
            '{"alphabet": ["a"], "initial": 0, "accepting": [], "extra": 1,'
            ' "transitions": {"0": {"a": 0}}}',
            "unknown key 'extra'",
        ),
    ],
)
def test_bad_json_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        from_json(text)


def test_att_reads_acceptors():
    assert from_att("0 1 a\n1 0 b b\n0\n").equivalent(
        DFA("ab", [[1, 2], [2, 0], [2, 2]], 0, [True, False, False])
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file is empty"),
        ("0 1 a\n0 2 a\n", "two transitions on 'a'"),
        ("0 1 a b\n", "line 1: input 'a' and output 'b' differ"),
        ("0 1 a a 0.5\n", "line 1: 5 fields"),
        ("0 1 <eps>\n", "empty moves"),
    ],
)
def test_bad_att_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        from_att(text)


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(formats, "MAX_STATES", 10)
    lines = "\n".join(f"{i} {i + 1} a" for i in range(11))
    with pytest.raises(InputError, match="12 states; the limit is 10"):
        from_att(lines)


def test_files_are_read_by_ending(tmp_path: Path):
    path = tmp_path / "x.att"
    path.write_text("0 0 a\n0\n")
    assert read_automaton(path).accepts("aaa")
    other = tmp_path / "x.yaml"
    other.write_text("")
    with pytest.raises(InputError, match="unknown ending"):
        read_automaton(other)
