"""Length complexity among programs: exact answers against brute force on a tiny grammar."""

from itertools import product

import pytest

from lengthwise.core.limits import Limits
from lengthwise.crasp.embedding import Q, count, prev
from lengthwise.crasp.every_program import EveryProgram
from lengthwise.crasp.facts import size
from lengthwise.crasp.interpreter import accepts
from lengthwise.crasp.library import load
from lengthwise.crasp.program import Program
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.length.by_size import ProgramLength, Rival, by_size
from lengthwise.theory.length.complexity import GENERAL, PLAIN, Enumerations, complexity
from lengthwise.theory.length.length_record import record
from lengthwise.theory.length.length_words import sentences
from lengthwise.theory.length.neighbours import neighbours
from tests.crasp.test_meanings import every_tree

FOREVER = Limits(None)


def tables(letters, largest, positions, longest):
    """The least size and a tree of every behaviour on all words up to a length."""
    words = [word for n in range(1, longest + 1) for word in product(letters, repeat=n)]
    least, trees = {}, {}
    for n, nodes in every_tree(letters, largest, positions).items():
        for node in nodes:
            key = tuple(map(bool, accepts(Program.of(node), words)))
            if key not in least:
                least[key], trees[key] = n, node
    return words, least, trees


def reference(key, words, least):
    """N by its definition: the latest first difference to anything that is not larger."""
    others = [other for other, n in least.items() if n <= least[key] and other != key]
    return max(
        (next(len(w) for w, p, q in zip(words, key, o, strict=True) if p != q) for o in others),
        default=0,
    )


@pytest.mark.parametrize(
    ("letters", "largest", "positions", "longest"),
    [("a", 6, False, 20), ("a", 5, True, 24), ("ab", 4, False, 7)],
)
def test_exact_is_what_brute_force_says(letters, largest, positions, longest):
    """Words are long enough: numbers stay below 8 and periods below 4 in programs this small.

    So two programs of the tiny grammar that agree on all of them are equal.
    """
    words, least, trees = tables(letters, largest, positions, longest)
    every = EveryProgram(letters, positions=positions)
    for key, tree in trees.items():
        found = by_size(Program.of(tree, alphabet=letters), every, [tree], limits=FOREVER)
        assert found.exact, tree
        assert found.size == least[key], tree
        assert found.low == reference(key, words, least), tree


@pytest.mark.parametrize("parts", [1, 2])
def test_larger_programs_and_late_rivals_of_theirs_hide_nothing(parts):
    """What is known at first is larger than needed, and so are rivals that differ very late."""
    words, least, trees = tables("a", 5, False, 20)
    late = Rival(count(Q["a"]) > 900, 10, 15, ("a",) * 16)
    for key, tree in [pair for pair in trees.items() if least[pair[0]] > parts]:
        every = EveryProgram("a")
        while every.size < least[key] - parts:
            every.grow(FOREVER)
        every.costs[-1] = 1e9  # parts of the next size would take too long: whole programs only
        larger = (tree & Q["a"]) | (tree & tree)
        target = Program.of(tree, alphabet="a")
        found = by_size(target, every, [larger], rivals=[late], limits=Limits(600))
        assert (found.exact, found.size) == (True, least[key])
        assert found.low == reference(key, words, least)


def test_a_rival_agrees_up_to_its_length_and_differs_there():
    target = load("dyck-1")
    found = by_size(target, EveryProgram("()"), [target.accept], limits=Limits(6))
    assert found.looked <= found.size == 14
    assert found.rivals
    for rival in found.rivals.values():
        assert size([rival.expression]) == rival.size
        words = ["".join(w) for n in range(1, rival.agreed + 2) for w in product("()", repeat=n)]
        pair = [accepts(Program.of(p), words) for p in (rival.expression, target.accept)]
        wrong = [w for w, one, two in zip(words, *pair, strict=True) if one != two]
        assert min(map(len, wrong)) == rival.agreed + 1 == len(rival.word)


def test_what_is_not_finished_is_a_lower_bound_for_its_own_size():
    program = ~(count(Q["a"]) > 40)
    found = ProgramLength(("a",), program, looked=3)
    assert (found.size, found.excluded, found.minimal) == (10, 3, False)
    found.add(Rival(Q["a"], 1, 2, ("a",) * 3))
    found.add(Rival(count(Q["a"]) < 33, 9, 32, ("a",) * 33))
    assert (found.low, found.proved_low, found.exact) == (33, 3, False)
    found.looked = 10
    assert found.minimal
    assert found.exact
    found.add(Rival(count(Q["a"]) < 34, 9, 5, None))
    assert not found.exact
    assert found.excluded == 8
    assert not found.minimal
    assert len(found.unresolved) == 1


def test_a_word_that_is_not_known_to_be_shortest_is_no_exact_answer():
    program = count(Q["a"]) > 1
    found = ProgramLength(("a",), program, looked=4)
    found.add(Rival(Q["a"], 1, 2, ("a",) * 5))
    assert (found.low, found.exact) == (3, False)


def test_a_language_outside_a_class_has_no_length():
    found = complexity(compile_regex("(aa)*"), ("a",), Limits(20))
    assert found.classes[PLAIN].found is None
    assert "no length suffices" in found.classes[PLAIN].outside
    general = found.classes[GENERAL].found
    assert (general.exact, general.low, str(general.program)) == (True, 3, "pos % 2 == 0")


def test_languages_share_an_enumeration_and_keep_their_letters():
    shared = Enumerations()
    for letters in ("ab", "xy"):
        more = Program.of(count(Q[letters[0]]) > count(Q[letters[1]]), alphabet=letters)
        found = complexity(more, tuple(letters), Limits(20), enumerations=shared)
        plain = found.classes[PLAIN].found
        assert plain.exact
        assert "".join(plain.best().word) == letters[0] * 2 + letters[1]
        assert found.automaton is None
    assert len(shared.known) == 2


def test_neighbours_are_other_programs_and_not_larger():
    program = (count(Q["b"] & prev(Q["a"])) >= 2) | ~Q["a"]
    found = list(neighbours(program, "ab"))
    assert len(found) == len(set(found)) > 20
    assert program not in found
    assert max(size([other]) for other in found) <= size([program])


def test_the_second_class_is_no_larger_and_counts_the_rivals_of_the_first():
    found = complexity(compile_regex("a*b*"), ("a", "b"), Limits(15))
    plain, general = (found.classes[name].found for name in (PLAIN, GENERAL))
    assert general.size <= plain.size
    for n, rival in plain.rivals.items():
        if n <= general.size:
            assert general.low >= rival.least


def test_counted_work_finds_the_same_whatever_others_enumerated_before():
    target, found = compile_regex("(ab)*"), []
    for grown in (0, 9):
        every, limits = EveryProgram("ab"), Limits.counted(4, Limits(600))
        for _ in range(grown):
            every.grow(FOREVER)
        found.append(by_size(target, every, limits=limits))
    assert found[0] == found[1]
    assert (found[0].exact, found[0].low, found[0].size) == (True, 5, 12)


def test_a_search_that_the_time_ends_says_so():
    found = complexity(load("dyck-1"), ("(", ")"), Limits(0.3))
    assert found.cut
    assert any("time limit" in sentence for sentence in sentences(record(found)))
    done = complexity(compile_regex("(aa)*"), ("a",), Limits(60))
    assert not done.cut
    assert not any("time limit" in sentence for sentence in sentences(record(done)))
