import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.crasp import parse, parse_file, to_latex, to_text
from lengthwise.crasp.parser import MAXIMUM_BYTES
from lengthwise.crasp.syntax import (
    Add,
    And,
    Compare,
    Constant,
    Counting,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    Residue,
    Scale,
    Subtract,
    Symbol,
    Where,
)
from tests.crasp.reference import programs


@given(programs())
def test_printed_programs_read_back_equal(program):
    text = to_text(program)
    assert parse(text) == program
    assert to_text(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ('x = # "a"', 'x = #"a"'),
        ('x = #"a"==0&&#"b"!=1', 'x = #"a" == 0 && #"b" != 1'),
        ('x = 1 if "a" else 2 if "b" else 3', 'x = 1 if "a" else 2 if "b" else 3'),
        ('x = (1 if "a" else 2) if "b" else 3', 'x = (1 if "a" else 2) if "b" else 3'),
        ('x = "a" || "b" && "c"', 'x = "a" || "b" && "c"'),
        ('x = ("a" || "b") && "c"', 'x = ("a" || "b") && "c"'),
        ('x = #"a" - (#"b" - 1)', 'x = #"a" - (#"b" - 1)'),
        ('x = #"a" - #"b" - 1', 'x = #"a" - #"b" - 1'),
        ('x = 2*#"a" + 3*(#"b"+1)', 'x = 2 * #"a" + 3 * (#"b" + 1)'),
        ('x = - 3 * #"a" >= -2', 'x = -3 * #"a" >= -2'),
        ('x = min(#"a", 2) - max(1, #"b")', 'x = min(#"a", 2) - max(1, #"b")'),
        ('x = #[i-3..i-1, i] "a"', 'x = #[i-3..i] "a"'),
        ('x = #[i, i-2] "a"', 'x = #[i-2, i] "a"'),
        ("x = pos % 3 == 2", "x = pos % 3 == 2"),
        ("x = pos % 2 != 0", "x = !(pos % 2 == 0)"),
        ('#import pred\nx = #[pred] "a"', 'x = #[i-1] "a"'),
        ('#import pred4\nx = #[pred4] "a"', 'x = #[i-4] "a"'),
        ("#import pos_even\nx = pos_even", "x = pos % 2 == 1"),
        ("#import pos_even\nx = !pos_even && true", "x = !(pos % 2 == 1) && true"),
        ('x = !#"a" == 0', 'x = !(#"a" == 0)'),
        ('x = #"a" && "b"', 'x = #("a" && "b")'),
        ('x = ("a" // first\n  && "b")\n\n\n// end', 'x = "a" && "b"'),
        ('x = "a"\r\ny = #x\r\n', 'x = "a"\ny = #"a"'),
        ('x = #"a"\nx = x + 1', 'x = #"a"\nx = x + 1'),
        ('parameter n = 3\nx = #[i-n] "a" > n', 'x = #[i-3] "a" > 3'),
        ('x = "//" || "=="', 'x = "//" || "=="'),
    ],
)
def test_forms_of_the_language(text, printed):
    assert str(parse(text)).strip() == printed


def test_new_keywords_are_still_names_where_nothing_else_could_stand():
    text = 'next = #"a"\npos = next\nalphabet = pos > 1\nempty = alphabet\nparameter = empty\n'
    text += "i = 1\naccept = parameter\nreject = #[i] accept"
    assert [name for name, _ in parse(text)][:3] == ["next", "pos", "alphabet"]


