import pytest
from hypothesis import given

from lengthwise.crasp import Program, analyse, evaluate, parse
from lengthwise.crasp.facts import ranges
from lengthwise.crasp.syntax import Count, postorder
from lengthwise.languages.words import Words
from tests.crasp.reference import LETTERS, expressions
from tests.crasp.reference import words as word_lists


@pytest.mark.parametrize(
    ("text", "depth", "size", "layers", "fragment", "positive"),
    [
        ('x = "a"', 0, 1, (), "plain", True),
        ('x = #"a" > #"b"', 1, 5, (2,), "plain", False),
        ('x = #"a" + 2 * #"b" >= 3', 1, 11, (2,), "plain", True),
        ('x = #(#"a" < #"b") == 0', 2, 8, (2, 1), "plain", False),
        ('x = #("b" && #[i-1] "a" >= 1) >= 1', 1, 10, (1, 1), "local", True),
        ("x = pos % 2 == 0", 0, 4, (), "periodic", True),
        ("x = pos % 1 == 0", 0, 3, (), "plain", True),
        ("x = #[i-2] (pos % 3 == 1) == 1", 0, 9, (1,), "periodic, local", True),
        ('x = #"a" - #"b" > 0', 1, 7, (2,), "plain", False),
        ('x = (1 if "a" else 0) > 0', 0, 6, (), "plain", False),
    ],
)
def test_summary(text, depth, size, layers, fragment, positive):
    found = analyse(parse(text))
    assert (found.depth, found.size, found.layers) == (depth, size, layers)
    assert (found.fragment, found.positive) == (fragment, positive)


def test_periods_offsets_symbols():
    found = analyse(parse('x = #[i-3..i-1] "b" > 1 && pos % 6 == 1 && pos % 2 == 0 || "a"'))
    assert found.periods == (2, 6)
    assert found.offsets == (1, 2, 3)
    assert found.symbols == ("a", "b")
    assert not found.generator
    assert found.to_dict()["depth"] == 0


@given(expressions(), word_lists)
def test_ranges_hold(node, words):
    batch = Words.encode(words, LETTERS)
    order = list(postorder([node]))
    bounds = ranges(order, batch.longest)
    counts = [n for n in order if isinstance(n, Count)]
    values = (
        evaluate(Program([(f"c{k}", n) for k, n in enumerate(counts)]), batch) if counts else {}
    )
    for k, n in enumerate(counts):
        low, high = bounds[n]
        assert ((values[f"c{k}"] >= low) & (values[f"c{k}"] <= high)).all()
