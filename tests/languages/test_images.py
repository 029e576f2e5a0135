"""Images of predicates, and what sequences of answers say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.languages.asked import Asked
from lengthwise.languages.inverse_images import Image, promising, starts_and_ends
from lengthwise.languages.unary import convex, irregular, period_of, uneven


@settings(max_examples=80, deadline=None)
@given(
    start=st.lists(st.booleans(), max_size=12),
    cycle=st.lists(st.booleans(), min_size=1, max_size=12),
)
def test_ultimately_periodic_sequences_are_never_irregular(start, cycle):
    answers = (start + cycle * 400)[:400]
    period, begin = period_of(answers)
    assert len(cycle) % period == 0 or len(set(answers[begin:])) == 1
    assert all(answers[n] == answers[n + period] for n in range(begin, 400 - period))
    assert not irregular(answers)


@pytest.mark.parametrize("late", [150, 350, 390])
def test_a_late_change_alone_is_not_irregular(late):
    assert not irregular([n < late for n in range(400)])
    assert not irregular([n % 2 == 0 and n < late for n in range(400)][:late])


@settings(max_examples=80, deadline=None)
@given(a=st.integers(1, 9), b=st.integers(1, 5), c=st.integers(0, 20), d=st.integers(1, 9))
def test_piecewise_lines_are_not_convex_for_long(a, b, c, d):
    line = [max(a * n // b, d * n - c) for n in range(14)]
    assert not convex(line)


@settings(max_examples=80, deadline=None)
@given(a=st.integers(1, 40), b=st.integers(1, 40), c=st.integers(0, 99), d=st.integers(1, 9))
def test_steps_of_piecewise_lines_are_even(a, b, c, d):
    assert not uneven([max(a * n // b, (d * n - c) // 2) for n in range(400)])


@pytest.mark.parametrize("slope", [2**0.5, 2**0.5 - 1, (1 + 5**0.5) / 2])
def test_steps_of_irrational_lines_are_uneven(slope):
    assert uneven([int(slope * n) for n in range(400)])


def test_members_of_an_image_are_members_with_pieces_in_place():
    asked = Asked(lambda word: word.count("a") > word.count("b"), "abc")
    image = Image(asked, "c", ("ab", "aa"), "b")
    assert image.replaced("xyx") == "cabaaabb"
    assert image.ask(["", "x", "y", "yy"]) == [False, False, True, True]
    assert image.even
    assert not Image(asked, "", ("a", "bb"), "b").even


def test_ends_are_never_empty_where_the_last_letter_is_visible():
    asked = Asked(lambda word: "ab" in word, "ab")
    asked.read_all(most=200)
    rng = np.random.default_rng(0)
    assert all(end for _, end in starts_and_ends(asked, rng, bare_end=False))
    assert any(not end for _, end in starts_and_ends(asked, rng, bare_end=True))


def test_images_with_few_states_are_promising():
    parity = Asked(lambda word: word.count("a") % 2 == 0, "ab")
    assert promising(Image(parity, "", ("a", "b"), "b"))
    assert not promising(Image(parity, "", ("aa", "b"), "b"))  # all are members
