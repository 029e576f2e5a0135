"""Protocols executed on random words, message sizes, and rows of communication matrices."""

from dataclasses import replace
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.library import load, names
from lengthwise.crasp.targets import from_function
from lengthwise.predict.crossing import crossing
from lengthwise.theory.communication import program_protocol as by_program
from lengthwise.theory.communication import transformer_protocol as by_model
from lengthwise.theory.communication.check_fooling import check_fooling
from lengthwise.theory.communication.message import BitReader, BitWriter, width_of
from lengthwise.theory.communication.program_protocol import message_bits
from lengthwise.theory.communication.rows import Growth, OneWayProblem, count_rows, growth
from lengthwise.theory.communication.summary import MessageSize
from lengthwise.theory.limit import compile_program
from tests.theory.limit.cases import CASES


@given(st.lists(st.tuples(st.integers(0, 255), st.integers(8, 12))))
def test_numbers_come_back_from_the_bytes(numbers):
    writer = BitWriter()
    for value, width in numbers:
        writer.number(value, width)
    assert writer.bits == sum(width for _, width in numbers)
    assert len(writer.to_bytes()) == -(-writer.bits // 8)
    reader = BitReader(writer.to_bytes())
    assert [reader.number(width) for _, width in numbers] == [value for value, _ in numbers]


def test_width_of():
    assert [width_of(n) for n in (0, 1, 8, 255, 256)] == [0, 1, 4, 8, 9]


def random_word(letters, length, rng):
    return [letters[code] for code in rng.integers(len(letters), size=length)]


@pytest.mark.parametrize("name", CASES)
def test_messages_about_programs_have_the_published_sizes(name):
    found, _, bits = CASES[name]
    assert tuple(message_bits(found, half) for half in (8, 16, 32)) == bits
    step = message_bits(found, 256) - message_bits(found, 128)
    assert step == bits[1] - bits[0]  # one bit more per count and doubling: C log N


@pytest.mark.parametrize("name", [*CASES, *names()])
def test_bob_evaluates_every_operation_of_his_half(name):
    found = CASES[name][0] if name in CASES else load(name)
    rng = np.random.default_rng(0)
    for first, second in ((8, 8), (5, 11), (1, 3), (16, 16)):
        word = random_word(found.letters(), first + second, rng)
        message = by_program.run_protocol(found, word[:first], word[first:])
        assert message.bits == message_bits(found, first)
        assert len(message.content) == -(-message.bits // 8)


def test_a_changed_message_changes_bobs_answers():
    found = load("majority")
    message = by_program.alice(found, "aabb")
    right = by_program.bob(found, message.content, "ab", 4)[found.accept]
    wrong = bytes([message.content[0] ^ 0x40, *message.content[1:]])
    assert by_program.bob(found, wrong, "ab", 4)[found.accept].tolist() != right.tolist()


@pytest.mark.parametrize("name", CASES)
def test_bob_computes_every_activation_of_his_half(name):
    found = CASES[name][0]
    model = compile_program(found, periodic="short")
    rng = np.random.default_rng(1)
    bits = []
    for half in (8, 32):
        sizes = []
        for _ in range(3):
            tokens = model.encode([random_word(found.letters(), 2 * half, rng)])[0]
            message, difference = by_model.run_protocol(model, tokens, half + 1)
            assert difference < 1e-12
            sizes.append(message.bits)
        bits.append(max(sizes))
    types = sum(len(table) for table in message.tables)
    assert bits[1] - bits[0] <= 2 * types + 16  # two doublings: a bit each per content


ROWS = {
    "majority-weak": (2, 3, 4, 5, 6, 7),
    "dyck-1": (2, 3, 3, 4, 4, 5),
    "d-2": (2, 3, 2, 3, 2, 3),
    "regex:(a|b|e)*be*": (2, 2, 2, 2),
    "tomita-3": (2, 3, 5, 5, 5, 5),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name):
    found = crossing(name, longest=len(ROWS[name])).growth
    assert found is not None
    assert found.rows == ROWS[name]


ANSWERS = {
    "parity": (2,) * 10,
    "binary-majority": (2,) * 10,
    "repeat-copy": tuple(2**n for n in range(1, 11)),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_different_answers_of_tasks(name):
    found = crossing(name)
    assert found.growth is not None
    assert found.fooling is not None
    assert found.growth.rows[:10] == ANSWERS[name]
    for item in found.fooling["sets"]:
        assert len(set(item["answers"])) == len(item["prefixes"])


def test_addition_is_cut_before_the_second_operand():
    found = crossing("addition")
    assert found.verdict == "linear"
    assert found.growth is not None
    assert found.growth.rows[1:5] == (2, 4, 8, 16)


def square(word):
    return word[: len(word) // 2] == word[len(word) // 2 :]


def palindrome(word):
    return word == word[::-1]


@pytest.mark.parametrize("member", [square, palindrome])
def test_rows_of_halves_that_must_agree(member):
    target = from_function(member, "01")
    assert growth(OneWayProblem("halves", target.letters, target.decide)).rows == (
        2,
        4,
        8,
        16,
        32,
        64,
    )


@pytest.mark.parametrize(
    ("name", "rows"), [("contains-ab", (2, 3, 3, 3, 3, 3)), ("(aa)*", (2, 2, 2, 2, 2, 2))]
)
def test_rows_over_two_letters(name, rows):
    found = CASES[name][0]
    problem = OneWayProblem(name, ("a", "b"), lambda words: np.asarray(accepts(found, words)))
    assert growth(problem).rows == rows


def test_rows_against_a_slow_count():
    found = CASES["d-4"][0]
    problem = OneWayProblem("d-4", ("a", "b"), lambda words: np.asarray(accepts(found, words)))
    words = ["".join("ab"[n >> k & 1] for k in range(4)) for n in range(16)]
    rows = {tuple(bool(accepts(found, [x + y])[0]) for y in words) for x in words}
    assert count_rows(problem, 4) == len(rows)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("dyck-1", "log"), ("parity", "silent"), ("d-2", "silent"), ("repeat-copy", "linear")],
)
def test_verdicts(name, verdict):
    assert crossing(name).verdict == verdict


def test_growth_of_slow_sequences():
    assert Growth((1, 2, 3, 4), (3, 3, 3, 3)).verdict == "silent"
    assert Growth((1, 2, 3, 4), (2, 4, 6, 8)).verdict == "log"


@given(st.integers(1, 30))
def test_counts_of_letters_never_take_linear_bits(letters):
    rows = tuple(comb(n + letters, letters) for n in range(1, 9))
    assert Growth(tuple(range(1, 9)), rows).verdict == "log"


def test_reports_run_the_protocols_of_programs():
    found = crossing("dyck-1", longest=4)
    assert [m.program_bits for m in found.messages] == [16, 20, 24, 28]
    assert crossing("generate-majority").growth is None
    assert crossing("generate-majority").verdict == "log"
    assert not crossing("regex:(ab)*", longest=4).messages


FUNCTIONS = """
import random
def copies(word): return word.count("#") == 1 and word.split("#")[0] == word.split("#")[1]
def more(word): return word.count("a") > word.count("b")
def coin(word): return random.random() < 0.5
def ends(word): return any(x == y == "a" for x, y in zip(word[:len(word) // 2][:6], word[::-1]))
"""


def test_functions_are_guarded_and_show_what_must_be_told_apart(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(FUNCTIONS)
    found = crossing(f"{path}:copies", alphabet="ab#", time_limit=30)
    assert found.verdict == "linear"
    assert found.fooling is not None
    assert check_fooling(found.fooling, lambda w: w.count("#") == 1 and square(w.replace("#", "")))
    assert crossing(f"{path}:more", alphabet="ab", time_limit=20).verdict == "log"
    with pytest.raises(InputError, match="changes its mind"):
        crossing(f"{path}:coin", alphabet="ab", time_limit=20)


def test_rows_that_multiply_only_for_a_while_are_not_linear_bits(tmp_path):
    """One of the first six letters is an a and so is its mirror image: 2^h rows, h to six."""
    ends = "|".join(f"(a|b){{{i}}}a(a|b)*a(a|b){{{i}}}" for i in range(6))
    (tmp_path / "mine.py").write_text(FUNCTIONS)
    for text, verdict in ((f"regex:{ends}", "silent"), (f"{tmp_path}/mine.py:ends", "unknown")):
        found = crossing(text, alphabet="ab", time_limit=20)
        assert found.growth is not None
        assert found.growth.rows == (2, 4, 8, 16, 32, 64)
        assert found.growth.verdict == "linear"
        assert found.verdict == verdict
        sent = (MessageSize(8, 16, 24, 0),)
        assert replace(found, states=None, messages=sent).verdict == "log"


def test_what_cannot_be_counted_is_refused():
    target = from_function(square, "01")
    with pytest.raises(InputError, match="entries"):
        count_rows(OneWayProblem("square", target.letters, target.decide), 12)
    with pytest.raises(InputError, match="Did you mean 'dyck-1'"):
        crossing("dyck")
    for name in ("parity", "dyck-1", "regex:(ab)*"):
        with pytest.raises(InputError, match="--longest 1"):
            crossing(name, longest=1)
    assert crossing("mqar").verdict == "unknown"
