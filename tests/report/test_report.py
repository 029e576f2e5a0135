"""Curves pool counts; plots and pages show them."""

import re

import pytest

from lengthwise.core.errors import InputError
from lengthwise.report.curves import best, curves
from lengthwise.report.output import check_format
from lengthwise.report.run_page import save_page
from lengthwise.report.static import Look
from lengthwise.report.static_panels import figure_bytes
from lengthwise.report.terminal import _scale, draw
from tests.report.cases import result


def test_seeds_are_pooled_and_encodings_kept_apart():
    drawn = curves([result(seed=0, correct=5), result(seed=1, correct=7), result("rope")])
    nope, rope = drawn
    assert (nope.encoding, nope.seeds, rope.encoding, rope.seeds) == ("nope", 2, "rope", 1)
    assert [p.middle for p in nope.points] == [1, 2, 3, 4, 6]
    assert [p.accuracy for p in nope.points] == [1, 1, 1, 0.6, 0]
    assert [p.counts for p in nope.points][-2:] == [(12, 20), (0, 20)]
    assert (nope.bins[1].name, nope.bins[1].accuracy) == ("4-6", 0.3)
    low, high = nope.bins[1].interval
    assert low < 0.3 < high


def test_neighbouring_lengths_share_a_point():
    (curve,) = curves([result()], most_points=3)
    assert [(p.middle, p.accuracy) for p in curve.points] == [(1.5, 1), (3.5, 0.75), (6, 0)]
    assert [(p.low, p.high) for p in curve.points] == [(1, 2), (3, 4), (6, 6)]


def test_configurations_are_told_apart_by_what_differs():
    wide = {"model": {"width": 128}, "training": {"length": (1, 3), "learning_rate": 1e-4}}
    narrow, broad, alone = curves([result(), result(correct=9, **wide), result("rope")])
    assert narrow.configuration == "width 64, learning rate 0.001"
    assert broad.configuration == "width 128, learning rate 0.0001"
    assert narrow.panel == broad.panel == alone.panel
    assert [c.configuration for c in best([narrow, broad, alone])] == [
        broad.configuration,
        alone.configuration,
    ]


def test_training_ranges_have_panels_of_their_own():
    longer = result(training={"length": (1, 2)}, evaluation={"lengths": ((4, 6),)})
    assert len({curve.panel for curve in curves([result(), longer])}) == 2


@pytest.mark.parametrize(
    ("trained", "said"), [(3, "1 3 6"), (6, "1 6"), (9, "1 6"), (1, "1 6"), (5, "1 5 6")]
)
def test_the_terminal_plot_names_lengths_that_do_not_run_into_each_other(trained, said):
    scale = _scale(1, 6, trained, min(15, 3 * (trained - 1)), 16)
    assert scale.split() == said.split()


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


def test_equal_curves_give_equal_files():
    for suffix in ("svg", "pdf"):
        assert figure_bytes(curves([result()]), suffix) == figure_bytes(curves([result()]), suffix)


def test_a_pdf_holds_truetype_fonts_and_no_type_3():
    data = figure_bytes(curves([result()]), "pdf", Look("column", font="serif", log=True))
    assert b"/Subtype /Type3" not in data
    assert b"/FontFile2" in data
    assert b"STIXGeneral" in data
    width = re.search(rb"/MediaBox \[ 0 0 ([\d.]+)", data)
    assert width is not None
    assert float(width[1]) == pytest.approx(3.3 * 72, abs=1)


def test_unknown_figure_formats_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"\.png, \.svg or \.pdf"):
        check_format(tmp_path / "a.gif")


def test_the_page_is_self_contained_and_escapes_text(tmp_path):
    path = tmp_path / "deep" / "page.html"
    save_page([result(correct=7), result("rope")], path, "a <b> title", found={})
    html = path.read_text()
    assert "a &lt;b&gt; title" in html
    assert "35.0%" in html
    assert not re.search(r"""(src|href)=["']https?:""", html)
    assert html.count('data-run="') == 2
    assert html.count("window.vegaEmbed=") == 1
