"""Certificates of comparisons: accepted ones are true, forged ones are refused."""

import json
import subprocess
import sys
from copy import deepcopy
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.crasp import check_comparison as checker
from lengthwise.crasp.check_comparison import ComparisonRefused, Languages, check_comparison
from lengthwise.crasp.comparing import REGIONS, compare
from lengthwise.crasp.comparison_certificate import certificate
from lengthwise.crasp.embedding import Q, count
from lengthwise.crasp.library import load
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Constant
from lengthwise.crasp.walks import Walks, statement
from lengthwise.languages.regex import compile_regex
from tests.crasp.reference import expressions, value

WORDS = [word for n in range(7) for word in product("ab", repeat=n)]
OPEN, CLOSE = Q["("], Q[")"]
UPS, DOWNS, ALL = count(OPEN), count(CLOSE), count(Constant(True))
DYCK = [
    count(OPEN & (count(UPS < DOWNS) == 0)) == DOWNS,
    count(CLOSE | (count(UPS < DOWNS) > 0)) == UPS,
    2 * count(CLOSE & (UPS >= DOWNS)) == ALL,
    2 * count(OPEN | (UPS < DOWNS)) <= ALL,
]


def read(root, word, accept):
    """The value from the definition of the operations; no code of the checker or the search."""
    if not word:
        accept = "end"
    return bool(value(root, word, len(word) + (accept == "end")))


@settings(max_examples=150, deadline=None)
@given(expressions(size=6), expressions(size=6), st.sampled_from(["last", "end"]))
def test_a_region_that_a_walk_calls_empty_has_no_short_word(one, two, accept):
    sides = [Program.of(root) for root in (one, two)]
    about = statement(sides, "ab", accept)
    seen = {(read(one, w, accept), read(two, w, accept)) for w in WORDS}
    for key in REGIONS:
        search = Walks(about, key, Limits(1.0))
        for way in (search.followed, search.related, search.counted):
            try:
                found = way()
            except LimitReachedError:
                break
            assert found is None or key not in seen, (way.__name__, found)


@settings(max_examples=60, deadline=None)
@given(expressions(size=7), st.sampled_from(["last", "end"]))
def test_words_are_evaluated_as_the_definitions_say(root, accept):
    side = Program.of(root)
    languages = Languages(statement([side, side], "ab", accept))
    for word in WORDS[:40]:
        codes = ["ab".index(letter) for letter in word]
        assert languages.answers(codes)[0] == read(root, word, accept)


@pytest.mark.parametrize("other", DYCK, ids=str)
def test_programs_of_two_layers_are_proved_to_be_dyck_1(other):
    two = Program.of(other, alphabet="()", empty=True)
    venn = compare(load("dyck-1"), two, "()", configurations=100)
    assert venn.relation == "equal"
    assert check_comparison(certificate(venn)).relation == "equal"


def pairs():
    more, twice = (Program.of(count(Q["a"]) > k * count(Q["b"])) for k in (1, 2))
    less = Program.of(count(Q["a"]) < count(Q["b"]))
    yield "includes", more, twice
    yield "disjoint", twice, less
    yield "included", load("an-bn"), load("majority-weak")
    yield "equal", load("contains-ab"), compile_regex(".*ab.*", "ab")
    yield "equal", load("bounded-dyck"), compile_regex("(a(ab)*b)*")
    yield "different", load("blocks-4"), load("majority")


