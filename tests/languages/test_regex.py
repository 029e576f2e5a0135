import random
import re

import pytest

from lengthwise.bench.deciding import random_regex
from lengthwise.core.errors import InputError
from lengthwise.languages.regex import compile_regex, symbols_used
from tests.languages.helpers import member, words


def agrees_with_python(pattern, alphabet, longest=6):
    dfa = compile_regex(pattern, alphabet)
    python = re.compile(pattern.replace(".", f"[{alphabet}]"))
    return all(
        member(dfa, w) == bool(python.fullmatch("".join(alphabet[a] for a in w)))
        for w in words(len(alphabet), longest)
    )


def test_random_expressions_agree_with_pythons_matcher():
    rng = random.Random(0)
    for _ in range(60):
        assert agrees_with_python(random_regex(rng), "abc", 5)


@pytest.mark.parametrize(
    "pattern",
    [
        *("a{2,3}b+", "(a|b){2}", "a{2,}", "[ab]*c?", "[^a]b", ".*ab.", "()|a", "(ab?)+"),
        *("a{0,2}b", "a{0}b", "((ab){0})*", "a{0,0}|b", "(a{0}){2}c", "a{0,}b"),
    ],
)
def test_every_piece_of_syntax(pattern):
    assert agrees_with_python(pattern, "abc")


def test_plus_is_union_in_the_other_dialect():
    assert compile_regex("(a+b)*c", union_plus=True).equivalent(compile_regex("(a|b)*c"))
    assert not compile_regex("(a+b)*c").equivalent(compile_regex("(a|b)*c"))


def test_special_characters_can_be_escaped():
    assert compile_regex(r"\*\ a").accepts("* a")
    assert symbols_used(r"[a-c]\.") == [".", "a", "b", "c"]


def test_the_alphabet_may_be_larger():
    assert compile_regex("(ab)*", "abc").symbols == 3
    assert not compile_regex("(ab)*", "abc").accepts("abc")


@pytest.mark.parametrize(
    ("pattern", "column", "problem"),
    [
        ("(ab", 1, "never closed"),
        ("ab)", 3, "closes nothing"),
        ("a||b", 3, "nothing here"),
        ("*a", 1, "nothing before it"),
        ("a{2", 2, "a repetition is written"),
        ("a{3,2}", 2, "counts down"),
        ("a b", 2, "a space"),
        ("a\\", 2, "backslash"),
        ("x[ab", 2, "never closed"),
        ("x[b-a]", 3, "runs backwards"),
        ("a|", 3, "nothing here"),
        ("x(a", 2, "never closed"),
    ],
)
def test_mistakes_name_their_column(pattern, column, problem):
    with pytest.raises(InputError, match=rf"column {column}: .*{re.escape(problem)}"):
        compile_regex(pattern)


def test_alphabets_that_miss_symbols_are_refused():
    with pytest.raises(InputError, match=r"column 3: symbol 'c' is not in the alphabet 'ab'"):
        compile_regex("abc", "ab")
    with pytest.raises(InputError, match="single characters"):
        compile_regex("a", ["a", "bb"])


@pytest.mark.parametrize("pattern", ["a{99}{99}{99}", "(" * 200 + "a" + ")" * 200])
def test_huge_expressions_are_refused(pattern):
    with pytest.raises(InputError, match=r"more than (20,000|150)"):
        compile_regex(pattern)


def test_exponential_automata_stop_at_the_limit():
    with pytest.raises(InputError, match="more than 1,000 states"):
        compile_regex("(a|b)*a(a|b){20}", max_states=1000)
