"""Programs fitted to answers: written as measured, right where given, refused otherwise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.crasp.bank import Bank, all_codes
from lengthwise.crasp.decision_list import ListFit
from lengthwise.crasp.embedding import Q
from lengthwise.crasp.facts import analyse
from lengthwise.crasp.from_answers import contradictions, program_from_answers
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import COMPARISONS
from lengthwise.crasp.terms import ABSENT, Terms, compare
from lengthwise.languages.asked import Asked


def terms_of(letters, length=5):
    bank = Bank.build(letters, all_codes(len(letters), length))
    terms = Terms(bank, sees_last=True)
    for kind in ("letters", "order", "factors", "neighbours", "places"):
        getattr(terms, kind)()
    return bank, terms


@pytest.fixture(scope="module", params=["ab", "abc"])
def measured(request):
    return terms_of(request.param, 6 if request.param == "ab" else 4)


@pytest.mark.parametrize("sign", COMPARISONS)
def test_a_form_without_a_positive_part_is_turned_round_with_its_sign(sign):
    written = Program.of(compare([(-1, Q["a"])], sign, -3))
    for number in range(1, 6):
        assert accepts(written, ["a" * number]).tolist() == [COMPARISONS[sign](-number, -3)]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_every_threshold_is_written_as_it_was_measured(measured, data):
    """The interpreter, which knows nothing of banks, agrees on every word."""
    bank, terms = measured
    row = data.draw(st.integers(0, len(terms.quantities.rows) - 1))
    quantity, values = terms.quantities.made[row], terms.quantities.rows[row]
    signs = {"here": [">=", "<="], "end": ["<=", ">=", "==", "!="]}
    sign = data.draw(st.sampled_from(signs.get(quantity.place, ["<=", ">="])))
    threshold = data.draw(st.integers(-4, 5))
    if quantity.place == "here":
        threshold = 1 if sign == ">=" else 0
    expected = {
        "<=": values <= threshold,
        ">=": values >= threshold,
        "==": values == threshold,
        "!=": values != threshold,
    }[sign]
    found = accepts(Program.of(quantity.test(sign, threshold)), bank.as_words())
    assert (np.asarray(found) == expected).all()
    assert abs(int(values[np.abs(values) < ABSENT // 2].sum())) < ABSENT * len(values)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_list_gives_the_labels_it_was_fitted_to_and_so_does_what_is_written(seed):
    rng = np.random.default_rng(seed)
    bank, terms = terms_of("ab")
    rows = terms.quantities.matrix()
    one, two = rng.integers(len(rows), size=2)
    labels = (rows[one] > np.median(rows[one])) | (rows[two] == int(np.median(rows[two])))
    masks = terms.masks(many=True)
    found = ListFit(terms.quantities, labels, [mask for _, mask in masks]).run()
    if found is None:
        return
    cases = [mask for _, mask in masks]
    assert (found.labels(rows, cases) == labels).all()
    written = Program.of(found.written(terms.quantities, [where for where, _ in masks]))
    assert (np.asarray(accepts(written, bank.as_words())) == labels).all()


def dyck(word):
    height = 0
    for letter in word:
        height += 1 if letter == "(" else -1
        if height < 0:
            return False
    return height == 0


def shuffle_of_three(word):
    pairs = ("()", "[]", "{}")
    return all(dyck([("(", ")")[p.index(c)] for c in word if c in p]) for p in pairs)


def blocks(word):
    n = len(word) // 4
    return word == "a" * n + "b" * n + "c" * n + "d" * n


LINEAR = [
    (lambda w: 5 * w.count("a") == 7 * w.count("b"), "ab", "plain"),
    (lambda w: w.count("a") + w.count("b") > 2 * w.count("c"), "abc", "plain"),
    (lambda w: w.count("a") <= w.count("b") <= w.count("c"), "abc", "plain"),
    (blocks, "abcd", "plain"),
    (dyck, "()", "plain"),
    (lambda w: w.count("ab") > w.count("bc"), "abc", "local"),
    (lambda w: w[::2].count("a") == w[1::2].count("a"), "ab", "periodic"),
]


@pytest.mark.parametrize(("member", "letters", "fragment"), LINEAR)
def test_linear_counts_are_found_and_right_far_beyond_what_was_fitted(member, letters, fragment):
    asked = Asked(member, letters)
    asked.read_all(most=20_000)
    found = program_from_answers(asked, seconds=60)
    assert found.program is not None, found.doubt
    assert analyse(found.program).fragment == fragment
    assert found.longest > 2 * asked.complete
    rng = np.random.default_rng(5)
    words = ["".join(rng.choice(list(letters), size=n)) for n in range(100, 160)]
    words += [letters[0] * n + letters[1] * n for n in (70, 98)]
    fresh = Asked(member, letters)
    fresh.ask(words)
    assert contradictions(found.program, fresh) == []


@pytest.mark.slow
def test_shuffles_of_three_pairs_are_found():
    asked = Asked(shuffle_of_three, "()[]{}")
    asked.read_all(most=60_000)
    found = program_from_answers(asked, seconds=120)
    assert found.program is not None, found.doubt
    assert analyse(found.program).depth == 2


@pytest.mark.parametrize(
    ("member", "letters"),
    [
        (lambda w: w.count("a") * w.count("b") == w.count("c"), "abc"),
        (lambda w: w.count("b") == w.count("a") ** 2, "ab"),
        (lambda w: w.count("b") == 2 ** w.count("a"), "ab"),
        (lambda w: w.count("#") == 1 and w.split("#")[0] == w.split("#")[1], "ab#"),
        (lambda w: w == w[::-1], "ab"),
        (lambda w: w.count("a") % 2 == 0, "ab"),
    ],
)
def test_what_is_not_linear_is_not_mistaken_for_it(member, letters):
    asked = Asked(member, letters)
    asked.read_all(most=4_000)
    found = program_from_answers(asked, seconds=2)
    assert found.program is None
    assert found.doubt


def test_few_long_members_are_a_doubt():
    asked = Asked(lambda w: len(w) <= 9 and w == w[::-1], "ab")
    asked.read_all(most=3_000)
    assert program_from_answers(asked, seconds=4).program is None
