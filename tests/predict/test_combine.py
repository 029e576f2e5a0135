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
    seen = Evidence("m", "run: 0%", "measured", facts={"encoding": "nope", "outcome": "fails"})
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


measured = st.builds(
    lambda encoding, outcome, number: Evidence(
        "m", f"run {number}", "measured", facts={"encoding": encoding, "outcome": outcome}
    ),
    st.sampled_from(list(ENCODINGS)),
    st.sampled_from(["holds", "fails", "not fitted"]),
    st.integers(0, 99),
)


@given(
    st.lists(evidence, max_size=3), st.lists(measured, max_size=6), st.sampled_from(["nope", "ape"])
)
def test_exactly_the_measurements_of_this_encoding_that_say_otherwise_are_conflicts(
    theory, runs, encoding
):
    without, verdict = combine("x", encoding, theory), combine("x", encoding, [*theory, *runs])
    assert (verdict.answer, verdict.strength) == (without.answer, without.strength)
    said = {"yes": "fails", "no": "holds"}
    against = [
        f"measurement disagrees: {run.statement}"
        for run in runs
        if verdict.answer in said
        and run.facts["encoding"] == encoding
        and run.facts["outcome"] == said[verdict.answer]
    ]
    assert list(verdict.conflicts) == [*without.conflicts, *against]


def test_what_was_not_measured_is_no_conflict():
    inside_plain = Evidence("p", "program", "sampled", {"plain": True})
    told = Evidence("c", "a paper says so", "measured", facts={"encoding": "nope"})
    assert combine("x", "nope", [inside_plain, told]).conflicts == ()


@given(
    st.permutations(range(4)),
    st.lists(evidence, min_size=4, max_size=4),
    st.sampled_from(list(ENCODINGS)),
)
def test_the_order_in_which_evidence_comes_changes_nothing(order, found, encoding):
    one, two = combine("x", encoding, found), combine("x", encoding, [found[i] for i in order])
    assert (one.answer, one.strength) == (two.answer, two.strength)


@given(strengths, strengths, st.booleans())
def test_the_strongest_of_several_reasons_is_given(one, two, member):
    """Both say the same about APE's own class; a limit beyond all programs is a theorem."""
    found = [
        Evidence(name, name, name, {"limit" if not member else "periodic_local": member})
        for name in (one, two)
    ]
    verdict = combine("x", "ape", found)
    assert verdict.answer == ("yes" if member else "no")
    best = min(one, two, key=ORDER.index)
    assert verdict.strength == best
    assert verdict.evidence[0].strength == best


@given(st.sampled_from(list(ENCODINGS)), evidence)
def test_one_piece_of_evidence_against_the_table_of_links(encoding, found):
    """Slow reference: try every link with every claim, and take the strongest that speaks."""
    said = []
    for link in links(encoding):
        for claim, member in found.claims.items():
            if link.class_name in (inside(claim) if member else outside(claim)):
                step = link.yes if member else link.limit if claim == "limit" else link.no
                if not member and found.claims.get("limit") is False:
                    step = link.limit
                said.append((link.class_name, member, weakest([found.strength, step])))
    verdict = combine("x", encoding, [found])
    contradicted = {c for c, m, _ in said if (c, not m) in {(c2, m2) for c2, m2, _ in said}}
    said = [(member, strength) for name, member, strength in said if name not in contradicted]
    if not said:
        assert verdict.answer == "undecided"
    elif len({member for member, _ in said}) == 1:
        assert verdict.answer == ("yes" if said[0][0] else "no")
        assert verdict.strength == min((s for _, s in said), key=ORDER.index)
    assert bool(verdict.link) == (verdict.answer != "undecided")


def test_a_contradiction_is_shown_even_where_another_theory_knows_nothing():
    both = [
        Evidence("one", "in", "proof", {"periodic_local": True}),
        Evidence("two", "out", "proof", {"periodic_local": False}),
    ]
    assert "contradiction" in combine("x", "ape", both).conflicts[0]
    src = Evidence("three", "constant", "proof", {"src:ape": True})
    verdict = combine("x", "ape", [*both, src])
    assert (verdict.answer, verdict.strength) == ("yes", "conjecture")


def test_where_theories_agree_the_stronger_one_is_given():
    src = Evidence("circuits", "constant", "proof", {"src:ape": True})
    program = Evidence("decision", "in", "proof", {"periodic_local": True})
    weak, strong = (combine("x", "ape", [one]).strength for one in (src, program))
    assert ORDER.index(strong) < ORDER.index(weak)
    for both in ([src, program], [program, src]):
        verdict = combine("x", "ape", both)
        assert (verdict.answer, verdict.strength, verdict.evidence) == ("yes", strong, (program,))
