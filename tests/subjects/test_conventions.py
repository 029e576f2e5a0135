"""One question, one answer: the same under each convention in every command, and one default."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.cli.main import main
from lengthwise.core.limits import Limits
from lengthwise.languages.convention import DEFAULT, LANGUAGES, TITLES
from lengthwise.languages.regex import compile_regex
from lengthwise.playground.language import language
from lengthwise.predict import predict
from lengthwise.predict.card import read_elsewhere
from lengthwise.theory.decide.decision import decide
from lengthwise.theory.decide.readings import readings

SAID = {"in": "yes", "out": "no", "undecided": "undecided"}


def patterns() -> st.SearchStrategy[str]:
    letters = st.sampled_from("ab")
    return st.recursive(
        letters,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner).map("({0[0]}|{0[1]})".format),
            inner.map("({})*".format),
        ),
        max_leaves=6,
    ).map("({})".format)


def asked(text: str, accept: str | None) -> list[list[str]]:
    """The two answers by predict, by decide and by the playground."""
    chosen = {} if accept is None else {"accept": accept}
    found = predict(text, encodings=["nope", "ape"], **chosen)
    page = language({"regex": text, **chosen})
    decision = decide(compile_regex(text), **chosen)
    cells = {row["encoding"]: row["generalizes"] for row in page["verdicts"]}
    return [
        [found.verdict("nope").answer, found.verdict("ape").answer],
        [SAID[decision.plain.answer], SAID[decision.periodic_local.answer]],
        [cells["nope"], cells["ape"]],
        [SAID[answer["answer"]] for answer in page["answers"]],
    ]


@settings(max_examples=15, deadline=None)
@given(patterns(), st.sampled_from((None, *LANGUAGES)))
def test_predict_decide_and_the_playground_agree(pattern, accept):
    first, *others = asked(pattern, accept)
    assert all(answer == first for answer in others)
    if accept is None:
        assert asked(pattern, DEFAULT)[0] == first


@settings(max_examples=40, deadline=None)
@given(patterns())
def test_readings_are_the_decisions_one_by_one(pattern):
    dfa = compile_regex(pattern)
    for accept in LANGUAGES:
        found = readings(decide(dfa, accept))
        assert found is not None
        for name in LANGUAGES:
            one = decide(dfa, name)
            assert found[name] == {
                "plain": one.plain.answer,
                "periodic_local": one.periodic_local.answer,
            }


def run(capsys, *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*words])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_the_card_and_the_table_say_where_conventions_disagree(capsys):
    told = "nope: last no, end no, predict yes"
    assert read_elsewhere(predict("(ab|a)*")) == [f"depends on where it is read (--accept): {told}"]
    assert told in run(capsys, "predict", "(ab|a)*")
    out = run(capsys, "decide", "(ab|a)*")
    assert "plain: last out, end out, predict in." in out
    assert TITLES[DEFAULT] in out
    assert "depends on" not in run(capsys, "predict", "(ab)*")
    assert "depends on" not in run(capsys, "decide", "(ab)*")
    assert "depends on" in run(capsys, "decide", "(ab|a)*", "--explain")


def test_json_has_every_reading(capsys):
    wanted = {"plain": "in", "periodic_local": "in"}
    decided = json.loads(run(capsys, "decide", "(ab|a)*", "--json"))[0]
    assert decided["accept"] == DEFAULT
    assert decided["readings"]["predict"] == wanted
    predicted = json.loads(run(capsys, "predict", "(ab|a)*", "--json"))
    assert predicted["readings"] == decided["readings"]
    several = json.loads(run(capsys, "decide", "(ab|a)*", "(ab)*", "--json"))
    assert [row["readings"] for row in several] == [None, None]


def test_readings_are_left_out_when_there_is_no_time():
    found = decide(compile_regex("(aa|b)*"), "end")
    assert readings(found, 1e-9) is None
    assert readings(decide(compile_regex("(aa|b)*"), "end", Limits(seconds=1e-9))) is None


def test_a_suite_has_its_own_convention_and_languages_beside_it_the_default(capsys):
    rows = json.loads(run(capsys, "decide", "(ab)*", "--suite", "published", "--json"))
    assert [row["accept"] for row in rows] == ["last"] + ["end"] * (len(rows) - 1)
    out = run(capsys, "decide", "(ab)*", "--suite", "published")
    assert TITLES["last"] in out
    assert TITLES["end"] in out
    rows = json.loads(run(capsys, "decide", "--suite", "published", "--accept", "last", "--json"))
    assert {row["accept"] for row in rows} == {"last"}
