import itertools

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.crasp import accepts, analyse
from lengthwise.crasp.bank import Bank, all_codes
from lengthwise.crasp.candidates import Candidates, SearchSpace
from lengthwise.crasp.facts import size as size_of
from lengthwise.crasp.learning import learn, learn_examples
from lengthwise.crasp.library import load
from lengthwise.crasp.targets import from_function, from_program, from_regex
from tests.crasp.languages import balanced, equal_blocks
from tests.crasp.reference import value

PLAIN = SearchSpace(periods=(), window=0)
DYCK = from_function(balanced, "()")


def small(depth, **changes):
    options = {"constant": 2, "periods": (2,), "window": 1}
    return SearchSpace(depth=depth, candidates=10**6, **(options | changes))


def test_signatures_are_the_values_of_the_expressions():
    bank = Bank.build("ab", all_codes(2, 5))
    candidates = Candidates(bank, small(2), Limits(None))
    for _ in range(6):
        candidates.grow()
    words = sorted(bank.words, key=bank.words.__getitem__)
    rng = np.random.default_rng(0)
    rows = rng.choice(len(candidates.bools.recipes), 120, replace=False)
    for row in rows:
        node = candidates.expression(int(row))
        bits = np.unpackbits(candidates.bools.values[row], count=bank.size).astype(bool)
        expected = [value(node, ["ab"[c] for c in word], len(word)) for word in words]
        assert bits.tolist() == expected
        assert candidates.bools.sizes[row] == size_of([node])


def test_each_behaviour_is_kept_once_per_depth_and_smallest_first():
    bank = Bank.build("ab", all_codes(2, 4))
    candidates = Candidates(bank, small(1, window=0, periods=()), Limits(None))
    for _ in range(6):
        candidates.grow()
    shelf = candidates.bools
    seen = {}
    for values, size, depth in zip(shelf.values, shelf.sizes, shelf.depths, strict=True):
        key = values.tobytes()
        assert key not in seen or seen[key][1] > depth
        assert key not in seen or seen[key][0] <= size
        seen[key] = (size, depth)


def brute_force(target, longest, size):
    """The least (depth, size) of any enumerated Boolean that fits, by looking at all of them."""
    bank = Bank.build(target.letters, all_codes(len(target.letters), longest))
    labels = target.decide(bank.as_words())
    for depth in range(3):
        candidates = Candidates(bank, small(depth, window=0, periods=()), Limits(None))
        for _ in range(size):
            for row in candidates.grow():
                bits = np.unpackbits(candidates.bools.values[row], count=bank.size)
                if np.array_equal(bits.astype(bool), labels):
                    return depth, candidates.size
    return None


@pytest.mark.parametrize("pattern", ["a*", "b*a*", "(a|b)*b", "a(a|b)*", "(a|b)(a|b)*"])
def test_the_smallest_is_found(pattern):
    target = from_regex(pattern, "ab")
    found = learn(target, space=PLAIN, train_length=5).program
    depth, size = brute_force(target, 5, 9)
    assert analyse(found).depth == depth
    assert size_of([found.accept]) == size


def test_majority():
    result = learn(from_program(load("majority"), "ab"))
    assert repr(result.program.accept) == '#"a" > #"b"'
    assert result.verified.agrees
    assert result.explored > result.distinct > 10


@pytest.mark.parametrize(
    ("target", "options", "evidence"),
    [
        (from_regex(".*a.*b.*", "ab"), {"periods": (), "window": 0}, "exhaustive"),
        (from_regex("(aa)*", "ab"), {}, "proof"),
        (from_regex(".*bb.*", "ab"), {}, "proof"),
    ],
)
def test_regular_targets_are_learned(target, options, evidence):
    result = learn(target, space=SearchSpace(**options))
    assert result.program is not None
    assert (result.verified.agrees, result.verified.evidence) == (True, evidence)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "options"),
    [
        (DYCK, {}),
        (DYCK, {"periods": (), "window": 0}),
        (from_function(equal_blocks("ab"), "ab"), {}),
        (from_function(equal_blocks("ab"), "ab"), {"periods": (), "window": 0}),
        (from_regex("(1|01|001)*(0|00)?", "01"), {"window": 2, "constant": 3}),
    ],
)
def test_harder_targets_are_learned(target, options):
    result = learn(target, space=SearchSpace(**options))
    assert result.program is not None
    assert result.verified.agrees


def test_counterexamples_join_the_bank():
    target = from_function(lambda word: len(word) < 10, "ab")
    result = learn(target, space=SearchSpace(constant=10, periods=(), window=0, depth=1))
    assert result.counterexamples > 0
    assert result.verified.agrees
    assert accepts(result.program, ["a" * 9, "a" * 10]).tolist() == [True, False]


def test_examples_are_fitted_and_contradictions_refused():
    words = ["".join(w) for n in range(1, 5) for w in itertools.product("ab", repeat=n)]
    examples = [(word, "ab" in word) for word in words if len(word) != 3]
    result = learn_examples(examples)
    assert accepts(result.program, [w for w, _ in examples]).tolist() == [y for _, y in examples]
    with pytest.raises(InputError, match="both labels"):
        learn_examples([("a", True), ("a", False)])
    with pytest.raises(InputError, match="outside"):
        learn_examples([("ax", True)], "ab")
    with pytest.raises(InputError, match="at least one"):
        learn_examples([("", True)])


def test_budgets_end_the_search_without_a_program():
    parity = from_function(lambda word: word.count("a") % 2 == 0, "ab")
    space = SearchSpace(depth=1, size=7, periods=(), window=0)
    result = learn(parity, space=space, limits=Limits(0.5))
    assert result.program is None
    assert result.verified is None
    assert result.to_dict()["program"] is None