@pytest.mark.parametrize(("relation", "one", "two"), list(pairs()), ids=lambda v: str(v)[:20])
def test_each_relation_has_a_certificate_that_is_accepted_and_forgeries_are_not(relation, one, two):
    made = json.loads(json.dumps(certificate(compare(one, two, "ab"))))
    assert check_comparison(made).relation == relation
    empty = [k for k, region in enumerate(made["regions"]) if "walk" in region]
    for k, region in enumerate(made["regions"]):
        for place in empty:
            if k != place:  # a proof of another region, or of one that has words
                forged = deepcopy(made)
                forged["regions"][k] = {**made["regions"][place]}
                forged["regions"][k]["first"] = region["first"]
                forged["regions"][k]["second"] = region["second"]
                if "word" in region:
                    with pytest.raises(ComparisonRefused):
                        check_comparison(forged)
        if "word" in region:
            forged = deepcopy(made)
            forged["regions"][k]["word"] = [*region["word"], "a", "b", "a"]
            with pytest.raises(ComparisonRefused):
                check_comparison(forged)


def linear():
    twice = Program.of(count(Q["a"]) > 2 * count(Q["b"]))
    less = Program.of(count(Q["a"]) < count(Q["b"]))
    about = statement([twice, less], "ab", "last")
    walk = Walks(about, (True, True), Limits(20)).counted()
    assert walk["proofs"]
    return about, walk


def test_linear_proofs_are_checked_to_the_last_multiplier():
    about, walk = linear()
    checker.Walk(Languages(about), walk).check_proofs((True, True), walk["proofs"])
    forgeries = [walk["proofs"][:-1], [["farkas", [0]]] * len(walk["proofs"]), "none"]
    for number, proof in enumerate(walk["proofs"]):
        assert proof[0] in ("farkas", "divide", "split", "island")
        if proof[0] == "farkas":
            for k, multiplier in enumerate(proof[1]):
                changed = deepcopy(walk["proofs"])
                changed[number][1][k] = -1 - multiplier
                if any(changed[number][1]):
                    forgeries.append(changed)
    for forged in forgeries:
        try:
            checker.Walk(Languages(about), walk).check_proofs((True, True), forged)
        except ComparisonRefused:
            continue
        # what is accepted in another way must be a contradiction too: the region is empty
        assert forged not in forgeries[:3]
    with pytest.raises(ComparisonRefused):  # regions with words
        checker.Walk(Languages(about), walk).check_proofs((True, False), walk["proofs"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 2}, "version"),
        ({"accept": "predict"}, "accept"),
        ({"alphabet": ["a", "a"]}, "twice"),
        ({"regions": []}, "regions"),
        ({"nodes": [["Not", [], [0]]]}, "operand"),
        ({"nodes": [["Jump", [], []]]}, "unknown kind"),
        ({"more": 1}, "fields"),
    ],
)
def test_what_is_not_a_certificate_is_refused_with_a_reason(change, said):
    made = certificate(compare(load("majority"), load("majority-weak"), "ab"))
    with pytest.raises(ComparisonRefused, match=said):
        check_comparison({**made, **change})


def test_sums_and_relations_that_do_not_hold_are_refused():
    made = certificate(
        compare(load("dyck-1"), Program.of(DYCK[0], alphabet="()", empty=True), "()")
    )
    walk = next(r["walk"] for r in made["regions"] if "walk" in r)
    assert any(walk["relations"])
    for name, wrong in (
        ("relations", [[1] * len(walk["sums"])]),
        ("caps", [0] * len(walk["sums"])),
        ("caps", [1]),
        ("sums", [[[0, 2]]]),
        ("relations", []),
    ):
        forged = deepcopy(made)
        for region in forged["regions"]:
            if "walk" in region:
                region["walk"][name] = wrong
        with pytest.raises(ComparisonRefused):
            check_comparison(forged)


def test_the_checker_runs_alone(tmp_path):
    path = tmp_path / "made.json"
    made = certificate(compare(load("majority"), load("majority-weak"), "ab"))
    path.write_text(json.dumps(made))
    run = [sys.executable, "-I", checker.__file__, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "shown: included")
    path.write_text(json.dumps({**made, "accept": "end"}).replace("True", "1"))
    assert subprocess.run(run, capture_output=True, check=False).returncode in (0, 1)
    path.write_text("[")
    assert subprocess.run(run, capture_output=True, check=False).returncode == 2
