"""Where the checkers draw their lines: the last value that is allowed and the first that is not."""

import dataclasses
import hashlib
import json
import re

import pytest

from lengthwise.languages.dfa import DFA
from lengthwise.theory.decide import check_certificate as checker
from lengthwise.theory.decide.check_certificate import Refused, check_certificate
from lengthwise.theory.decide.decision import decide
from tests.theory.decide.cases import accepted, refused
from tests.theory.decide.certificates import DATA, certificate, changed, encoded, genuine, paths
from tests.theory.decide.javascript import CHECKER, check_all
from tests.theory.decide.test_checker_js import NODE, agree, needs_node
from tests.theory.decide.texts import SMALL, texts


def constants(source):
    """The limits that the checker in JavaScript names."""
    found = re.findall(r"^const ([A-Z_]+) = ([0-9_]+);$", source, re.MULTILINE)
    return {name: int(value) for name, value in found}


def test_both_checkers_have_the_same_limits():
    theirs = constants(CHECKER.read_text())
    for name in ("MOST_BYTES", "MOST_DIGITS", "ALLOWANCE", "STEPS_PER_NUMBER"):
        assert theirs[name] == getattr(checker, name)


@needs_node
def test_both_read_the_same_strict_json(tmp_path):
    """Every text one character away from a certificate, and some that are further away."""
    files = [text.encode() for text in texts()]
    accepted = agree(files, tmp_path)
    assert 100 < accepted < len(files) / 10  # space between tokens, names of letters, labels


@needs_node
def test_the_size_of_a_file_is_bounded_in_both(tmp_path):
    data = encoded(SMALL)
    source = CHECKER.read_text().replace("MOST_BYTES = 100_000_000", f"MOST_BYTES = {len(data)}")
    found = check_all(NODE, [data, data + b" "], tmp_path, source)
    assert isinstance(found[0], list)
    assert "too large" in found[1]["refused"]


@needs_node
def test_a_broken_letter_is_refused_and_never_replaced(tmp_path):
    """Bytes that are no UTF-8, in a label, where anything else would be accepted."""
    data = encoded({**SMALL, "regex": "XX"})
    for broken in (b"\xff\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"):
        assert agree([data.replace(b"XX", broken)], tmp_path) == 0
    for right in ("\u00e9", "\ud7ff", "\ue000", "\U0010ffff"):
        assert agree([data.replace(b"XX", right.encode())], tmp_path) == 1
    for half in ("\\ud800", "\\udbff", "\\udc00", "\\udfff", "a\\udfff"):
        assert agree([data.replace(b"XX", half.encode())], tmp_path) == 0
    assert agree([data.replace(b"XX", b"\\ud800\\udc00")], tmp_path) == 1


def test_a_file_is_read_to_just_beyond_its_limit(tmp_path, monkeypatch):
    """Cut at the limit a longer file would be taken for one that ends there."""
    path, data = tmp_path / "c.json", encoded(SMALL)
    monkeypatch.setattr(checker, "MOST_BYTES", len(data))
    path.write_bytes(data)
    assert checker.read_file(path) == [SMALL]
    path.write_bytes(data + b" ")
    with pytest.raises(Refused, match="more than"):
        checker.read_file(path)


def test_numbers_end_at_four_thousand_digits():
    work, largest = checker.Work(), 10**4_000
    assert work.number(largest - 1, "x") == largest - 1
    assert work.number(-largest, "x") == -largest
    for value in (largest, -largest - 1):
        with pytest.raises(Refused, match="out of range"):
            work.number(value, "x")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("", "''"),
        ("a", "a"),
        ("a b", "a b"),
        ("a\nb", r"'a\nb'"),
        ("\x1b[31m", r"'\x1b[31m'"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 57 + "..."),
        (10**20 - 1, "9" * 20),
        (-(10**20) + 1, "-" + "9" * 20),
        (10**20, "a int"),
        (0, "0"),
        (None, "None"),
        (True, "True"),
        (1.5, "a float"),
        ([1], "a list"),
        ({}, "a dict"),
    ],
)
def test_values_are_shown_short_and_harmless(value, text):
    assert checker._shown(value) == text


def test_the_automaton_in_a_few_words():
    for letters, end in ((1, "over s0"), (20, " s19"), (21, " s19 and 1 more"), (22, "and 2 more")):
        dfa = DFA([f"s{i}" for i in range(letters)], [[0] * letters], 0, [True])
        found = check_certificate(decide(dfa, "end").plain.certificate())
        assert found.automaton.startswith("1 state over s0")
        assert found.automaton.endswith(end)
        assert len(re.findall(r"\bs\d+", found.automaton)) == min(letters, 20)
    assert check_certificate(certificate("a", alphabet="a")).automaton == "3 states over a"
    assert check_certificate(certificate("a*", alphabet="ab")).automaton == "2 states over a b"


def test_the_digest_is_that_of_the_automaton_as_compact_json():
    value = certificate("(ab)*")
    dfa = value["dfa"]
    parts = [
        value["alphabet"],
        dfa["transitions"],
        dfa["initial"],
        [int(x) for x in dfa["accepting"]],
    ]
    text = json.dumps(parts, separators=(",", ":"))
    assert check_certificate(value).digest == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_what_was_checked_cannot_be_changed_afterwards():
    found = check_certificate(SMALL)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.answer = "out"


