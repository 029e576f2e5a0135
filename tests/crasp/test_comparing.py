"""Comparing languages: words are in their regions, empty regions are empty, proofs are checked."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.core.integer_rows import Cases, refutes, solve
from lengthwise.core.limits import Limits
from lengthwise.crasp.comparing import REGIONS, compare
from lengthwise.crasp.embedding import Q, count, prev
from lengthwise.crasp.event_paths import EventPaths, NotOneLayerError, demands
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.library import load
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import COMPARISONS, Compare, LocalCount, Residue, Symbol
from lengthwise.languages.regex import compile_regex

LETTERS = "ab"
WORDS = ["".join(w) for n in range(8) for w in product(LETTERS, repeat=n)]

letters = st.sampled_from([Symbol(a) for a in LETTERS])
finite = st.one_of(
    letters,
    st.builds(Residue, st.integers(2, 3), st.integers(0, 2)),
    st.builds(lambda d, p: LocalCount((d,), p) >= 1, st.integers(1, 2), letters),
    st.builds(lambda p, k: count(p) == k, letters, st.integers(0, 1)),
)
factors = st.integers(-2, 2)
comparisons = st.builds(
    lambda sign, k, p, m, q, c: Compare(sign, k * count(p) + m * count(q), c),
    st.sampled_from(list(COMPARISONS)),
    factors,
    finite,
    factors,
    letters,
    st.integers(-2, 3),
)
booleans = st.one_of(
    comparisons,
    st.builds(lambda p, q: p & q, comparisons, st.one_of(comparisons, finite)),
    st.builds(lambda p, q: p | ~q, comparisons, finite),
)
programs = st.builds(
    lambda root, empty: Program.of(root, alphabet=LETTERS, empty=empty),
    booleans,
    st.sampled_from([True, False, None]),
)


@settings(max_examples=25, deadline=None)
@given(programs, programs, st.sampled_from(["last", "end"]), st.sampled_from([20, 100]))
def test_regions_agree_with_all_short_words(one, two, accept, configurations):
    result = compare(one, two, LETTERS, accept=accept, configurations=configurations)
    pairs = zip(accepts(one, WORDS, accept=accept), accepts(two, WORDS, accept=accept), strict=True)
    shortest = {}
    for word, (first, second) in zip(WORDS, pairs, strict=True):
        shortest.setdefault((bool(first), bool(second)), len(word))
    for key, region in result.regions.items():
        if region.word is not None:
            word = ["".join(region.word)]
            answers = [accepts(side, word, accept=accept)[0] for side in (one, two)]
            assert tuple(map(bool, answers)) == key
            if region.shortest:
                assert len(region.word) <= shortest.get(key, len(region.word))
        elif region.empty:
            assert key not in shortest
        else:
            assert shortest.get(key, 99) > region.searched


def test_equal_programs_of_unbounded_counts_are_proved_equal():
    one = Program.of(count(Q["a"]) > count(Q["b"]))
    two = Program.of(3 * count(Q["a"]) - 1 > 3 * count(Q["b"]))
    result = compare(one, two, LETTERS, configurations=50)
    assert result.relation == "equal"
    assert {result.regions[key].how for key in ((True, False), (False, True))} == {"form"}


def test_counts_that_exclude_each_other_are_refuted_by_linear_systems():
    """a > 2 b and b > 3 c exclude a < 5 c: rows times 1, 2 and 1, which no walk adds up."""
    a, b, c = (count(Q[letter]) for letter in "abc")
    many, few = Program.of((a > 2 * b) & (b > 3 * c)), Program.of(a < 5 * c)
    result = compare(many, few, "abc", configurations=50)
    assert result.relation == "disjoint"
    assert result.regions[True, True].how == "linear"


def test_a_difference_far_away_is_a_shortest_word():
    one = Program.of(count(Q["a"]) < 3 * count(Q["b"]) + 40)
    two = Program.of((count(Q["a"]) < 3 * count(Q["b"]) + 40) & (count(Q["b"]) < 30))
    result = compare(one, two, LETTERS, configurations=60)
    region = result.regions[True, False]
    assert (region.how, region.shortest, len(region.word)) == ("word", True, 30)
    assert result.relation == "includes"


def test_windows_and_positions_are_followed():
    """As many ab as ba, give or take one: words begin and end alike or not."""
    ab = count(Q["b"] & prev(Q["a"]))
    ba = count(Q["a"] & prev(Q["b"]))
    one = Program.of(ab - ba <= 1, alphabet=LETTERS)
    everything = compile_regex("[ab]*", LETTERS)
    result = compare(one, everything, LETTERS, configurations=3)
    assert result.relation == "equal"
    assert result.regions[False, True].how in ("form", "walk")


def test_two_layers_are_open_beyond_what_was_searched():
    """2 a > 3 b implies 5 a > 7 b, by rows times 5 and 2; but no walk and no form multiplies."""
    more = count(2 * count(Q["a"]) > 3 * count(Q["b"]))
    most = count(5 * count(Q["a"]) > 7 * count(Q["b"]))
    one = Program.of(more <= most, alphabet=LETTERS, empty=True)
    result = compare(one, compile_regex("[ab]*"), LETTERS, configurations=200)
    assert result.relation == "open"
    assert result.regions[False, True].searched > 5


def test_two_layers_with_one_form_are_equal():
    again = Program.of(
        ~(count(count(Q[")"]) > count(Q["("])) > 0) & (count(Q[")"]) >= count(Q["("])),
        alphabet="()",
        empty=True,
    )
    result = compare(load("dyck-1"), again, "()", configurations=200)
    assert result.regions[True, False].how == "form"
    inside = compare(load("dyck-1"), load("majority-weak"), "()ab", configurations=200)
    assert inside.relation != "equal"


def test_included_disjoint_and_other_letters():
    assert compare(load("majority"), load("majority-weak"), "ab").relation == "included"
    assert compare(load("majority-weak"), load("majority"), "ab").relation == "includes"
    more = Program.of(count(Q["a"]) > count(Q["b"]))
    less = Program.of(count(Q["a"]) < count(Q["b"]))
    assert compare(more, less, "ab").relation == "disjoint"
    assert compare(compile_regex("a*"), compile_regex("a*", "ab"), "ab").relation == "equal"
    named = Program.of(count(Q["a"]) >= 0, alphabet="a")
    assert compare(named, compile_regex("a*"), "ab").relation == "equal"


def test_time_that_is_over_leaves_regions_open():
    limits = Limits(1.0, started=-1e9)
    result = compare(load("dyck-1"), load("majority"), "()", limits=limits)
    assert {region.how for region in result.regions.values()} <= {"word", "open"}


def test_a_cycle_apart_from_the_start_is_no_path():
    """a*b*, where nothing leads from b back: flows through both must go through the start."""
    paths = EventPaths.build([compile_regex("a*b*"), load("majority")], "ab", "last")
    for end in range(len(paths.table)):
        for signs in demands(paths.formulas[1][end]):
            rows = paths.rows(end, signs)
            result = solve(rows, len(paths.edges), unwanted=paths.disconnected)
            if isinstance(result, tuple):
                word = paths.word(result, end)
                assert accepts(load("majority"), ["".join(word)])[0]
            else:
                assert refutes(result, rows, paths.valid)


def test_a_split_at_states_must_leave_the_start_outside():
    paths = EventPaths.build([compile_regex("a*b*"), load("majority")], "ab", "last")
    reason, sets = paths.split(frozenset({1}))
    assert paths.valid(Cases(reason, tuple((rows, None) for rows in sets)))
    for island in (frozenset({0}), frozenset({0, 1}), frozenset()):
        reason, sets = paths.split(island)
        assert not paths.valid(Cases(reason, tuple((rows, None) for rows in sets)))
    reason, sets = paths.split(frozenset({1}))
    assert not paths.valid(Cases(reason, ((sets[0], None),)))
    assert not paths.valid(Cases("whole", tuple((rows, None) for rows in sets)))


def test_what_counts_counts_is_not_one_layer():
    with pytest.raises(NotOneLayerError):
        EventPaths.build([load("dyck-1")], "()", "last")


def test_the_four_regions_are_all_there():
    assert set(compare(load("majority"), load("majority"), "ab").regions) == set(REGIONS)
