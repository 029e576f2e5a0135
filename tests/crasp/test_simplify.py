import pytest
from hypothesis import given

from lengthwise.crasp import Program, analyse, evaluate, parse, simplify
from lengthwise.crasp.interpreter import read_at
from lengthwise.languages.words import Words
from tests.crasp.reference import LETTERS, expressions, programs
from tests.crasp.reference import words as word_lists


@given(expressions(), word_lists)
def test_values_never_change(node, words):
    program = Program([("d", node)])
    simple = simplify(program)
    batch = Words.encode([*words, "abcab"], LETTERS)
    assert evaluate(program, batch)["d"].tolist() == evaluate(simple, batch)["d"].tolist()
    both = read_at([node], batch, "end") + read_at([simple.accept], batch, "end")
    assert both[0].tolist() == both[1].tolist()


@given(programs())
def test_whole_programs_keep_their_outputs_and_settle(program):
    simple = simplify(program)
    assert list(simple.next) == list(program.next)
    assert simplify(simple) == simple
    assert analyse(simple).size <= analyse(program).size
    batch = Words.encode(["abcacb", "bb", "c"], LETTERS)
    before, after = evaluate(program, batch), evaluate(simple, batch)
    for name in [f'next "{letter}"' for letter in program.next] or [program.definitions[-1][0]]:
        assert before[name].tolist() == after[name].tolist()


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ('x = #"a" >= 0', "x = true"),
        ('x = #[i-1] "a" < 2', "x = true"),
        ('x = #"a" - 1 + 3 > 2', 'x = #"a" > 0'),
        ('x = 0 < #"a"', 'x = #"a" > 0'),
        ('x = !!"a" && true || false', 'x = "a"'),
        ('x = "a" && !"a"', "x = false"),
        ('x = (#"a" < 1) || (#"a" >= 1)', "x = true"),
        ('x = #("a" && "b") == #("b" && "a")', "x = true"),
        ('x = #"a" + #"b" == #"b" + #"a"', "x = true"),
        ('x = !(#"a" < #"b")', 'x = #"a" >= #"b"'),
        ('x = #"a" - #"b" == 0', 'x = #"a" == #"b"'),
        ('x = (2 if "a" else 2) > #"b"', 'x = #"b" < 2'),
        ("x = #false == 0 && pos % 1 == 0", "x = true"),
        ('x = 2 * (3 * #"a") - 0 * #"b" > 0', 'x = 6 * #"a" > 0'),
        ('x = min(#"a", #"a") + max(0, #"b") > 0', 'x = #"a" + #"b" > 0'),
        ('unused = #"c"\ny = #"a"\nx = y + 0 > 1', 'y = #"a"\nx = y > 1'),
        ("x = #true == 1", "x = #true == 1"),
        ('x = #[i] "a" == 1', 'x = #[i] "a" == 1'),
    ],
)
def test_rules(text, simple):
    assert str(simplify(parse(text))).strip() == simple


def test_large_programs_are_fast_enough_to_finish():
    text = 'x = #"a"\n' + "\n".join(f"x = x + {k} + 0 * x" for k in range(3000)) + "\ny = x > 0"
    assert analyse(simplify(parse(text))).size <= 5