@needs_node
def test_labels_are_checked_by_both(tmp_path):
    labels = dict.fromkeys(("regex", "source", "program", "strength", "basis"), "x")
    right = [{}, {"union_plus": True}, {"union_plus": None}, {"learned": False}, {"learned": "x"}]
    right += [{name: text} for name in labels for text in ("", "x", None)]
    wrong = [{name: value} for name in labels for value in (1, True, [], {}, 0, False)]
    wrong += [{"union_plus": x} for x in (0, 1, "", "x", [])]
    wrong += [{"learned": x} for x in (0, 1, [], {})]
    assert agree([encoded({**SMALL, **label}) for label in right], tmp_path) == len(right)
    assert agree([encoded({**SMALL, **label}) for label in wrong], tmp_path) == 0
    kinds = [[{**SMALL["parts"][0], "kind": kind}] for kind in ("x", "", None, 1, False, [])]
    assert agree([encoded({**SMALL, "parts": parts}) for parts in kinds], tmp_path) == 3


@pytest.mark.parametrize(
    ("labels", "claimed"),
    [
        ({}, {}),
        ({"regex": "a*"}, {"regex": "a*"}),
        ({"regex": "a*", "union_plus": True}, {"regex": "a* (+ is union)"}),
        ({"regex": "a*", "union_plus": False}, {"regex": "a*"}),
        ({"union_plus": True}, {}),
        ({"learned": True}, {"learned": "yes"}),
        ({"learned": False}, {}),
        ({"learned": "from words"}, {"learned": "from words"}),
        ({"learned": True, "regex": "b"}, {"regex": "b", "learned": "yes"}),
        ({"source": "f", "program": "p", "strength": "s", "basis": "b"}, {"source": "f"}),
    ],
)
def test_claims_are_what_the_labels_say(labels, claimed):
    bare = {k: v for k, v in SMALL.items() if k != "regex"}
    found = check_certificate({**bare, **labels})
    assert found.claimed == claimed
    assert found.strength == ("sampled" if "learned" in claimed else "published")


def counted(value, monkeypatch):
    """Steps that a certificate needs, and the same with one step less allowed."""
    found = check_certificate(value).steps
    monkeypatch.setattr(checker, "STEPS_PER_NUMBER", 0)
    monkeypatch.setattr(checker, "ALLOWANCE", found)
    assert check_certificate(value).steps == found
    monkeypatch.setattr(checker, "ALLOWANCE", found - 1)
    with pytest.raises(Refused, match=f"more than the {found - 1:,} steps"):
        check_certificate(value)
    monkeypatch.undo()


def test_every_step_is_counted(monkeypatch):
    for value in genuine()[::7]:
        counted(value, monkeypatch)


@pytest.mark.parametrize("name", refused())
def test_guards(name):
    value, reason = refused()[name]
    with pytest.raises(Refused, match=reason):
        check_certificate(value)


@needs_node
def test_guards_of_both(tmp_path):
    assert agree([encoded(value) for value, _ in refused().values()], tmp_path) == 0
    small = accepted().values()
    assert agree([encoded(value) for value in small], tmp_path) == len(small)


@needs_node
def test_components_that_are_none_are_refused_by_both(tmp_path):
    value, where = certificate("(ab|bbaa)*"), "parts.0.proof.components"
    components = value["parts"][0]["proof"]["components"]
    empty = {"states": [], "vertices": [], "potentials": []}
    forged = changed(value, where, [*components, empty])
    with pytest.raises(Refused, match="a component is listed that is none"):
        check_certificate(forged)
    assert agree([encoded(forged)], tmp_path) == 0


# What the certificates of earlier versions cost: steps in Python, steps in JavaScript. A change
# here changes how much work a certificate of some size may ask for.
STEPS = {
    "both": ([104, 125, 46, 40], [67, 88, 31, 25]),
    "late": ([17, 17], [10, 10]),
    "predict": ([246, 565, 36, 36], [188, 505, 30, 30]),
    "union": ([78, 78, 73, 73], [50, 50, 51, 51]),
}


def kept(name):
    return (DATA / f"{name}.json").read_bytes()


def test_steps_of_kept_certificates():
    for name, (mine, _) in STEPS.items():
        found = [check_certificate(value).steps for value in checker.read_certificates(kept(name))]
        assert found == mine, name
    # one state, one letter: 4 to read the automaton, 2 to run beside it, 3 for its components
    assert check_certificate(SMALL).steps == 4 + 2 + 3
    many = DFA([f"s{i}" for i in range(24)], [[0] * 24], 0, [True])  # a quarter for every letter
    found = check_certificate(decide(many, "end").plain.certificate())
    assert found.steps == 4 * 24 + (2 + 24 // 4) + 3  # all share one letter of the machine


@needs_node
def test_steps_of_kept_certificates_in_javascript(tmp_path):
    files = [kept(name) for name in STEPS]
    found = check_all(NODE, files, tmp_path)
    assert [[one["steps"] for one in rows] for rows in found] == [b for _, b in STEPS.values()]


@needs_node
def test_work_is_counted_against_the_numbers_read_in_javascript(tmp_path):
    value = certificate("(ab|bbaa)*")
    data, source = encoded(value), CHECKER.read_text()
    steps = check_all(NODE, [data], tmp_path)[0][0]["steps"]
    numbers = sum(type(inner) is int for _, inner in paths(value)) - 1  # not the version
    for per_number, allowance, right in [
        (0, steps, True),
        (0, steps - 1, False),
        (1, steps - numbers, True),
        (1, steps - numbers - 1, False),
    ]:
        limited = source.replace("ALLOWANCE = 1_000_000", f"ALLOWANCE = {allowance}")
        limited = limited.replace("STEPS_PER_NUMBER = 64", f"STEPS_PER_NUMBER = {per_number}")
        assert limited != source
        found = check_all(NODE, [data], tmp_path, limited)[0]
        assert isinstance(found, list) == right, found
