import numpy as np
import pytest
from hypothesis import given, settings

from lengthwise.core.errors import InputError
from lengthwise.crasp import Program, accepts, parse
from lengthwise.crasp.checking import check
from lengthwise.crasp.constraints import TooManyCasesError, linearise
from lengthwise.crasp.finite import to_automaton
from lengthwise.crasp.library import load
from lengthwise.crasp.targets import (
    from_automaton,
    from_function,
    from_program,
    from_regex,
)
from lengthwise.languages.regex import compile_regex
from lengthwise.languages.words import Words, all_words
from lengthwise.theory.decide.decision import decide
from tests.crasp.languages import balanced
from tests.crasp.reference import LETTERS, expressions

REGEXES = {
    "d-3": "(a(a(ab)*b)*b)*",
    "aa": "(aa)*",
    "abab": "(abab)*",
    "aa-or-b": "(aa|b)*",
    "ab-or-bbaa": "(ab|bbaa)*",
    "tomita-1": "1*",
    "tomita-2": "(10)*",
    "tomita-4": "(1|01|001)*(0|00)?",
    "tomita-7": "0*1*0*1*",
    "subsequence-aba": ".*a.*b.*a.*",
    "abcde": "aa*bb*cc*dd*ee*",
    "ab-d-bc": "[ab]*d[bc]*",
    "contains-ab": ".*ab.*",
}


@pytest.mark.parametrize("name", REGEXES)
def test_regular_programs_are_proved_equal_to_their_regex(name):
    program = load(name)
    report = check(program, from_regex(REGEXES[name], program.letters()))
    assert (report.agrees, report.evidence) == (True, "proof")


@settings(max_examples=150)
@given(expressions())
def test_the_automaton_of_a_program_accepts_the_same_words(node):
    for accept in ("last", "end"):
        program = Program.of(node)
        found = to_automaton(program, LETTERS, accept=accept, limit=500, seconds=2)
        if found is None:
            continue
        for length in range(6):
            batch = all_words(LETTERS, length)
            states = found.run(batch.tokens)[:, -1]
            expected = accepts(program, batch, accept=accept)
            assert np.array_equal(found.accepting[states], expected)


@settings(max_examples=60)
@given(expressions())
def test_linear_form_keeps_values(node):
    try:
        new, forms = linearise(node)
    except TooManyCasesError:
        return
    batch = all_words(LETTERS, 5)
    assert np.array_equal(accepts(Program.of(new), batch), accepts(Program.of(node), batch))
    assert all(form.constant is not None for form in forms.values())


def test_programs_without_finite_memory_are_only_bounded():
    for name in ("majority", "dyck-1", "an-bn"):
        program = load(name)
        assert to_automaton(program, program.letters(), limit=300) is None
    target = from_function(balanced, "()")
    report = check(load("dyck-1"), target, max_length=8, seconds=60)
    assert (report.agrees, report.evidence, report.exhaustive_to) == (True, "exhaustive", 8)
    assert report.exhaustive_words == sum(2**n for n in range(9))
    assert report.sampled > 1000
    assert "all 511 words up to length 8" in report.sentence()
    assert "bounded" in report.sentence()


def test_the_shortest_counterexample_comes_first():
    wrong = parse('x = #"(" == #")"')
    report = check(wrong, from_function(balanced, "()"))
    assert report.counterexample == (")", "(")
    assert report.program_accepts is True
    assert report.sentence().startswith("differs; shortest counterexample: ) (")
    report = check(load("dyck-1"), from_regex(r"(\(\))*"))
    assert report.counterexample == ("(", "(", ")", ")")


def test_rare_mistakes_on_long_words_are_found_by_sampling():
    short = parse('x = #"a" <= 30')
    target = from_function(lambda word: True, "a")
    assert check(short, target, max_length=5, samples=0).agrees
    assert not check(short, target, max_length=5, samples=300).agrees


def test_members_are_sampled_from_an_automaton():
    automaton = compile_regex("(aaaaaaaaaaaaaaa)*", "ab")
    almost = parse('alphabet "a" "b"\nempty accept\nx = false')
    report = check(almost, from_automaton(automaton), max_length=3, seconds=0.01)
    assert not report.agrees


def test_the_empty_word_is_checked():
    report = check(parse("x = pos % 2 == 0"), from_regex("(aa)*"))
    assert report.counterexample == ()
    assert "the empty word" in report.sentence()


def test_end_convention():
    assert not check(
        Program.of(load("contains-ab")["AB"]), from_regex(".*ab", "abc"), accept="end"
    ).agrees
    program = parse('x = #[i-1] "b" == 1')
    assert check(program, from_regex(".*b", "ab"), accept="end").evidence == "proof"


def test_targets_from_functions_and_programs():
    tuples = from_function(lambda word: word == ("ab", "c"), ["ab", "c"])
    words = Words.encode([["ab", "c"], ["c"]], tuples.letters)
    assert tuples.decide(words).tolist() == [True, False]
    named = from_program(load("majority"), "ab", "m")
    assert named.decide(Words.encode(["aab"], "ab")).tolist() == [True]
    with pytest.raises(InputError, match="needs letters"):
        from_function(len, "")


@pytest.mark.parametrize(
    ("pattern", "letters"),
    [
        ("(ab)*", "ab"),
        ("(ab|bbaa)*", "ab"),
        ("(a(ab)*b)*", "ab"),
        ("a*b*a*", "ab"),
        (".*ab.*", "abc"),
    ],
)
def test_programs_written_from_automata_are_proved(pattern, letters):
    automaton = compile_regex(pattern, letters)
    program = parse(str(decide(automaton).written_program()))
    assert check(program, from_automaton(automaton)).evidence == "proof"
