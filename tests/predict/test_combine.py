"""The rules that turn evidence into a verdict."""

from hypothesis import given
from hypothesis import strategies as st

from lengthwise.predict import STRENGTHS, Evidence, combine, weakest
from lengthwise.predict.classes import CLASSES, ENCODINGS, inside, links, outside

ORDER = list(STRENGTHS)
strengths = st.sampled_from(ORDER)
claims = st.dictionaries(st.sampled_from(list(CLASSES)), st.booleans(), max_size=3)
evidence = st.builds(
    Evidence,
    provider=st.just("test"),
    statement=st.text("ab", max_size=3),
    strength=strengths,
    claims=claims,
)


@given(st.lists(strengths, min_size=1))
def test_the_weakest_is_in_the_list_and_nothing_is_weaker(values):
    found = weakest(values)
    assert found in values
    assert all(ORDER.index(value) <= ORDER.index(found) for value in values)


def test_containment_is_transitive_and_outside_is_its_converse():
    for small, larger in CLASSES.items():
        for middle in larger:
            assert set(CLASSES[middle]) <= set(larger)
        assert set(inside(small)) == {small, *larger}
        assert set(outside(small)) == {name for name in CLASSES if small in inside(name)}


@given(st.lists(evidence, max_size=5), st.sampled_from(list(ENCODINGS)))
def test_a_verdict_follows_from_its_evidence_and_is_no_stronger(found, encoding):
    verdict = combine("x", encoding, found)
    if verdict.answer == "undecided":
        assert verdict.strength is None
        return
    (needed,) = verdict.evidence
    assert needed in found
    wanted = verdict.answer == "yes"
    about = {link.class_name for link in links(encoding)}
    implied = {
        name
        for claim, member in needed.claims.items()
        if member is wanted
        for name in (inside(claim) if member else outside(claim))
    }
    assert about & implied
    assert verdict.strength is not None
    assert ORDER.index(verdict.strength) >= ORDER.index(needed.strength)
    if encoding in ("rope", "alibi", "sinusoidal", "ipe"):
        assert ORDER.index(verdict.strength) >= ORDER.index("conjecture")


@given(st.lists(evidence, max_size=4), st.sampled_from(["nope", "ape"]))
def test_contradicting_evidence_about_one_class_decides_nothing(found, encoding):
    link = links(encoding)[0]
    both = [
        Evidence("one", "in", "proof", {link.class_name: True}),
        Evidence("two", "out", "proof", {link.class_name: False}),
    ]
    crasp = [e for e in found if not any(c.startswith("src:") for c in e.claims)]
    verdict = combine("x", encoding, [*crasp, *both])
    assert verdict.answer == "undecided"
    assert "contradiction" in verdict.conflicts[0]


def test_no_program_is_a_conjectured_no_but_communication_is_not():
    out = Evidence("decision", "out", "proof", {"periodic_local": False})
    assert combine("x", "ape", [out]).strength == "conjecture"
    rows = Evidence("communication", "2^n", "exhaustive", {"limit": False}, reached=9)
    assert combine("x", "ape", [rows]).label == "exhaustive to length 9"
    assert combine("x", "nope", [rows]).answer == "no"


def test_outside_the_small_class_says_nothing_about_the_large_one():
    out = Evidence("decision", "out", "proof", {"plain": False})
    assert combine("x", "nope", [out]).answer == "no"
    assert combine("x", "ape", [out]).answer == "undecided"


def test_measurements_never_decide_but_are_shown_when_they_disagree():
    seen = Evidence("m", "run: 0%", "measured", facts={"encoding": "nope", "held": False})
    assert combine("x", "nope", [seen]).answer == "undecided"
    inside_plain = Evidence("p", "program", "sampled", {"plain": True})
    verdict = combine("x", "nope", [seen, inside_plain])
    assert verdict.answer == "yes"
    assert verdict.conflicts == ("measurement disagrees: run: 0%",)
    assert combine("x", "ape", [seen, inside_plain]).conflicts == ()


def test_two_theories_of_equal_strength_that_disagree_leave_it_undecided():
    yes = Evidence("circuits", "constant", "conjecture", {"src:ape": True})
    no = Evidence("decision", "out", "proof", {"periodic_local": False})
    assert combine("x", "ape", [yes, no]).answer == "undecided"
    rows = Evidence("communication", "2^n", "exhaustive", {"limit": False})
    verdict = combine("x", "ape", [yes, rows])
    assert verdict.answer == "no"
    assert "another theory says yes" in verdict.conflicts[0]
