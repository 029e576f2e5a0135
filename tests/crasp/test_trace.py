from lengthwise.crasp import parse, trace
from lengthwise.crasp.library import load


def test_terminal_table_is_aligned_and_uses_marks():
    text = trace(load("dyck-1"), "(())").to_text()
    assert text == (
        "         (  (  )  )\n"
        "C_open   1  2  2  2\n"
        "C_close  0  0  1  2\n"
        "V        ·  ·  ·  ·\n"
        "CV       0  0  0  0\n"
        "M        ●  ●  ●  ●\n"
        "B        ·  ·  ·  ●\n"
        "accept   ·  ·  ·  ●\n"
        "accepted\n"
    )


def test_end_marker_has_a_column_of_its_own():
    lines = trace(parse('p = "b"\nc = #"b"\nx = c == 1'), "ab", accept="end").to_text().splitlines()
    assert lines == ["   a  b  ⊣", "p  ·  ●  ·", "c  0  1  1", "x  ·  ●  ●", "accepted"]


def test_operations_show_unnamed_parts():
    found = trace(parse('x = #("a" && !"b") > 1'), "aa", operations=True)
    assert [name for name, _ in found.rows] == [
        '"a"',
        '"b"',
        '!"b"',
        '"a" && !"b"',
        '#("a" && !"b")',
        'x = #("a" && !"b") > 1',
    ]


def test_generators_and_the_empty_word():
    found = trace(parse('next "<b>" = "a"'), ["a", "<b>"])
    assert found.accepted is None
    assert found.rows == (('next "<b>"', (True, False)),)
    assert "accepted" not in found.to_text()
    assert trace(load("aa"), "").to_text().endswith("accepted\n")
