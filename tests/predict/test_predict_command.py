"""The command and what it prints: card, JSON, explanation, page, and refusals."""

import json
import time

import pytest

from lengthwise.cli.main import main
from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.predict import (
    PROVIDERS,
    Prediction,
    Verdict,
    predict,
    predict_subject,
    prediction,
)
from lengthwise.predict.card import explain
from lengthwise.predict.classes import ENCODINGS
from lengthwise.predict.prediction import loaded_providers
from lengthwise.predict.reach import expected_reach
from lengthwise.predict.types import AnswerName
from lengthwise.report.prediction_page import render_page
from lengthwise.subjects import read_subject
from lengthwise.theory.decide.check_certificate import check_certificate


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LENGTHWISE_STORE", raising=False)


def printed(capsys, *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["predict", *words])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_the_card_is_one_line_per_encoding_and_one_for_what_is_needed(capsys):
    out = printed(capsys, "(aa)*")
    assert len([line for line in out.splitlines() if line.startswith("│")]) == 5
    assert [line.partition(" ")[0] for line in out.splitlines()[-2:]] == ["needs:", "training"]
    assert "derivation" in out
    assert "positions mod 2" in out
    assert "robust to padding: no" in out


def test_conventions_that_disagree_are_one_line_with_all_three(capsys):
    out = printed(capsys, "(ab|a)*")
    told = "depends on where it is read (--accept): nope: last no, end no, predict yes"
    assert out.count("depends on where") == 1
    assert told in " ".join(out.split())


def test_the_rest_is_behind_explain(capsys):
    out = printed(capsys, "(aa)*", "--explain")
    assert "try next: use ape" in out
    assert "expected reach, nope: " in out  # from the scoreboard that comes with the library
    assert "similar tasks we trained" in " ".join(out.split())
    assert "idealised learner" in out


def test_every_link_names_its_source_and_status():
    texts = [link.text for found in ENCODINGS.values() for link in found]
    assert all("20" in text for text in texts)
    assert all(any(w in t for w in ("Theorem", "argued", "conjecture")) for t in texts)


def test_json_has_certificates_that_the_checker_accepts(capsys):
    found = json.loads(printed(capsys, "(ab)*", "--accept", "end", "--json"))
    answers = {verdict["encoding"]: verdict["answer"] for verdict in found["verdicts"]}
    assert answers["nope"] == "yes"
    assert found["evidence"][0]["strength"] == "proof"
    assert check_certificate(found["evidence"][0]["certificate"]).answer == "in"


def test_explain_shows_programs_links_and_refutations(capsys):
    out = printed(capsys, "(aa)*", "--explain", "--encoding", "nope", "--encoding", "ape")
    assert "accept = " in out
    assert "link to training: Huang et al. 2025" in out
    assert "not a theorem" in out


def test_the_page_stands_alone_and_escapes(tmp_path, capsys):
    printed(capsys, "(ab)*", "--report", str(tmp_path / "card.html"), "--json")
    text = (tmp_path / "card.html").read_text()
    for meant in ("http-equiv", "http://www.w3.org/2000/svg"):  # a name of a format, not a place
        text = text.replace(meant, "")
    assert "http" not in text
    odd = predict("(<x>)*", encodings=["nope"])
    assert "<x>" not in render_page(odd)
    assert "&lt;" in render_page(odd)


def test_a_program_is_its_own_witness():
    found = predict("dyck-1.cr", encodings=["nope", "alibi"])
    assert found.verdict("nope").answer == "yes"
    assert found.verdict("nope").strength == "derivation"  # the step to training without positions
    assert found.verdict("alibi").strength == "conjecture"
    assert found.facts["depth"] == 2