def test_declarations():
    program = parse('alphabet "a" "<sep>"\nempty accept\nnext "b c" = "a"')
    assert program.alphabet == ("a", "<sep>")
    assert program.empty is True
    assert list(program.next) == ["b c"]
    assert parse("parameter n = -3\nx = n", parameters={"n": 5})["x"].value == 5


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ('x = #"a" &', 1, 10, "did you mean '&&'"),
        ("x = (1", 1, 6, r"expected '\)'"),
        ("x = 1 +\ny = 2", 1, 8, "expected an expression"),
        ('x = "a" + 1', 1, 5, "expected a count here, but this is a Boolean"),
        ('y = #"a" < "b"', 1, 12, "expected a count here"),
        ('x = !#"a"', 1, 5, "`!` needs a Boolean"),
        ('x = 1\ny = x && "a"', 2, 5, "expected a Boolean here, but this is a count"),
        ('x = #(#"a")', 1, 6, "expected a Boolean here"),
        ('x = 3 if #"a" else 1', 1, 10, "expected a Boolean here"),
        ("y = x", 1, 5, "'x' is not defined above"),
        ("x = x + 1", 1, 5, "'x' is not defined above"),
        ("count_a = 1\ny = cuont_a + 1", 2, 5, "Did you mean 'count_a'"),
        ("#import foo", 1, 9, "unknown predicate 'foo'.*local or periodic"),
        ('x = #[foo] "a"', 1, 7, "'foo' is not a local predicate"),
        ('x = #[j-1] "a"', 1, 7, "offsets are written from i"),
        ('x = #[i-1..i-3] "a"', 1, 10, "the earlier position comes first"),
        ('x = #[i+1] "a"', 1, 8, "unexpected '\\+'"),
        ("#import pred\nx = pred", 2, 5, r"use it as #\[pred\] P"),
        ('alphabet "a" "b"\nx = "c"', 2, 5, r"symbol 'c' is not in the alphabet \(a b\)"),
        ('alphabet "a"\nalphabet "b"', 2, 1, "declared twice"),
        ('x = "abc', 1, 5, "closing quote"),
        ('x = ""', 1, 5, "at least one character"),
        ("x = pos % 2 == 2", 1, 16, "between 0 and 1"),
        ("x = pos % 0 == 0", 1, 11, "at least 1"),
        ('next "a" = 1', 1, 12, "expected a Boolean"),
        ('next "a" = true\nnext "a" = false', 2, 6, "defined twice"),
        ('x = #"a" * #"b"', 1, 12, "only be multiplied by an integer"),
        ("x = 1 < 2 < 3", 1, 11, "unexpected '<'"),
        ("3 = x", 1, 1, "expected a statement"),
        ("x = 1 y = 2", 1, 7, "unexpected 'y'"),
        ("x = " + "9" * 40, 1, 5, "more than 30 digits"),
    ],
)
def test_errors_point_at_the_place(text, line, column, message):
    with pytest.raises(InputError, match=message) as caught:
        parse(text, source="prog.cr")
    first, shown, caret = str(caught.value).split("\n")
    assert first.startswith(f"prog.cr:{line}:{column}: ")
    assert shown.strip() == text.split("\n")[line - 1].strip()
    assert caret.index("^") == 4 + column - 1


def test_empty_text_and_unused_parameters():
    with pytest.raises(InputError, match="defines nothing"):
        parse("// only a comment\n")
    with pytest.raises(InputError, match="no parameter 'm'"):
        parse("parameter n = 1\nx = n", parameters={"m": 2})


@given(st.text(max_size=60) | st.text('x= "#&|!()[]i-.1%\n', max_size=40))
def test_any_text_is_read_or_refused_in_words(text):
    with contextlib.suppress(InputError):
        parse(text)


def test_deep_nesting_is_read():
    depth = 10_000
    brackets = parse("x = " + "(" * depth + '"a"' + ")" * depth)
    assert isinstance(brackets.accept, Symbol)
    nots = parse("x = " + "!" * depth + '"a"')
    assert parse(str(nots)).accept is nots.accept
    counts = parse("x = " + "#(" * depth + '"a"' + ") == 1" * (depth - 1) + ")")
    assert parse(str(counts))["x"] is counts["x"]
    left = parse("x = " + " + ".join(['#"a"'] * depth))
    assert parse(str(left))["x"] is left["x"]
    with pytest.raises(InputError):
        parse("x = " + "(" * depth)


