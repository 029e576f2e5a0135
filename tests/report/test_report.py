"""Curves pool counts; plots and pages show them."""

import re

import pytest

from lengthwise.errors import InputError
from lengthwise.evaluation.exact import BinResult
from lengthwise.report.curves import curves
from lengthwise.report.figure import check_format, figure_bytes
from lengthwise.report.page import save_page
from lengthwise.report.terminal import draw
from lengthwise.runs.result import RunResult
from lengthwise.runs.spec import RunSpec


def result(position="nope", seed=0, correct=5, task="parity"):
    spec = RunSpec.create(
        task=task,
        position=position,
        training={"length": (1, 3)},
        evaluation={"lengths": ((4, 6),)},
        seed=seed,
    )
    bins = (
        BinResult(low=1, high=3, correct={1: 10, 2: 10, 3: 10}, total={1: 10, 2: 10, 3: 10}),
        BinResult(low=4, high=6, correct={4: correct, 6: 0}, total={4: 10, 6: 10}),
    )
    return RunResult(
        spec=spec, steps=9, stopped="x", bins=bins, history=(), seconds=1.0, environment={}
    )


def test_seeds_are_pooled_and_encodings_kept_apart():
    drawn = curves([result(seed=0, correct=5), result(seed=1, correct=7), result("rope")])
    nope, rope = drawn
    assert (nope.encoding, nope.seeds, rope.encoding, rope.seeds) == ("nope", 2, "rope", 1)
    assert [p.length for p in nope.points] == [1, 2, 3, 4, 6]
    assert [p.accuracy for p in nope.points] == [1, 1, 1, 0.6, 0]
    name, accuracy, low, high = nope.bins[1]
    assert (name, accuracy) == ("4-6", 0.3)
    assert low < 0.3 < high


def test_neighbouring_lengths_share_a_point():
    (curve,) = curves([result()], most_points=3)
    assert [(p.length, p.accuracy) for p in curve.points] == [(1.5, 1), (3.5, 0.75), (6, 0)]


def test_the_terminal_plot_puts_marks_where_the_numbers_are():
    text = draw(curves([result(correct=10), result("rope", correct=0)]), width=21, height=11)
    lines = text.splitlines()
    assert lines[0].startswith(" 100% |x")
    assert "o" in lines[0][18:]  # nope is right at length 4, rope is not
    assert lines[10].startswith("   0% |")
    assert "x" in lines[10]
    assert lines[11].count("=") == 9  # lengths 1..3 of 1..6
    assert lines[-1].split() == ["o", "nope", "x", "rope", "(=", "trained", "lengths)"]


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_figures(suffix, magic):
    drawn = curves([result(), result("rope"), result(task="sort")])
    assert figure_bytes(drawn, suffix).startswith(magic)


def test_equal_curves_give_equal_svg():
    assert figure_bytes(curves([result()]), "svg") == figure_bytes(curves([result()]), "svg")


def test_unknown_figure_formats_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"\.png, \.svg, \.pdf"):
        check_format(tmp_path / "a.gif")


def test_the_page_is_self_contained_and_escapes_text(tmp_path):
    path = tmp_path / "deep" / "page.html"
    save_page([result(correct=7), result("rope")], path, "a <b> title")
    html = path.read_text()
    assert "a &lt;b&gt; title" in html
    assert "35.0%" in html
    assert not re.search(r"""(src|href)=["']https?:""", html)
    assert html.count('data-run="') == 2