def test_a_circuit_is_judged_by_the_conjecture_only():
    found = predict("parity-steps")
    answers = {verdict.encoding: (verdict.answer, verdict.strength) for verdict in found.verdicts}
    assert answers["ipe"] == ("yes", "conjecture")
    assert answers["ape"] == ("no", "conjecture")
    linear = [item for item in predict("select-middle").evidence if "LRC" in item.statement]
    assert linear[0].claims == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(ab", "never closed"),
        ("(a|b)*a(a|b){20}", "more than 100,000 states"),
        ("paritty", "Did you mean 'parity'"),
        ("", "nothing is named"),
        ("bad.cr", "bad.cr:1"),
        ("bad.json", "not JSON"),
        ("some.txt", "not a program"),
        ("absent.cr", "no such file"),
        ("absent.json", "absent.json"),
        ("parity:foo=1", "foo"),
    ],
)
def test_nonsense_is_refused_in_one_line(tmp_path, text, message):
    (tmp_path / "bad.cr").write_text("not a program !!")
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "some.txt").write_text("hello")
    with pytest.raises(InputError, match=message):
        predict(text, time_limit=20)


def test_options_that_do_not_apply_are_refused():
    with pytest.raises(InputError, match="--accept"):
        predict("parity", accept="end")
    with pytest.raises(InputError, match="--alphabet"):
        predict("dyck-1.cr", alphabet="ab")


def test_bad_options_are_refused(capsys):
    for words in (["(ab)*", "--time-limit", "0"], ["(ab)*", "--encoding", "nopee"]):
        with pytest.raises(SystemExit) as ended:
            main(["predict", *words])
        assert ended.value.code == 2
    assert capsys.readouterr().err.count("error: ") == 2


def test_what_does_not_fit_in_the_time_is_listed_not_guessed():
    clock = Limits(5, started=time.monotonic() - 10)
    found = predict_subject(read_subject("(aa)*", clock), clock)
    assert all(verdict.answer == "undecided" for verdict in found.verdicts)
    assert len(found.skipped) == len(loaded_providers("regex")) > 0


def test_a_provider_that_takes_too_long_is_stopped(monkeypatch):
    def endless(context):
        while True:
            pass

    slow = [(name, endless) for name in PROVIDERS]
    monkeypatch.setattr(prediction, "loaded_providers", lambda kind: slow)
    found = predict("(aa)*", time_limit=1.0)
    assert found.skipped[0] == "program: not finished within the time limit"
    assert found.skipped[-1] == "measurements: no time was left"


def verdict(answer: AnswerName = "yes") -> Verdict:
    return Verdict("mine", "nope", answer, None if answer == "undecided" else "proof", "")


def row(subject: str, held: bool, **fields) -> dict:
    base = {"encoding": "nope", "predicted": "yes", "fragment": "plain", "depth": 1}
    outcome = "holds" if held else "fails"
    return {**base, "subject": subject, "outcome": outcome, "reach": 3.0 if held else 1.0, **fields}


def test_the_reach_is_estimated_from_similar_rows_only():
    facts = {"fragment": "plain", "depth": 1}
    rows = [row(f"s{n}", n < 4) for n in range(5)]
    rows += [row("other", False, encoding="ape"), row("mine", False)]
    rows += [row("untrained", False, outcome="not fitted")]
    found = expected_reach(verdict(), facts, rows)
    assert found is not None
    assert (found.holds, found.cells, found.median) == (4, 5, 3.0)
    assert found.low < 0.8 < found.high
    assert "mine" not in found.subjects
    wider = expected_reach(verdict(), {"fragment": "plain", "depth": 2}, rows)
    assert wider is not None
    assert "depth" not in wider.similar
    assert expected_reach(verdict(), facts, rows[:4]) is None
    assert expected_reach(verdict("undecided"), facts, rows) is None


def test_an_explanation_needs_no_evidence():
    empty = Prediction("x", "regex", "q", (), (), (), (), ("a: no time was left",), 0.1)
    assert "no time was left" in explain(empty)


def test_a_program_without_alphabet_is_about_other_letters_too(capsys, tmp_path):
    path = tmp_path / "before.cr"
    path.write_text('accept = #[i-1] "a" >= 1\n')
    with pytest.raises(SystemExit):
        main(["predict", str(path), "--encoding", "nope", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["verdicts"][0]["answer"] == "no"
