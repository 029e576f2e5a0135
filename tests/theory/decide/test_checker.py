"""The checker alone: strict reading, bounded work, and refusal as the only way to fail."""

import ast
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide import check_certificate as checker
from lengthwise.theory.decide.certificate_files import verify_file
from lengthwise.theory.decide.check_certificate import (
    Refused,
    check_certificate,
    check_refutation,
    main,
    read_certificates,
)
from lengthwise.theory.decide.decision import decide
from tests.theory.decide.certificates import (
    DATA,
    STRANGE,
    TEXTS,
    attacks,
    certificate,
    changed,
    encoded,
    endless,
    every_subset,
    forged,
    genuine,
    paths,
    sample,
    truth,
)

FILE = Path(checker.__file__)


def refused(value, match=None):
    with pytest.raises(Refused, match=match):
        check_certificate(value)


def written(value):
    return read_certificates(encoded(value))


# ---- what is accepted ------------------------------------------------------------------------


def test_genuine_certificates_of_every_kind_are_accepted():
    seen = set()
    for value in genuine():
        found = check_certificate(value)
        assert (found.class_name, found.answer) == (value["class"], value["answer"])
        assert found.strength == value["strength"]
        seen.add((found.class_name, found.answer, found.accept))
    assert len(seen) == 12


def test_certificates_of_earlier_versions_are_accepted():
    found = {
        path.stem: [check_certificate(c) for c in read_certificates(path.read_bytes())]
        for path in sorted(DATA.glob("*.json"))
    }
    assert {name: len(checked) for name, checked in found.items()} == {
        "both": 4,
        "late": 2,
        "predict": 4,
        "union": 4,
    }
    assert {checked.strength for checked in found["late"]} == {"sampled"}
    assert "learned" in found["late"][0].basis
    assert found["union"][0].claimed["regex"] == "(aa)+b (+ is union)"


@pytest.mark.parametrize(
    ("pattern", "accept", "about", "strength"),
    [
        ("(ab)*", "end", "plain", "published"),
        ("(ab)*", "last", "plain", "published + own reduction"),
        ("(ab)*", "end", "periodic_local", "published"),
        ("(ab)*", "predict", "periodic_local", "published + own reduction"),
        ("(aa)*", "end", "plain", "published"),
        ("(aa)*", "end", "periodic_local", "own derivation"),
        ("[ab]*a[ab]", "end", "periodic_local", "own derivation"),
        ("(b*ab*a)*b*", "end", "plain", "published"),
        ("(b*ab*a)*b*", "last", "plain", "published + own reduction"),
        ("(b*ab*a)*b*", "end", "periodic_local", "own derivation"),
        ("(b*ab*a)*b*", "last", "periodic_local", "own derivation"),
    ],
)
def test_what_an_answer_rests_on_is_computed_and_not_read(pattern, accept, about, strength):
    value = certificate(pattern, accept, about)
    labelled = {**value, "strength": "certain", "basis": "revelation"}
    labelled["parts"] = [{**part, "kind": "divine"} for part in value["parts"]]
    found = check_certificate(labelled)
    assert found.strength == check_certificate(value).strength == strength
    assert ("unpublished" in found.basis) == (strength != "published")
    assert ("Theorem 89" in found.basis) == (strength != "own derivation")
    assert "revelation" not in " ".join(found.lines())
    learned = check_certificate({**labelled, "learned": "from 10 words"})
    assert learned.strength == "sampled"
    assert "learned" in learned.basis
    assert learned.claimed["learned"] == "from 10 words"


def test_a_yes_rests_on_all_of_its_parts():
    value = certificate("([abc]{2})*c", "last", "periodic_local")
    windows = {(p["proof"]["modulus"], p["proof"]["window"]) for p in value["parts"]}
    assert (1, 0) in windows
    assert len(windows) == 2
    assert check_certificate(value).strength == "own derivation"
    for order in (value["parts"], value["parts"][::-1]):
        assert check_certificate({**value, "parts": order}).strength == "own derivation"