def test_huge_files_are_refused_at_once(tmp_path):
    path = tmp_path / "huge.cr"
    path.write_text('x = #"a"\n' * 1_200_000)
    assert path.stat().st_size > 10_000_000 > MAXIMUM_BYTES
    with pytest.raises(InputError, match=r"huge.cr: more than 4,000,000 bytes"):
        parse_file(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        parse_file(tmp_path / "none.cr")
    with pytest.raises(InputError, match="cannot be read"):
        parse_file(tmp_path)
    path = tmp_path / "binary.cr"
    path.write_bytes(b"\xff\xfe\x00x")
    with pytest.raises(InputError, match="UTF-8"):
        parse_file(path)


def test_shared_graphs_print_in_linear_size():
    program = parse('x = #"a"\n' + "\n".join(["x = x + x"] * 60))
    whole = program.replace(definitions=[program.definitions[-1]])
    text = str(whole)
    assert len(text) < 100_000
    assert parse(text)["x"] is whole["x"]


def test_latex():
    latex = to_latex(parse('a_b = #[i-1] "x_y"\nd = a_b >= 1 || pos % 3 == 2\nnext "a" = !d'))
    assert latex == (
        "\\begin{align*}\n"
        "\\mathit{a\\_b} &:= \\#\\left[j = i - 1\\right] Q_{\\texttt{x\\_y}} \\\\\n"
        "\\mathit{d} &:= \\mathit{a\\_b} \\ge 1 \\lor i \\equiv 2 \\pmod{3} \\\\\n"
        "\\mathrm{NEXT}_{\\texttt{a}} &:= \\lnot \\mathit{d}\n"
        "\\end{align*}\n"
    )


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ('x = !"a" && "b"', 'x = !("a" && "b")'),
        ('x = !"a" || "b" && "c"', 'x = !("a" || "b" && "c")'),
        ('x = 2*#"a" + 1 == 3', 'x = 2 * (#"a" + 1) == 3'),
        ('x = #"a" - #"b" + 1 == 0', 'x = #"a" - (#"b" + 1) == 0'),
        ('x = #"a" == #"b" && "b"', 'x = #"a" == #("b" && "b")'),
        ('x = #"a" || "b" == 1', 'x = #("a" || "b") == 1'),
        ('P = #"a" > 1\nx = #P == 0', 'P = #"a" > 1\nx = #P == 0'),
        ('N = #"a"\nx = #N == 0', 'N = #"a"\nx = #(N == 0)'),
        ('x = 1 if "a" else 2 if "b" else 3', 'x = (1 if "a" else 2) if "b" else 3'),
        ('#import pred\nx = (#[pred] "a") > 0', 'x = #[i-1] "a" > 0'),
        ("#import pos_even\nx = !pos_even && true", "x = !(pos % 2 == 1 && true)"),
    ],
)
def test_the_released_precedence(text, printed):
    """Expected readings were compared with the released interpreter's values on all short words."""
    assert str(parse(text, precedence="released")).strip() == printed


def test_the_released_reading_refuses_what_it_does_not_know():
    with pytest.raises(InputError, match="'x' is not defined above"):
        parse("y = x + 1", precedence="released")
    with pytest.raises(InputError, match="unexpected"):
        parse("x = pos % 2 == 0", precedence="released")
    with pytest.raises(InputError, match="unknown precedence 'old'"):
        parse("x = true", precedence="old")


@given(programs())
def test_fully_bracketed_programs_mean_the_same_in_both_readings(program):
    lines = [f"d{k} = {bracketed(node)}" for k, node in enumerate(program.roots)]
    text = "#import pos_even\n" + "\n".join(lines)
    assert parse(text) == parse(text, precedence="released")


def bracketed(node):
    """Write an expression with every operand in brackets; what the old format lacks is replaced."""
    args = [f"({bracketed(arg)})" for arg in node.args]
    match node:
        case Symbol(name):
            return f'"{name}"'
        case Constant(value):
            return "true" if value else "false"
        case Residue():
            return "pos_even"
        case Number(value):
            return str(abs(value))
        case Not():
            return "!" + args[0]
        case And():
            return " && ".join(args)
        case Or():
            return " || ".join(args)
        case Compare(sign):
            return f"{args[0]} {sign} {args[1]}"
        case Counting():
            return "#" + args[0]
        case Add():
            return " + ".join(args)
        case Subtract():
            return " - ".join(args)
        case Scale(factor):
            return f"{abs(factor)} * {args[0]}"
        case Minimum() | Maximum():
            return f"{type(node).__name__.lower()[:3]}({args[0]}, {args[1]})"
        case Where():
            return f"{args[1]} if {args[0]} else {args[2]}"
    raise TypeError(node)
