"""Comparisons checked a second time, in JavaScript: both checkers say the same of every file."""

import json
import random
from copy import deepcopy

import pytest

from lengthwise.core.limits import Limits
from lengthwise.crasp.check_comparison import ComparisonRefused, check_comparison
from lengthwise.crasp.comparing import compare
from lengthwise.crasp.comparison_certificate import certificate
from lengthwise.crasp.embedding import Q, count, maximum, minimum, pos, prev, where
from lengthwise.crasp.library import load
from lengthwise.crasp.program import Program
from lengthwise.crasp.walks import Walks, statement
from tests.crasp.test_comparison_certificates import DYCK, pairs
from tests.theory.decide.javascript import COMPARISONS, check_all, find_node

NODE = find_node()
pytestmark = pytest.mark.skipif(NODE is None, reason="no node")
A, B = count(Q["a"]), count(Q["b"])
MUTANTS = 60


def more_pairs():
    """Conventions, windows, residues, minima, conditionals, and proofs by linear systems."""
    for accept in ("last", "end"):
        yield compare(load("contains-ab"), load("tomita-4"), "ab", accept=accept)
        yield compare(Program.of(A > B), Program.of(A >= B + 1), "ab", accept=accept)
        even = prev(Q["a"]) & (pos % 2 == 0)
        yield compare(Program.of(even), Program.of(prev(Q["b"])), "ab", accept=accept)
        least = minimum(A, B) == maximum(A, B)
        chosen = where(Q["a"], A, B) - A == where(Q["a"], 0, B - A)
        yield compare(Program.of(least), Program.of(least & chosen), "ab", accept=accept)
    for other in DYCK:
        two = Program.of(other, alphabet="()", empty=True)
        yield compare(load("dyck-1"), two, "()", configurations=100)


@pytest.fixture(scope="module")
def genuine():
    made = [certificate(compare(one, two, "ab")) for _, one, two in pairs()]
    made += [certificate(venn) for venn in more_pairs()]
    made += [by_linear_systems(accept) for accept in ("last", "end")]
    return [json.loads(json.dumps(one)) for one in made]


def by_linear_systems(accept):
    sides = [Program.of(A > 2 * B), Program.of(A < B)]
    about = statement(sides, "ab", accept)
    walk = Walks(about, (True, True), Limits(60)).counted()
    assert walk["proofs"]
    regions = [
        {"first": True, "second": True, "walk": walk},
        {"first": True, "second": False, "word": ["a"]},
        {"first": False, "second": True, "word": ["b"], "shortest": True},
        {"first": False, "second": False, "open": "not asked"},
    ]
    return {**about, "regions": regions}


def by_python(made):
    try:
        found = check_comparison(made)
    except ComparisonRefused:
        return "refused"
    return found.relation, [(*key, what) for key, what in found.regions.items()]


def by_javascript(files, folder):
    data = [json.dumps(one).encode() for one in files]
    said = check_all(NODE, data, folder, checker=COMPARISONS)
    assert not [one for one in said if "crashed" in one]
    return [
        "refused"
        if "refused" in one
        else (one["relation"], [(r["first"], r["second"], r["what"]) for r in one["regions"]])
        for one in said
    ]


def test_both_accept_what_is_genuine_with_the_same_words(genuine, tmp_path):
    expected = [by_python(made) for made in genuine]
    assert "refused" not in expected
    assert by_javascript(genuine, tmp_path) == expected
    shown = {what.split(":")[-1].strip(" 0123456789,") for _, rows in expected for *_, what in rows}
    assert {"places visited", "linear systems refuted", "a shortest word"} <= shown


def places(value, path=()):
    """Yield where something stands in a certificate."""
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, key))


def mutated(made, rng):
    """Change one thing: a number, a truth value, an entry of a list, a field."""
    forged = deepcopy(made)
    path = rng.choice([path for path in places(made) if path])
    inside = forged
    for key in path[:-1]:
        inside = inside[key]
    old, key = inside[path[-1]], path[-1]
    if isinstance(old, bool):
        inside[key] = rng.choice([not old, None, 1])
    elif isinstance(old, int):
        inside[key] = rng.choice([old + 1, old - 1, -old, 0, 10**101, float(old), str(old)])
    elif isinstance(old, str):
        others = ["And", "Or", "Add", "Minimum", "Maximum", ">=", "!=", "a", "b", "end", "split"]
        inside[key] = rng.choice(others)
    elif isinstance(inside, list) and rng.random() < 0.7:
        rng.choice([lambda: inside.pop(key), lambda: inside.insert(key, deepcopy(old))])()
    elif isinstance(inside, dict) and rng.random() < 0.5:
        del inside[key]
    elif isinstance(old, list) and old:
        inside[key] = rng.choice([old[::-1], old[1:], [*old, old[0]], []])
    else:
        inside[key] = None
    return forged


def test_both_say_the_same_of_changed_files(genuine, tmp_path):
    rng = random.Random(0)
    forged = [mutated(made, rng) for made in genuine for _ in range(MUTANTS)]
    expected = [by_python(made) for made in forged]
    said = by_javascript(forged, tmp_path)
    differ = [k for k, (one, two) in enumerate(zip(said, expected, strict=True)) if one != two]
    assert not differ, [(said[k], expected[k], forged[k]) for k in differ[:2]]
    accepted = sum(one != "refused" for one in expected)
    assert 0.02 * len(forged) < accepted < 0.8 * len(forged)


def test_a_proof_of_one_region_shows_nothing_of_another(genuine, tmp_path):
    forged = []
    for made in genuine:
        walks = [region["walk"] for region in made["regions"] if "walk" in region]
        for k, region in enumerate(made["regions"]):
            for walk in walks if "word" in region else ():
                one = deepcopy(made)
                one["regions"][k] = {key: region[key] for key in ("first", "second")} | {
                    "walk": walk
                }
                forged.append(one)
    assert set(by_javascript(forged, tmp_path)) == {"refused"} == {by_python(one) for one in forged}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "{}",
        "null",
        "[1.5]",
        '{"a": 1, "a": 1}',
        '{"format": "lengthwise-comparison"}',
        "[" * 99,
    ],
)
def test_what_cannot_be_read_is_refused(text, tmp_path):
    (said,) = check_all(NODE, [text.encode()], tmp_path, checker=COMPARISONS)
    assert "refused" in said