def test_the_report_names_the_automaton_and_marks_claims():
    value = {**certificate("(ab)*", "last"), "source": "file.json", "union_plus": True}
    found = check_certificate(value)
    assert found.automaton == "3 states over a b"
    assert found.statement == "the automaton's language is in C-RASP (convention last)"
    lines = list(found.lines())
    assert "claimed, not checked: regex (ab)* (+ is union)" in lines
    assert "claimed, not checked: source file.json" in lines
    assert "claimed, not checked: kind potentials" in lines
    other = changed(value, "dfa.accepting", [True, True, True])
    assert (
        checker._digest(
            other["alphabet"], checker._automaton(other["dfa"], "accepting", 2, checker.Work())
        )
        != found.digest
    )
    many = DFA([f"s{i}" for i in range(25)], [[0] * 25], 0, [True])
    text = check_certificate(decide(many, "end").plain.certificate()).automaton
    assert text.startswith("1 state over s0 s1 ")
    assert text.endswith(" s19 and 5 more")


# ---- reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:40])
def test_only_strict_json_is_read(text):
    with pytest.raises(Refused, match=TEXTS[text]):
        read_certificates(text.encode())


def test_bytes_that_are_no_text_are_refused():
    for data in (b"\xff", '{"a": 1}'.encode("utf-16")):
        with pytest.raises(Refused, match="not JSON"):
            read_certificates(data)


def test_the_size_of_a_file_is_bounded(monkeypatch):
    data = json.dumps(certificate("(ab)*")).encode()
    monkeypatch.setattr(checker, "MOST_BYTES", len(data))
    assert len(read_certificates(data)) == 1
    with pytest.raises(Refused, match="bytes"):
        read_certificates(data + b" ")


def test_numbers_of_four_thousand_digits_are_numbers():
    assert read_certificates(b"9" * 4_000) == [10**4_000 - 1]
    value = certificate("(ab|bbaa)*")
    potentials = value["parts"][0]["proof"]["components"][0]["potentials"]
    scaled = [[10**3_000 * x for x in row] for row in potentials]
    path = "parts.0.proof.components.0.potentials"
    assert check_certificate(written(changed(value, path, scaled))[0]).answer == "in"
    refused(changed(value, path, [[10**5_000 * x for x in row] for row in potentials]), "range")


# ---- every field is checked ------------------------------------------------------------------

SAMPLE = sample()


@pytest.mark.parametrize("value", SAMPLE.values(), ids=SAMPLE)
def test_strange_values_are_refused_or_leave_the_claim_as_it_was(value):
    accepted = 0
    for path, _ in paths(value):
        for strange in STRANGE:
            other = changed(value, path, strange)
            try:
                check_certificate(other)
            except Refused:
                continue
            accepted += 1
            assert path not in ("class", "accept", "answer")
            if other["dfa"] != value["dfa"]:
                assert truth(other) == value["answer"], path
    assert accepted


@pytest.mark.parametrize("value", SAMPLE.values(), ids=SAMPLE)
def test_truth_values_floats_and_text_are_no_numbers(value):
    for path, inner in paths(value):
        if type(inner) is int:
            for other in (float(inner), str(inner), [inner], None, inner == 1):
                refused(changed(value, path, other))
        if type(inner) is bool:
            refused(changed(value, path, int(inner)))


@pytest.mark.parametrize("value", SAMPLE.values(), ids=SAMPLE)
def test_fields_are_neither_missing_nor_unknown(value):
    optional = {"strength", "basis", "regex", "kind", "program"}
    for path, inner in [("", value), *paths(value)]:
        if isinstance(inner, dict):
            refused(changed(value, f"{path}.more".lstrip("."), 1), "unknown field more")
            for name in inner:
                without = changed(value, f"{path}.{name}".lstrip("."), ...)
                if name in optional:
                    assert check_certificate(without)
                else:  # without letters the machine has too few, without joins there are chains
                    other = {"letters": "transitions has", "joins": "no field chains"}
                    refused(without, other.get(name, f"no field {name}"))


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("regex", 5),
        ("regex", ["(ab)*"]),
        ("source", {}),
        ("program", 1),
        ("strength", math.nan),
        ("basis", []),
        ("union_plus", 1),
        ("union_plus", "yes"),
        ("learned", 1),
        ("learned", []),
        ("source", "\udc80"),
    ],
)
def test_labels_are_text(label, value):
    refused({**certificate("(ab)*"), label: value}, label)


