"""Compiled limit transformers against the interpreter, on known and on random programs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.crasp import Program, Q, count, maximum, minimum, where
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.syntax import Constant, Not, Residue
from lengthwise.languages.words import all_words, random_words
from lengthwise.theory.limit import compile_program
from tests.theory.limit.cases import CASES, PERIODIC, program


def with_begin(words):
    return np.concatenate([np.zeros((words.count, 1), int), words.tokens.astype(int) + 1], axis=1)


def errors(model, found, words, accept="last", offset=0):
    got = model.logits(with_begin(words), offset=offset)[:, -1, 0] > 0
    return int((got != accepts(found, words, accept=accept)).sum())


def short_words(found):
    letters = found.letters()
    return [all_words(letters, n) for n in range({1: 9, 2: 8, 3: 6}.get(len(letters), 5))]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("scaling", ["length", "prefix"])
def test_all_short_words(name, scaling):
    model = compile_program(program(name)).with_scaling(scaling)
    assert sum(errors(model, program(name), words) for words in short_words(program(name))) == 0


@pytest.mark.parametrize("name", PERIODIC)
@pytest.mark.parametrize("clean", [False, True])
def test_both_constructions_of_residues_at_all_offsets(name, clean):
    for form in ("constrained", "short"):
        model = compile_program(program(name), periodic=form, clean=clean)
        for offset in range(2 * model.period):
            for words in short_words(program(name)):
                assert errors(model, program(name), words, offset=offset) == 0


@pytest.mark.parametrize("name", CASES)
def test_long_random_words(name):
    model = compile_program(program(name), clean=True).with_scaling("prefix")
    rng = np.random.default_rng(1)
    for length in (37, 90):
        words = random_words(program(name).letters(), length, 12, rng)
        assert errors(model, program(name), words, offset=3) == 0


@pytest.mark.parametrize("name", CASES)
def test_sizes_are_at_most_half_of_those_of_a_compiler_that_merges_nothing(name):
    layers, width = CASES[name][1]
    model = compile_program(program(name))
    assert 2 * len(model.layers) <= layers
    assert 2 * model.width <= width


def test_depth_follows_the_counting_depth():
    nested = Q["a"]
    for depth in range(1, 6):
        nested = count(nested) > count(Q["b"])
        assert len(compile_program(Program.of(nested, alphabet="ab")).layers) == depth


def test_one_uniform_head_serves_all_counts_of_a_layer():
    assert compile_program(program("abcde")).heads == 1


def first_failure(model, found):
    """Length of the shortest b^k ab b^k... word that is judged wrongly."""
    for length in range(2, 40):
        word = "b" * (length - 2) + "ab"
        if (model.logits(model.encode([word]))[0, -1, 0] > 0) != accepts(found, [word])[0]:
            return length
    return None


def test_unscaled_attention_fails_from_length_19_on():
    """e^3 = 20.1: the wanted key no longer has half of the weight; log scaling mends it."""
    found = program("contains-ab")
    model = compile_program(found)
    assert first_failure(model.with_scaling("none"), found) == 19
    assert first_failure(model, found) is None


def test_end_acceptance_is_rewritten_for_the_last_letter():
    a, b = Q["a"], Q["b"]
    for accepting in (
        count(a, (1,)) == 1,
        Residue(3, 1) & (count(b) >= 1),
        Not(a) & (count(b, (0, 2)) >= 1),
    ):
        found = Program.of(accepting, alphabet="ab")
        model = compile_program(found, accept="end")
        assert sum(errors(model, found, words, "end") for words in short_words(found)) == 0


def test_letters_outside_an_undeclared_alphabet_are_other_letters():
    found = Program.of(count(Not(Q["a"])) == 0)
    model = compile_program(found)
    assert (model.logits(model.encode(["aaa", "axa"]))[:, -1, 0] > 0).tolist() == [True, False]


def test_a_declared_alphabet_is_enforced():
    with pytest.raises(InputError, match="letter 'x' at 2"):
        compile_program(program("majority")).encode(["ax"])


def test_constant_programs():
    for value in (True, False):
        found = Program.of(Constant(value), alphabet="a")
        assert errors(compile_program(found), found, all_words("a", 3)) == 0


def test_too_many_cases_are_refused_by_name():
    parts = [where(count(Q["a"]) > k, count(Q["b"]), count(Q["a"])) for k in range(11)]
    many = parts[0]
    for part in parts[1:]:
        many = many + part
    with pytest.raises(InputError, match="split into more than 1024 cases"):
        compile_program(Program.of(many > 3, alphabet="ab"))


# --- random programs ---------------------------------------------------------------------------

LETTERS = "ab"
booleans = st.deferred(
    lambda: st.one_of(
        st.sampled_from([Q["a"], Q["b"], Residue(2, 0), Residue(3, 1), Constant(True)]),
        st.builds(Not, booleans),
        st.builds(And, booleans, booleans),
        st.builds(Or, booleans, booleans),
        st.builds(
            lambda sign, x, y: getattr(x, sign)(y),
            st.sampled_from(["__lt__", "__le__", "__eq__", "__ne__", "__ge__", "__gt__"]),
            counts,
            counts,
        ),
    )
)
counts = st.deferred(
    lambda: st.one_of(
        st.integers(-2, 3).map(lambda k: 0 * count(Q["a"]) + k),
        st.builds(count, booleans),
        st.builds(count, booleans, st.sampled_from([(0,), (1,), (1, 3), (0, 2)])),
        st.builds(lambda x, y: x + y, counts, counts),
        st.builds(lambda x, y: x - y, counts, counts),
        st.builds(lambda k, x: k * x, st.integers(-2, 3), counts),
        st.builds(where, booleans, counts, counts),
        st.builds(minimum, counts, counts),
        st.builds(maximum, counts, counts),
    )
)


@settings(max_examples=60)
@given(booleans, st.sampled_from(["constrained", "short"]), st.booleans())
def test_random_programs(accepting, form, clean):
    found = Program.of(accepting, alphabet=LETTERS)
    model = compile_program(found, periodic=form, clean=clean)
    assert sum(errors(model, found, all_words(LETTERS, n)) for n in range(6)) == 0
    words = random_words(LETTERS, 17, 8, np.random.default_rng(0))
    assert errors(model, found, words, offset=2) == 0
