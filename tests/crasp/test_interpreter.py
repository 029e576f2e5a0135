import itertools

import numpy as np
import pytest
import torch
from hypothesis import given

from lengthwise.core.errors import InputError
from lengthwise.crasp import (
    Program,
    Q,
    Words,
    accepts,
    count,
    evaluate,
    interpreter,
    parse,
    pos,
    true,
)
from lengthwise.crasp.arrays import NumpyArrays
from lengthwise.crasp.interpreter import read_at
from lengthwise.crasp.library import load
from lengthwise.crasp.stepper import Stepper
from lengthwise.crasp.syntax import Count
from lengthwise.languages.words import all_words, read_word, words_of_length
from tests.crasp.reference import LETTERS, accepted, expressions, value
from tests.crasp.reference import words as word_lists


def as_torch(batch):
    return Words(
        torch.from_numpy(batch.tokens.astype(np.int64)),
        torch.from_numpy(batch.lengths),
        batch.letters,
    )


@given(expressions(), word_lists)
def test_every_position_equals_the_quadratic_reference(node, words):
    program = Program.of(node)
    batch = Words.encode(words, LETTERS)
    for found in (evaluate(program, batch)["accept"], evaluate(program, as_torch(batch))["accept"]):
        assert tuple(found.shape) == (len(words), batch.longest)
        for row, word in enumerate(words):
            expected = [value(node, word, i) for i in range(1, len(word) + 1)]
            assert found[row, : len(word)].tolist() == expected


@given(expressions(), word_lists)
def test_acceptance_equals_the_reference_in_both_conventions(node, words):
    for empty in (None, True, False):
        program = Program.of(node, empty=empty)
        batch = Words.encode(words, LETTERS)
        for accept in ("last", "end"):
            expected = [accepted(program, word, accept) for word in words]
            assert accepts(program, batch, accept=accept).tolist() == expected
            assert accepts(program, as_torch(batch), accept=accept).tolist() == expected


@given(expressions(), word_lists)
def test_counts_can_be_read_at_the_end_too(node, words):
    counts = [arg for arg in node.args if isinstance(arg, Count)]
    batch = Words.encode(words, LETTERS)
    for root in counts:
        found = read_at([root], batch, "end")[0]
        assert found.tolist() == [value(root, word, len(word) + 1) for word in words]


@given(expressions(), word_lists)
def test_the_stepper_equals_whole_arrays(node, words):
    batch = Words.encode(words, LETTERS)
    whole = evaluate(Program.of(node), batch)["accept"]
    run = Stepper([node], letters=LETTERS, batch=batch.count)
    columns = [run.step(batch.tokens[:, i])[0] for i in range(batch.longest)]
    if columns:
        assert np.array_equal(np.stack(columns, axis=1), whole)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3), (5, 4), (200, 7), (64, 8), (9,)])
@pytest.mark.parametrize("wide", [False, True])
def test_running_sums_of_many_short_words_are_those_of_each(shape, wide):
    value = np.random.default_rng(0).random(shape) < 0.5
    arrays = NumpyArrays(wide)
    for laid_out in (value, np.asfortranarray(value)):
        sums = arrays.running(laid_out)
        assert np.array_equal(sums, np.cumsum(value, axis=-1))
        assert sums.dtype == (np.int64 if wide else np.int32)


@pytest.mark.parametrize("name", ["dyck-1", "tomita-4", "copy-4"])
@pytest.mark.parametrize("accept", ["last", "end"])
def test_all_words_at_once_are_decided_as_one_at_a_time(name, accept):
    program = load(name)
    batch = all_words(program.letters(), 5)
    alone = [bool(accepts(program, [batch.word(k)], accept=accept)[0]) for k in range(batch.count)]
    assert accepts(program, batch, accept=accept).tolist() == alone


def test_wide_values_use_wide_integers_and_overflow_is_refused():
    big = 10**12 * count(true) > 5 * 10**12
    assert accepts(Program.of(big), ["aaaaa", "aaaaaa"]).tolist() == [False, True]
    huge = 10**17 * (1000 * count(true)) > 1
    with pytest.raises(InputError, match="64 bits"):
        accepts(Program.of(huge), ["a"])


def test_results_do_not_depend_on_batch_or_padding():
    program = load("bounded-dyck")
    words = ["ab", "", "aabb", "abab" * 20, "ba", "a" * 50]
    alone = [bool(accepts(program, [word])[0]) for word in words]
    assert accepts(program, words).tolist() == alone
    assert accepts(program, []).tolist() == []


def test_letters_outside_a_declared_alphabet_are_refused():
    with pytest.raises(
        InputError, match=r"symbol 'x' at position 2 is not in the alphabet \(a b\)"
    ):
        accepts(load("majority"), ["ax"])
    open_program = Program.of(count(Q["a"]) > count(Q["b"]))
    assert accepts(open_program, ["axx", "xb"]).tolist() == [True, False]


