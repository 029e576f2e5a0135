"""The rules of outcomes: what confirms nothing, what counts against, and three-valued claims."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from lengthwise.records.outcomes import (
    CELL_OUTCOMES,
    FITTED,
    LINE,
    STATUSES,
    TONES,
    agreement,
    agreement_sentence,
    all_of,
    any_of,
    at_least,
    at_most,
    cell_outcome,
    headline,
    not_below,
)

seeds = st.lists(st.tuples(st.sampled_from([0.5, 0.98, 0.99, 1.0]), st.floats(0, 1)), max_size=7)
unit = st.floats(0, 1)
intervals = st.tuples(unit, unit).map(lambda pair: (min(pair), max(pair)))


@given(seeds)
def test_a_cell_is_what_its_fitted_seeds_agree_on(found):
    fitted = [far for near, far in found if near >= FITTED]
    outcome = cell_outcome(found)
    if len(fitted) * 2 < len(found) or not fitted:
        assert outcome == "not fitted"
    else:
        sides = {far >= LINE for far in fitted}
        assert outcome == {(True,): "holds", (False,): "fails"}.get(tuple(sides), "mixed")


@given(seeds, st.floats(0, 1))
def test_a_model_that_did_not_fit_changes_no_answer(found, far):
    before, after = cell_outcome(found), cell_outcome([*found, (0.9, far)])
    assert after in (before, "not fitted")


def test_mixed_counts_against_every_prediction_and_unfitted_for_none():
    for answer in ("yes", "no"):
        assert agreement(answer, "mixed") is False
        assert agreement(answer, "not fitted") is None
    assert agreement("undecided", "holds") is None
    cells = [("yes", "holds"), ("undecided", "holds"), ("no", "mixed"), ("no", "not fitted")]
    assert (
        agreement_sentence(cells) == "1 of 3 fitted cells agree (33%); 1 mixed, 1 of 4 not fitted"
    )
    assert agreement_sentence([("no", "not fitted")]) == (
        "0 of 0 fitted cells agree; 1 of 1 not fitted"
    )


def test_a_headline_counts_what_came_out():
    assert headline(["held", "not held", "inconclusive"]) == "1 of 2 held; 1 inconclusive"
    assert headline([]) == "0 of 0 held"
    assert set(TONES) == {*CELL_OUTCOMES, *STATUSES}


@given(intervals, st.floats(0, 1))
def test_a_line_inside_an_interval_decides_nothing(found, line):
    low, high = found
    assert (at_least(found, line) == "inconclusive") == (low < line <= high)
    assert (at_most(found, line) == "inconclusive") == (low <= line < high)


@given(intervals, intervals, st.sampled_from([0.0, 0.02]))
def test_intervals_that_overlap_by_more_than_close_decide_nothing(one, other, close):
    status = not_below(one, other, close)
    if status == "held":
        assert one[0] >= other[1] - close
    elif status == "not held":
        assert one[1] < other[0] - close
    else:
        assert one[0] < other[1] - close
        assert one[1] >= other[0] - close


def test_claims_of_several_parts_are_three_valued():
    for parts in itertools.product(STATUSES, repeat=2):
        both, either = all_of(parts), any_of(parts)
        assert (both == "held") == (set(parts) == {"held"})
        assert (both == "not held") == ("not held" in parts)
        assert (either == "held") == ("held" in parts)
        assert (either == "not held") == (set(parts) == {"not held"})
    assert all_of([]) == any_of([]) == "not run"
