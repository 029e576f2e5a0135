"""The inference procedure: what fits, what it costs, what is in U_n, and where it is wrong."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.analysis import inferred
from lengthwise.analysis.inferred import (
    ShortWords,
    first_wrong,
    on_grid,
    short_rows,
    trained_models,
    wrong_answers,
)
from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.crasp import Program, Q, accepts
from lengthwise.crasp.candidates import SearchSpace
from lengthwise.crasp.library import load
from lengthwise.crasp.syntax import count
from lengthwise.crasp.targets import from_function, from_program, from_regex
from lengthwise.languages.words import Words
from lengthwise.theory.limit import compile_program
from lengthwise.theory.limit.folding import NormScales, folded
from lengthwise.theory.limit.hypotheses import Hypotheses, in_intervals
from lengthwise.theory.limit.inference import (
    Chosen,
    Membership,
    membership,
    settled,
    simplest_programs,
)
from lengthwise.theory.limit.regulariser import explicit, regulariser
from lengthwise.theory.limit.soft_regulariser import matrices, product_variation, soft_terms

PLAIN = SearchSpace(depth=1, size=6, periods=(), window=0)


def fits(program, target, longest):
    words = [w for n in range(1, longest + 1) for w in itertools.product(target.letters, repeat=n)]
    wanted = target.decide(Words.encode(words, target.letters))
    return bool((accepts(program, words) == wanted).all())


def test_the_choice_has_the_least_r_of_all_that_were_enumerated():
    """Against compiling every enumerated expression that fits, one by one."""
    target = from_regex("a*", "ab")
    found = Hypotheses.enumerate(target, 3, Limits(60), PLAIN)
    for context in (6, 4):
        best = found.simplest(context, Limits(60))
        every = []
        for row in range(len(found.candidates.bools.recipes)):
            root = found.candidates.expression(row)
            program = Program.of(root, alphabet="ab")
            if fits(program, target, context // 2):
                terms = regulariser(explicit(compile_program(program), context + 1))
                every.append(terms.total)
        assert every
        assert fits(best.program, target, context // 2)
        assert best.terms.total <= min(every) + 1e-9


@pytest.mark.parametrize("pattern", ["(ab)*", "a*b*", "(aa)*"])
def test_r_never_falls_and_every_choice_fits_what_it_was_chosen_from(pattern):
    target = from_regex(pattern, "ab")
    space = SearchSpace(depth=2, size=7)
    rows = simplest_programs(target, [4, 8, 6], horizon=20, limits=Limits(120), space=space)
    assert [row.context for row in rows] == [4, 6, 8]
    totals = [row.total for row in rows if row.total is not None]
    assert totals == sorted(totals)
    for row in rows:
        assert row.inside
        assert row.fails_at is None or row.fails_at > row.train_length


def test_a_language_in_the_class_settles_and_parity_does_not():
    """Theorem 7 at small sizes: (aa)* is counted out until its own program is cheaper."""
    own = load("aa")
    rows = simplest_programs(from_regex("(aa)*"), [8, 40, 44], limits=Limits(120), own=own)
    assert rows[0].fails_at == 5  # a count is cheaper there
    assert settled(rows) == 40
    assert rows[-1].tested == "proof"
    parity = from_function(lambda word: word.count("1") % 2 == 0, "01")
    space = SearchSpace(depth=1, size=6)
    rows = simplest_programs(parity, [4, 6, 8, 10], limits=Limits(120), space=space)
    assert settled(rows) is None
    assert [row.right for row in rows] == [False] * 4
    totals = [row.total for row in rows]
    assert all(a < b for a, b in itertools.pairwise(totals))


def test_membership_sees_wrong_answers_and_positions_that_are_read():
    target = from_program(load("contains-ab"), "ab")
    good = membership(compile_program(load("contains-ab")), target, 8)
    assert good.inside
    assert good.tried == sum(2**n * (9 - n) for n in range(1, 5))
    bad = membership(compile_program(load("majority")), target, 8)
    assert bad.wrong
    assert not bad.inside
    short = compile_program(load("aa"), periodic="short")
    read = membership(short, from_regex("(aa)*"), 12)
    assert read.varies > 0.5
    assert not read.inside


def test_choices_outside_u_n_are_not_judged_beyond():
    row = Chosen(8, 4, "x", None, Membership(1, 30, 0.0), 5, "")
    assert row.right is None
    assert not row.inside
    inside = replace(row, member=Membership(0, 30, 0.0))
    assert inside.right is False
    assert replace(inside, fails_at=9).right is True
    right = replace(inside, fails_at=None)
    assert settled([right, replace(right, context=10)]) == 8
    assert settled([replace(right, context=10)]) is None  # one alone has not been seen to stay
    assert settled([right, replace(right, context=10, chosen="y")]) is None


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
@settings(max_examples=60, deadline=None)
def test_intervals_hold_what_they_should(yes, no):
    yes = yes - no
    root = in_intervals(count(Q["a"]), np.array(sorted(yes)), np.array(sorted(no)))
    program = Program.of(root, alphabet="ab")
    for number in (yes | no) - {0}:
        assert bool(accepts(program, ["a" * number])[0]) == (number in yes)


def test_contexts_that_cannot_be_are_refused():
    with pytest.raises(InputError, match="context 1"):
        simplest_programs(from_regex("(ab)*"), [1])
    with pytest.raises(InputError, match="too many"):
        simplest_programs(from_regex("(ab)*"), [64])


# --- training ---


def test_short_rows_are_every_word_at_every_offset_once():
    target = from_regex("(ab)*")
    rows, seen = short_rows(target, 6), []
    for tokens, places, signs in zip(rows.tokens, rows.positions, rows.signs, strict=True):
        for size in np.flatnonzero(signs.numpy()):
            word = "".join("ab"[t - 1] for t in tokens[1 : size + 1])
            seen.append((word, int(places[0])))
            assert places[: size + 1].tolist() == list(range(places[0], places[0] + size + 1))
            assert (signs[size] > 0) == (word in {"ab", "abab"})
    wanted = {
        ("".join(word), offset)
        for size in (1, 2, 3)
        for word in itertools.product("ab", repeat=size)
        for offset in range(6 - size + 1)
    }
    assert set(seen) == wanted


def tiny(seed=0):
    torch.manual_seed(seed)
    return inferred._model(from_regex("(ab)*"), 6, 2, 2, 8)


def test_the_soft_terms_are_those_of_r():
    model = tiny()
    soft = soft_terms(matrices(model))
    hard = regulariser(folded(model, NormScales.none(2)))
    for name, value in soft.items():
        assert float(value.detach()) == pytest.approx(getattr(hard, name), rel=1e-4), name


def test_product_variation_is_zero_without_positions_and_has_a_gradient():
    model = tiny()
    value = product_variation(matrices(model))
    value.backward()
    table = model.encoding.table.weight
    assert float(value.detach()) > 0
    assert table.grad.abs().sum() > 0
    table.data.zero_()
    assert float(product_variation(matrices(model)).detach()) < 1e-3


def test_training_reports_models_that_do_not_fit_as_such(monkeypatch):
    target = from_regex("(ab)*")
    (row,) = trained_models(target, [6], steps=2, width=8, heads=1, layers=1)
    assert row.member.wrong
    assert row.right is None
    assert row.fails_at is None
    assert "2 steps" in row.note


@pytest.mark.slow
def test_training_fits_all_short_words_and_says_where_it_fails():
    target = from_regex("a*", "ab")
    (row,) = trained_models(target, [4], steps=800, width=16, seed=1)
    assert row.member.right
    assert row.right is not None
    assert row.terms.bits < 24  # rounded to a grid that keeps every answer


def test_a_grid_keeps_every_answer_and_wrong_lengths_are_found():
    target, model = from_regex("(ab)*"), tiny()
    rows = short_rows(target, 6)
    said = torch.sign(inferred.outputs(model, rows).detach())
    own = ShortWords(rows.tokens, rows.positions, said * (rows.signs != 0))
    big = inferred.outputs(model, own).detach().abs()[own.signs != 0].min()
    model.unembedding.weight.data *= float(1.0 / big)
    rounded, matrices_ = on_grid(model, own)
    assert not wrong_answers(rounded, own)[0].any()
    assert matrices_.bits < 24
    assert first_wrong(model, target, 6, 6) == 4  # an untrained model is wrong at once