def test_unknown_choices_are_refused():
    with pytest.raises(InputError, match="accept="):
        accepts(load("majority"), ["a"], accept="first")


def test_the_end_marker_is_a_position_without_letter_that_is_not_counted():
    program = parse('x = #true == 2 && #[i-1] "b" == 1 && !"b" && pos % 3 == 0')
    assert accepts(program, ["ab"], accept="end").tolist() == [True]
    assert accepts(program, ["ab"], accept="last").tolist() == [False]
    last_b = Program.of(Q["b"])
    assert accepts(last_b, ["ab"]).tolist() == [True]
    assert accepts(last_b, ["ab"], accept="end").tolist() == [False]


def test_ten_thousand_operations_in_depth_run():
    node = count(Q["a"])
    for _ in range(10_000):
        node = count(node == 1)
    assert accepts(Program.of(node >= 0), ["ab", "a"]).tolist() == [True, True]


def test_words():
    assert [all_words("ab", 3).word(k) for k in (0, 5)] == [("a", "a", "a"), ("b", "a", "b")]
    pieces = [piece.tokens for piece in words_of_length("abc", 4, 10)]
    assert np.array_equal(np.concatenate(pieces), all_words("abc", 4).tokens)
    assert read_word("", "ab") == ()
    assert read_word("ab", ["ab", "c"]) == ("ab",)
    assert read_word("abc", "abc") == ("a", "b", "c")
    many = [f"s{k}" for k in range(400)]
    batch = Words.encode([many], many)
    assert batch.word(0) == tuple(many)
    program = Program.of(count(Q["s399"]) == 1, alphabet=many)
    assert accepts(program, [many, many[:-1]]).tolist() == [True, False]


def test_periods_count_from_one():
    found = evaluate(Program.of(pos % 2 == 0), ["aaaa"])["accept"]
    assert found.tolist() == [[False, True, False, True]]


@pytest.mark.parametrize("accept", ["last", "end"])
def test_blocks_of_a_large_batch_give_the_same_answers(monkeypatch, accept):
    program = load("tomita-4")
    words = ["".join(w) for n in range(7) for w in itertools.product("01", repeat=n)]
    whole = accepts(program, words, accept=accept).tolist()
    monkeypatch.setattr(interpreter, "CELLS", 50)
    assert accepts(program, words, accept=accept).tolist() == whole


WINDOWS = [tuple(range(near, far + 1)) for near in range(5) for far in range(near, 11)]
WINDOWS += [(0, 2), (1, 3, 4, 5, 6, 7, 9), (0, 1, 2, 3, 4, 6), (2, 8), (7,), (8,), (9, 10)]


@pytest.mark.parametrize("accept", ["last", "end"])
def test_windows_of_every_near_and_far_end(accept):
    """Words of every length around the ends of a window, one letter marked at every place."""
    words = [("b" * at + "a").ljust(n, "b") for n in range(1, 10) for at in range(n)]
    words += ["aabbaabab", "aaaaaaaaa", "abababab", ""]
    for window in WINDOWS:
        node = count(Q["a"], window)
        batch = Words.encode(words, "ab")
        found = evaluate(Program.of(node >= 1), batch)["accept"]
        places = [[value(node >= 1, w, i) for i in range(1, len(w) + 1)] for w in words]
        assert [found[r, : len(w)].tolist() for r, w in enumerate(words)] == places, window
        for batch_words in (words, [w for w in words if len(w) == 9]):
            batch = Words.encode(batch_words, "ab")
            read = read_at([node], batch, accept)[0].tolist()
            for word, seen in zip(batch_words, read, strict=True):
                if word or accept == "end":
                    assert seen == value(node, word, len(word) + (accept == "end")), (window, word)


def test_batches_are_cut_into_rows_that_fit_and_none_is_lost(monkeypatch):
    monkeypatch.setattr(interpreter, "CELLS", 40)
    for rows in range(1, 30):
        batch = Words.encode([f"{'ab'[r % 2]}bba" * 2 for r in range(rows)], "ab")  # 5 rows fit
        parts = interpreter._parts(batch)
        assert np.array_equal(np.concatenate([part.tokens for part in parts]), batch.tokens)
        assert np.array_equal(np.concatenate([part.lengths for part in parts]), batch.lengths)
        assert len(parts) == (1 if rows <= 10 else -(-rows // 5))
    assert len(interpreter._parts(as_torch(batch))) == 1
    monkeypatch.setattr(interpreter, "CELLS", 1)  # a row is never cut
    assert [part.count for part in interpreter._parts(batch)] == [1] * 29
