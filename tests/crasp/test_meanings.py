"""Forms of meanings: equal forms mean equal values on all words; enumerations miss nothing."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from lengthwise.core.limits import Limits
from lengthwise.crasp.constraints import TooManyCasesError
from lengthwise.crasp.every_program import EveryProgram
from lengthwise.crasp.facts import size
from lengthwise.crasp.library import load, names
from lengthwise.crasp.machines import Machines
from lengthwise.crasp.meanings import Meanings, UnwrittenError
from lengthwise.crasp.syntax import Maximum, Minimum, Where, postorder
from lengthwise.crasp.unsugared import unsugared
from lengthwise.crasp.whole_programs import WholePrograms
from tests.crasp.reference import LETTERS, expressions, value

WORDS = [word for n in range(1, 6) for word in product("ab", repeat=n)]


def values(node, words=WORDS):
    return tuple(bool(value(node, word, len(word))) for word in words)


@settings(max_examples=60, deadline=None)
@given(expressions())
def test_without_abbreviations_a_program_means_the_same(root):
    try:
        plain = unsugared(root)
    except TooManyCasesError:
        return
    assert not any(isinstance(n, Where | Minimum | Maximum) for n in postorder([plain]))
    assert values(plain) == values(root)


FORMS: dict = {}
MEANINGS = Meanings(LETTERS)
LONG = [word for n in range(1, 7) for word in product("ab", repeat=n)]


@settings(max_examples=200, deadline=None)
@given(expressions(size=6))
def test_equal_forms_are_equal_on_all_short_words(root):
    """All examples share one table of forms, so that unlike texts meet in it."""
    try:
        form = MEANINGS.of(unsugared(root))
    except (TooManyCasesError, UnwrittenError):
        return
    known = FORMS.setdefault(form, root)
    assert values(known, LONG) == values(root, LONG)


@settings(max_examples=100, deadline=None)
@given(expressions(size=6))
def test_a_machine_has_the_values_of_its_expression(root):
    try:
        questions, answers = MEANINGS.of(unsugared(root))
    except (TooManyCasesError, UnwrittenError):
        return
    if questions:
        return
    machine = MEANINGS.machines[answers[0]]
    letters = {letter: code for code, letter in enumerate(LETTERS)}
    for word in WORDS:
        state = machine.first[letters[word[0]]]
        for letter in word[1:]:
            state = machine.rows[state][letters[letter]]
        assert machine.outputs[state] == value(root, word, len(word))


def test_machines_with_equal_outputs_have_one_number():
    machines = Machines(2)
    a, b = machines.letter(0), machines.letter(1)
    three = machines.residue(6, 3)
    odd = machines.residue(2, 1)
    third = machines.residue(3, 0)
    assert machines.join(lambda p, q: p & q, "and", odd, third) == three
    assert machines.join(lambda p, q: 1 - p, "not", a, a) == b
    assert machines.reaches(machines.join(lambda p, q: p - q, "-", a, b), 0) is None
    assert machines.reaches(machines.constant(1), 1) == machines.constant(1)


def every_tree(letters, largest, positions):
    """All expressions of the grammar up to a size, one by one, as texts would be written."""
    from lengthwise.crasp.syntax import (
        COMPARISONS,
        Add,
        And,
        Compare,
        Constant,
        LocalCount,
        Not,
        Number,
        Or,
        PrefixCount,
        Residue,
        Scale,
        Subtract,
        Symbol,
    )

    bools, counts = {}, {}
    for n in range(1, largest + 1):
        new = [Symbol(a) for a in letters] + [Constant(True), Constant(False)] if n == 1 else []
        numbers = [Number(k) for k in range(-(2**n), 2**n) if size([Number(k)]) == n]
        made = [*numbers, *(PrefixCount(p) for p in bools.get(n - 1, ()))]
        for k in range(-8, 8):
            left = n - size([Scale(k, Number(0))]) + 1
            made += [Scale(k, x) for x in counts.get(left, ())]
        if positions:
            new += [r for m in range(1, 9) for k in range(m) if size([r := Residue(m, k)]) == n]
            for window in [(0,), (1,), (2,), (3,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]:
                left = n - size([LocalCount(window, Constant(True))]) + 1
                made += [LocalCount(window, p) for p in bools.get(left, ())]
        for k in range(1, n - 1):
            for x in counts.get(k, ()):
                for y in counts.get(n - 1 - k, ()):
                    made += [Add(x, y), Subtract(x, y)]
                    new += [Compare(sign, x, y) for sign in COMPARISONS]
            for p in bools.get(k, ()):
                new += [c(p, q) for q in bools.get(n - 1 - k, ()) for c in (And, Or)]
        new += [Not(p) for p in bools.get(n - 1, ())]
        assert all(size([node]) == n for node in [*new, *made])
        bools[n], counts[n] = new, made
    return bools


@pytest.mark.parametrize(
    ("letters", "largest", "positions"), [("a", 6, False), ("ab", 5, False), ("a", 5, True)]
)
def test_nothing_is_missing(letters, largest, positions):
    """Every tree of the grammar has its values at its size or a smaller one, and no other does."""
    every = EveryProgram(letters, positions=positions)
    longest = 12 if len(letters) == 1 else 4
    words = [word for n in range(1, longest + 1) for word in product(letters, repeat=n)]
    least, found = {}, {}
    for n, nodes in every_tree(letters, largest, positions).items():
        for node in nodes:
            least.setdefault(values(node, words), n)
    for n in range(1, largest + 1):
        for kept in every.grow(Limits(None)):
            found.setdefault(values(kept.expression, words), n)
            assert size([kept.expression]) == n
    assert found == least


def test_values_on_the_bank_are_those_of_the_interpreter():
    every = EveryProgram("ab", positions=True)
    words = [tuple("ab"[c] for c in codes) for codes in every.bank.words]
    rng = np.random.default_rng(0)
    kept = [item for _ in range(6) for item in every.grow(Limits(None))]
    for place in rng.choice(len(kept), 40, replace=False):
        assert values(kept[place].expression, words) == tuple(kept[place].values.tolist())


@pytest.mark.parametrize(("positions", "largest"), [(False, 8), (True, 7)])
@pytest.mark.parametrize("kept", [3, 4, 5])
def test_whole_programs_miss_nothing_that_parts_would_have_kept(positions, largest, kept):
    """What the enumeration keeps at a size is seen among the whole programs, however deep."""
    every = EveryProgram("ab", positions=positions)
    for _ in range(largest):
        every.grow(Limits(None))
    whole, rng = WholePrograms(every, kept), np.random.default_rng(kept)
    words = [tuple("ab"[c] for c in codes) for codes in every.bank.words][:126]
    for n in range(kept + 1, min(largest, 2 * kept + 2) + 1):
        items = every.booleans(n)
        for place in rng.choice(len(items), min(8, len(items)), replace=False):
            labels = items[place].values
            found = list(whole.agreeing(n, labels, lambda: 126, Limits(None)))
            assert found, str(items[place].expression)
            assert {size([program]) for program in found} == {n}
            assert {values(program, words) for program in found[:3]} == {tuple(labels[:126])}


def test_a_size_that_is_not_finished_leaves_nothing():
    from lengthwise.core.limits import LimitReachedError

    every, again = EveryProgram("ab"), EveryProgram("ab")
    for _ in range(4):
        every.grow(Limits(None))
        again.grow(Limits(None))
    with pytest.raises(LimitReachedError):
        every.grow(Limits(1.0, started=-1e9))
    assert every.size == 4
    assert len(every.grow(Limits(None))) == len(again.grow(Limits(None)))


@pytest.mark.parametrize("name", names())
def test_the_library_has_forms(name):
    program = load(name)
    if program.is_generator:
        return
    meanings = Meanings(program.letters())
    assert meanings.of(unsugared(program.accept)) == meanings.of(unsugared(program.accept))
