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


def test_anchors_say_that_the_whole_word_is_meant():
    plain = compile_regex("(ab)*")
    for pattern in ("^(ab)*$", "^(ab)*", "(ab)*$"):
        assert compile_regex(pattern).equivalent(plain)
    assert compile_regex("^$", "a").accepts("")
    assert compile_regex(r"a\$$").accepts("a$")
    assert compile_regex(r"^\^[a$^]").accepts("^$")


def test_classes_of_symbols_are_those_of_python():
    assert compile_regex(r"\d").alphabet == tuple("0123456789")
    assert compile_regex(r"\d*x").alphabet == tuple("0123456789x")
    letters = "a_1 -é"
    for name in "dDwWsS":
        found = {
            symbol for symbol in letters if compile_regex(f"\\{name}", letters).accepts(symbol)
        }
        assert found == {symbol for symbol in letters if re.fullmatch(f"\\{name}", symbol)}
    assert agrees_with_python(r"[^\d]\w*[\d-]", "a1-", 4)


ATOMS = [
    "a",
    "b",
    "1",
    r"\.",
    r"\\",
    r"\d",
    r"\w",
    r"[^a]",
    r"[ab]",
    r"[\d.]",
    r"\(",
    r"[a-b]",
    "()",
]


def common(rng: random.Random, size: int) -> str:
    """Draw an expression of the fragment that Python reads as we do."""
    if size <= 1:
        return rng.choice(ATOMS)
    left = rng.randrange(1, size)
    kind = rng.randrange(6)
    if kind < 2:
        return common(rng, left) + common(rng, size - left)
    if kind == 2:
        return f"({common(rng, left)}|{common(rng, size - left)})"
    sign = rng.choice(["*", "+", "?", "{2}", "{1,2}", "{0,}"])
    return f"({'?:' * rng.randrange(2)}{common(rng, size - 1)}){sign}"


def test_escapes_classes_and_anchors_agree_with_pythons_matcher():
    rng, alphabet = random.Random(1), "ab1.\\("
    for _ in range(60):
        pattern = "^" * rng.randrange(2) + common(rng, rng.randrange(1, 7)) + "$" * rng.randrange(2)
        dfa, python = compile_regex(pattern, alphabet), re.compile(pattern)
        for word in words(len(alphabet), 4):
            text = "".join(alphabet[a] for a in word)
            assert member(dfa, word) == bool(python.fullmatch(text)), (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"\w+", "needs a stated alphabet"),
        (r"\S", "needs a stated alphabet"),
        (r"a\b", "word boundary"),
        (r"\Aa", "anchor"),
        (r"(a)\1", "backreference"),
        (r"\n", "escape"),
        (r"\x41", "escape"),
        (r"\p{L}", "escape"),
        ("a^b", "belongs at the start"),
        ("(^a)", "belongs at the start"),
        ("a$b", "belongs at the end"),
        ("(a$)", "belongs at the end"),
        ("^^a", "belongs at the start"),
        ("^a|b$", "one alternative"),
        ("^a|b", "one alternative"),
        ("a|b$", "one alternative"),
        ("(?=a)b", "lookahead"),
        ("a(?!b)", "lookahead"),
        ("(?<=a)b", "lookbehind"),
        ("(?P<x>a)", "named group"),
        ("(?P=x)", "backreference"),
        ("(?i)a", "flag"),
        ("(?i:a)", "flag"),
        ("(?>a)", "atomic group"),
        ("(?#no)a", "comment"),
        ("a*?", "lazy"),
        ("a??", "lazy"),
        ("a{2}?", "lazy"),
        ("a*+", "possessive"),
        ("a++", "possessive"),
        ("[[:alpha:]]", "not supported"),
        ("[a-c-e]", "joins two letters"),
        (r"[\d-z]", "joins two letters"),
        (r"[a-\*]", "joins two letters"),
        ("a]", "closes nothing"),
        ("a}", "closes nothing"),
        ("a\x07", "printable"),
        ("\\\x07", "printable"),
    ],
)
def test_what_other_dialects_have_is_refused_by_name(pattern, problem):
    with pytest.raises(InputError, match=problem) as caught:
        compile_regex(pattern)
    assert "column" in str(caught.value)


def test_a_class_without_symbols_of_the_alphabet_is_refused():
    with pytest.raises(InputError, match="column 2: this class matches no symbol"):
        compile_regex(r"a\d", "ab")
    with pytest.raises(InputError, match="printable"):
        compile_regex("a", "a\n")


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
