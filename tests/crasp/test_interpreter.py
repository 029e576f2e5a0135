import builtins
import itertools
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from lengthwise.bench.programs import rows
from lengthwise.core.errors import InputError
from lengthwise.crasp import Program, Q, Words, accepts, count, evaluate, parse, pos, true
from lengthwise.crasp.interpreter import read_at
from lengthwise.crasp.library import load
from lengthwise.crasp.stepper import Stepper
from lengthwise.languages.words import all_words, random_words, read_word, words_of_length
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
    counts = [arg for arg in node.args if arg.op in ("count", "add", "where", "scale", "min")]
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


@settings(max_examples=3)
@given(expressions(), word_lists)
def test_fused_equals_array(node, words):
    assert_fused_equals_array(node, words)


@pytest.mark.slow
@settings(max_examples=60)
@given(expressions(), word_lists)
def test_fused_equals_array_on_more_programs(node, words):
    assert_fused_equals_array(node, words)


def assert_fused_equals_array(node, words):
    program = Program.of(node, empty=False)
    batch = Words.encode([*words, "abcabcabc" * 3], LETTERS)
    for accept in ("last", "end"):
        fused = accepts(program, batch, accept=accept, backend="fused")
        assert fused.tolist() == accepts(program, batch, accept=accept).tolist()


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("dyck-1", "tomita-4", "copy-4")]


@pytest.mark.parametrize("name", ["aa-or-b", "contains-ab", *SLOW])
def test_fused_equals_array_on_the_library(name):
    program = load(name)
    rng = np.random.default_rng(1)
    batches = [random_words(program.letters(), 200, 700, rng)]
    batches += [all_words(program.letters(), length) for length in (0, 1, 6)]
    ragged = batches[0]
    lengths = rng.integers(0, 201, ragged.count)
    batches.append(Words(ragged.tokens, lengths, ragged.letters))
    for batch in batches:
        for accept in ("last", "end"):
            fused = accepts(program, batch, accept=accept, backend="fused")
            assert np.array_equal(fused, accepts(program, batch, accept=accept))


def test_fused_says_what_it_cannot_do(monkeypatch):
    program = load("majority")
    with pytest.raises(InputError, match="numpy"):
        accepts(program, as_torch(all_words("ab", 2)), backend="fused")
    node = Q["a"]
    for index in range(1500):
        node = node & (count(node) > index)
    with pytest.raises(InputError, match="at most 2000"):
        accepts(Program.of(node), ["ab"], backend="fused")
    real = builtins.__import__

    def without_numba(name, *args, **kwargs):
        if name == "numba":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "numba", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_numba)
    with pytest.raises(InputError, match=r"lengthwise\[fast\]"):
        accepts(Program.of(count(Q["zz"]) > 17), ["ab"], backend="fused")


def test_wide_values_use_wide_integers_and_overflow_is_refused():
    big = 10**12 * count(true) > 5 * 10**12
    assert accepts(Program.of(big), ["aaaaa", "aaaaaa"]).tolist() == [False, True]
    assert accepts(Program.of(big), ["aaaaa", "aaaaaa"], backend="fused").tolist() == [False, True]
    huge = 10**17 * (1000 * count(true)) > 1
    for backend in ("array", "fused"):
        with pytest.raises(InputError, match="64 bits"):
            accepts(Program.of(huge), ["a"], backend=backend)


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
    with pytest.raises(InputError, match="backend="):
        accepts(load("majority"), ["a"], backend="cuda")


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
    assert accepts(program, [many, many[:-1]], backend="fused").tolist() == [True, False]


def test_periods_count_from_one():
    found = evaluate(Program.of(pos % 2 == 0), ["aaaa"])["accept"]
    assert found.tolist() == [[False, True, False, True]]


def test_benchmark_rows_have_the_promised_fields():
    found = rows(words=8, length=8, repetitions=2)
    assert len(found) == 3
    assert all(set(row) == {"name", "ours", "peer", "ratio", "spread"} for row in found)


@pytest.mark.parametrize("accept", ["last", "end"])
def test_blocks_of_a_large_batch_give_the_same_answers(monkeypatch, accept):
    program = load("tomita-4")
    words = ["".join(w) for n in range(7) for w in itertools.product("01", repeat=n)]
    whole = accepts(program, words, accept=accept).tolist()
    monkeypatch.setattr("lengthwise.crasp.interpreter.CELLS", 50)
    assert accepts(program, words, accept=accept).tolist() == whole