def test_labels_may_be_null():
    value = {**certificate("(ab)*"), **dict.fromkeys(checker.LABELS)}
    assert check_certificate(value).claimed == {"kind": "potentials"}
    assert check_certificate({**value, "learned": True}).strength == "sampled"
    assert check_certificate({**value, "learned": True}).claimed["learned"] == "yes"
    assert check_certificate({**value, "learned": False}).strength == "published"


def test_no_certificate_at_all():
    for value in (None, 1, "x", [], [1], {}, math.nan):
        refused(value)


# ---- documented attacks ----------------------------------------------------------------------


@pytest.mark.parametrize("name", attacks())
def test_attacks_are_refused(name):
    value, match = attacks()[name]
    refused(value, match)
    if "NaN" not in name and "inf" not in name and "1.0" not in name:  # those are no JSON
        assert written(value) == [value]


@pytest.mark.parametrize("about", ["plain", "periodic_local"])
def test_the_language_that_was_refuted_by_nan_is_in(about):
    assert truth(forged(about, math.nan)) == "in"


def steps_of(value):
    """Steps a certificate may take and took, whether it is accepted or not."""
    work = checker.Work()
    original, checker.Work = checker.Work, lambda: work
    try:
        check_certificate(value)
    except Refused:
        pass
    finally:
        checker.Work = original
    return work.spent


@pytest.mark.parametrize("window", [40, 10**9, 10**30])
@pytest.mark.parametrize("modulus", [1, 10**9])
def test_windows_and_moduli_are_not_walked(window, modulus):
    assert steps_of(endless(window, modulus)) < 1_000


def test_a_large_modulus_that_names_every_state_is_fine():
    value = certificate("(aa)*", "end", "periodic_local")
    for modulus in (4, 10**9):
        large = changed(value, "parts.0.proof.modulus", modulus)
        assert check_certificate(large).answer == "in"
        assert steps_of(large) < 1_000
    refused(changed(value, "parts.0.proof.modulus", 10**9 + 1), "open states")


def test_a_large_modulus_needs_all_its_places():
    value = certificate("(ab)*", "end", "periodic_local")  # two places at modulus 1
    refused(changed(value, "parts.0.proof.modulus", 10**9), "not the open ones")
    refused(changed(value, "parts.0.proof.modulus", 3), "not the open ones")


def test_a_window_that_empties_is_not_walked_to_its_end():
    value = certificate("[ab]*b", "end", "periodic_local")
    assert value["parts"][0]["proof"]["window"] == 1
    for window in (2, 40, 10**9):
        assert check_certificate(changed(value, "parts.0.proof.window", window)).answer == "in"
    assert steps_of(changed(value, "parts.0.proof.window", 10**9)) < 1_000
    refused(changed(value, "parts.0.proof.window", 0), "no places for the open states")


def test_sets_without_end_are_cut_short():
    # every subset of 40 states can be met
    assert steps_of(every_subset()) <= checker.ALLOWANCE + 64 * 1_000


def test_work_is_counted_against_the_numbers_read(monkeypatch):
    value = certificate("(ab|bbaa)*")
    needed = check_certificate(value).steps
    numbers = sum(type(inner) is int for _, inner in paths(value)) - 1  # not the version
    monkeypatch.setattr(checker, "STEPS_PER_NUMBER", 0)
    monkeypatch.setattr(checker, "ALLOWANCE", needed)
    assert check_certificate(value)
    monkeypatch.setattr(checker, "ALLOWANCE", needed - 1)
    refused(value, "more than the .* steps that its size allows")
    monkeypatch.setattr(checker, "STEPS_PER_NUMBER", 1)
    monkeypatch.setattr(checker, "ALLOWANCE", needed - numbers)
    assert check_certificate(value)
    monkeypatch.setattr(checker, "ALLOWANCE", needed - numbers - 1)
    refused(value, "steps that its size allows")


# ---- alone -----------------------------------------------------------------------------------


def test_the_file_imports_the_standard_library_alone():
    tree = ast.parse(FILE.read_text())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module.split(".")[0])
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
    assert names <= set(sys.stdlib_module_names)


def alone(*arguments):
    """Run the file by itself: an isolated interpreter that sees no other package."""
    command = [sys.executable, "-I", "-S", str(FILE), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


def test_the_file_runs_alone(tmp_path):
    path = tmp_path / "c.json"
    value = {**certificate("(ab)*"), "source": "Grüße\x1b[31m\n"}
    path.write_text(json.dumps(value))
    done = alone(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "certificate 1 of 1: accepted" in done.stdout
    assert "shown: the automaton's language is in C-RASP (convention end)" in done.stdout
    assert "\x1b" not in done.stdout
    path.write_text(json.dumps(changed(value, "answer", "out")))
    done = alone(path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "certificate 1 of 1: refused: " in done.stderr
    path.write_text("{")
    assert alone(path).returncode == 2


def test_exit_codes(tmp_path, capsys):
    path = tmp_path / "c.json"
    good = certificate("(ab)*")
    bad = changed(good, "answer", "out")
    bundle = {"format": "lengthwise-certificates", "version": 1}
    for content, code in [
        ([good], 0),
        ([good, good], 0),
        ([good, bad], 1),
        ([5], 1),
        ([], 2),
    ]:
        path.write_text(json.dumps({**bundle, "certificates": content}))
        assert main([str(path)]) == code, content
    path.write_text("[NaN]")
    assert main([str(path)]) == 2
    assert main([]) == main([str(path), "x"]) == 2
    assert main([str(tmp_path)]) == main([str(tmp_path / "absent")]) == main(["\0"]) == 2
    for line in capsys.readouterr().err.splitlines():
        assert re.match("unreadable: |certificate |usage: ", line)


# ---- the step around it: regular expressions and learned automata -----------------------------


def test_the_regex_is_read_in_its_dialect_and_alphabet(tmp_path):
    path = tmp_path / "c.json"

    def row(value):
        path.write_text(json.dumps(value))
        return verify_file(path)[0]

    union = decide(compile_regex("(aa)+b", union_plus=True), regex="(aa)+b", union_plus=True)
    value = union.plain.certificate()
    found = row(value)
    assert found["regex"] == "matches the regex"
    assert "(+ is union)" in found["claimed"]
    with pytest.raises(InputError, match="the automaton is not that of"):
        row({**value, "union_plus": False})
    any_letter = certificate(".*ab.*", alphabet="abc")
    assert row(any_letter)["regex"] == "matches the regex"
    assert row(any_letter)["automaton"] == "3 states over a b c"
    renamed = {**any_letter, "alphabet": ["a", "b", "d"]}
    assert row(renamed)["regex"] == "matches the regex"
    swapped = {**any_letter, "alphabet": ["b", "a", "c"]}
    with pytest.raises(InputError, match="certificate 1: the automaton is not that of"):
        row({k: v for k, v in swapped.items() if k != "program"})


@pytest.mark.parametrize(
    "regex",
    ["a{3000}", "[ab]*a[ab]{14}", "a" * 20_000, "[a-\U0010ffff]", "(", "", "abx", "a^b"],
)
def test_beyond_its_limits_the_regex_is_not_compared(tmp_path, regex):
    value = {**certificate("(b*ab*a)*b*"), "regex": regex}
    (tmp_path / "c.json").write_text(json.dumps(value))
    row = verify_file(tmp_path / "c.json")[0]
    assert row["regex"].startswith("not compared")
    assert row["claimed"].startswith("regex ")


def test_a_learned_automaton_stays_learned(tmp_path):
    for row in verify_file(DATA / "late.json"):
        assert row["strength"] == "sampled"
        assert "learned" in row["basis"]
        assert "late.py:late" in row["claimed"]
        assert "late" not in row["proved"]
    found = decide(compile_regex("(ab)*"), "end", learned="from 10 words", other=1)
    value = found.plain.certificate()
    assert value["strength"] == "sampled"
    assert "other" not in value
    assert check_certificate(value).strength == "sampled"


def test_refutations_of_single_machines(tmp_path):
    part = certificate("(aa)*")["parts"][0]
    assert check_refutation(part["machine"], part["refutation"], "plain", 1) > 0
    for about, letters in (("plain", 2), ("local", 1), ("periodic_local", 1)):
        with pytest.raises(Refused):
            check_refutation(part["machine"], part["refutation"], about, letters)
