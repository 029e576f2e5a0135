"""The pages in a real browser: from disk, without a network, every control used once."""

import re

import pytest

import lengthwise as lw
from lengthwise.positions import POSITIONS
from lengthwise.predict import predict
from lengthwise.report.curves import pool_runs
from lengthwise.report.document import Chart, Document, Section
from lengthwise.report.heat_pages import products_document, relation_document
from lengthwise.report.html import save
from lengthwise.report.prediction_page import save_page
from lengthwise.report.run_page import runs_document
from lengthwise.report.static_panels import save_figure
from lengthwise.report.study_page import save_study_page
from lengthwise.report.vega import line_chart
from lengthwise.studies.reproduce import kept_results
from tests.report.cases import EVIL, learned_relation, positional_products, runs, study

FOUND = {
    "parity": {"nope": {"answer": "yes", "strength": "proof", "because": "a theorem"}},
}
LINES = ".live[data-panel='0'] .layer_4_marks path"
"""The curves: the layers below are shade, chance, bands and single seeds."""
UNFOLD = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"


@pytest.fixture
def report(tmp_path):
    path = tmp_path / "report.html"
    save(runs_document(runs(), "Four runs", found=FOUND), path)
    return path


def across(path):
    """The horizontal places of a line's points."""
    return [float(point.partition(",")[0]) for point in re.split("[ML]", path or "")[1:]]


def test_curves_can_be_switched_hovered_and_drawn_on_a_log_axis(browser_page, report):
    page = browser_page.open(report)
    page.wait_for_selector(LINES)
    assert page.locator(LINES).count() == 2
    page.click("button[data-series='rope']")
    page.wait_for_function(f"document.querySelectorAll({LINES!r}).length === 1")
    assert page.get_attribute("button[data-series='rope']", "aria-pressed") == "false"
    page.click("button[data-series='rope']")
    page.wait_for_function(f"document.querySelectorAll({LINES!r}).length === 2")

    before = page.locator(LINES).first.get_attribute("d")
    one, two, three, *_ = across(before)
    assert three - two == pytest.approx(two - one, abs=0.01)
    page.click("button[data-axis='log']")
    page.wait_for_function(
        f"document.querySelector({LINES!r})?.getAttribute('d') !== {before!r} &&"
        f"document.querySelector({LINES!r})"
    )
    one, two, _, four, _ = across(page.locator(LINES).first.get_attribute("d"))  # 1 2 3 4 6
    assert four - two == pytest.approx(two - one, abs=0.01)
    page.locator(".live[data-panel='0']").scroll_into_view_if_needed()
    box = page.locator(".live[data-panel='0'] svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    page.mouse.move(box["x"] + box["width"] / 2 + 3, box["y"] + box["height"] / 3)
    tooltip = page.wait_for_selector("#vg-tooltip-element.visible")
    assert tooltip is not None
    assert "exact match" in tooltip.inner_text()
    assert "95% interval" in tooltip.inner_text()
    browser_page.clean()


def test_the_theme_follows_the_system_and_the_button(browser_page, report):
    browser_page.page.emulate_media(color_scheme="dark")
    page = browser_page.open(report)
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    dark = page.evaluate(ground)
    page.wait_for_selector(LINES)
    colour = page.locator(LINES).first.get_attribute("stroke")
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert page.evaluate(ground) != dark
    page.wait_for_function(
        f"(document.querySelector({LINES!r})?.getAttribute('stroke') ?? {colour!r}) !== {colour!r}"
    )
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    browser_page.clean()


def test_tables_sort_and_copy(browser_page, report):
    page = browser_page.open(report)
    page.evaluate(UNFOLD)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    table = page.locator("table.data").nth(1)
    column = "td:nth-child(5)"
    heading = table.locator("th button", has_text="4-6")
    heading.click()
    assert table.locator("th[aria-sort='ascending']").inner_text().startswith("4-6")
    rising = table.locator(column).evaluate_all("cells => cells.map(c => Number(c.dataset.v))")
    assert rising == sorted(rising)
    assert len(set(rising)) > 1
    heading.click()
    falling = table.locator(column).evaluate_all("cells => cells.map(c => Number(c.dataset.v))")
    assert falling == rising[::-1]

    page.locator("button[data-copy]").nth(1).click()
    page.locator("button[data-copy]", has_text="Copied").wait_for()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0] == (
        "task,encoding,seeds,1-3 (trained),1-3 (trained) low,1-3 (trained) high,"
        "4-6,4-6 low,4-6 high"
    )
    assert len(lines) == 4
    assert lines[1].startswith("parity,nope,2,1.0,")
    assert ",0.4," in lines[1]
    browser_page.clean()


def test_a_run_opens_with_its_command_and_specification(browser_page, report):
    page = browser_page.open(report)
    page.evaluate(UNFOLD)
    button = page.locator("button[data-run='1']")
    button.click()
    opened = page.locator("tr.detail").inner_text()
    assert "lengthwise train parity --encoding nope" in opened
    assert "--first-seed 1" in opened
    assert '"seed": 1' in opened
    button.click()
    assert page.locator("tr.detail").count() == 0
    browser_page.clean()


def test_figures_are_saved_as_svg_and_png(browser_page, report):
    page = browser_page.open(report)
    page.wait_for_selector(LINES)
    for kind, magic in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with page.expect_download() as waiting:
            page.click(f"button[data-save='{kind}'][data-panel='0']")
        assert re.fullmatch(
            rf"parity-trained-on-lengths-1-to-3\.{kind}", waiting.value.suggested_filename
        )
        content = waiting.value.path().read_bytes()
        assert content.startswith(magic)
        if kind == "svg":
            assert b"rope" in content  # the legend is inside
    browser_page.clean()


def test_markup_of_users_is_shown_as_text(browser_page, tmp_path):
    data = study(title=EVIL, note=EVIL, command=EVIL)
    data["claims"][0]["sentence"] = EVIL
    data["tables"][0] |= {"title": EVIL, "columns": [EVIL, "v"], "rows": [[EVIL, 1]], "note": EVIL}
    data["figures"][0] |= {"title": EVIL, "x": "length"}
    for row in data["figures"][0]["data"]:
        row["pe"] = EVIL
    for run in data["runs"]:
        run |= {"task": EVIL, "encoding": EVIL, "command": EVIL, "group": EVIL}
    path = tmp_path / "evil.html"
    save_study_page(data, path, {EVIL: {EVIL: {"answer": EVIL, "because": EVIL}}})
    page = browser_page.open(path)
    assert page.inner_text("h1") == EVIL
    page.evaluate(UNFOLD)
    page.locator(".live[data-panel='0']").scroll_into_view_if_needed()
    page.wait_for_selector(LINES)
    box = page.locator(".live[data-panel='0'] svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    page.mouse.move(box["x"] + box["width"] / 2 + 3, box["y"] + box["height"] / 3)
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert EVIL[:20] in page.inner_text("#vg-tooltip-element")
    page.locator("button[data-run='0']").click()
    assert EVIL in page.locator("tr.detail").inner_text()
    assert page.evaluate("window.harmed") is None
    assert page.locator("main img").count() == 0
    browser_page.clean()


def test_heat_maps_and_narrow_screens(browser_page, tmp_path):
    path = tmp_path / "study.html"
    save_study_page(study(), path)
    browser_page.page.set_viewport_size({"width": 400, "height": 800})
    page = browser_page.open(path)
    page.evaluate(UNFOLD)
    for number in range(3):
        page.locator(f".live[data-chart='{number}']").scroll_into_view_if_needed()
        page.wait_for_selector(f".live[data-chart='{number}'] canvas")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    browser_page.clean()


def seen_pictures(page):
    """Count the pictures of charts that take up room on the page."""
    return page.evaluate(
        "[...document.querySelectorAll('.figure')].filter((figure) => [...figure.querySelectorAll("
        "'svg, img, canvas')].some((one) => one.getBoundingClientRect().height > 80)).length"
    )


def test_on_paper_every_chart_is_drawn_although_nobody_scrolled(browser_page, tmp_path):
    path = tmp_path / "study.html"
    save_study_page(study(), path)
    browser_page.page.emulate_media(color_scheme="dark")
    page = browser_page.open(path)
    figures = page.locator(".figure").count()
    assert figures == 4
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert seen_pictures(page) == figures
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4").count(b"/Type /Page\n") >= 1
    browser_page.clean()


def test_without_scripts_every_chart_is_there(browser_page, report, tmp_path):
    context = browser_page.page.context.browser.new_context(
        java_script_enabled=False, viewport={"width": 400, "height": 800}
    )
    page = context.new_page()
    page.goto(report.resolve().as_uri())
    pictures = page.locator(".figure svg")
    assert pictures.count() == 2
    for number in range(2):
        box = pictures.nth(number).bounding_box()
        assert box is not None
        assert box["height"] > 100
        assert box["x"] + box["width"] <= 400


def test_an_encoding_has_one_colour_on_the_page_and_in_figures(browser_page, report, tmp_path):
    figure = tmp_path / "figure.svg"
    save_figure(pool_runs(runs()), figure)
    wanted = {"nope": "rgb(0, 114, 178)", "rope": "rgb(0, 158, 115)"}
    page = browser_page.open(report)
    page.wait_for_selector(LINES)
    shown = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('[data-series]')].map((button) => "
        "[button.dataset.series, getComputedStyle(button.querySelector('i')).backgroundColor]))"
    )
    assert shown == wanted
    strokes = page.locator(LINES).evaluate_all("all => all.map((e) => getComputedStyle(e).stroke)")
    assert set(strokes) == set(wanted.values())
    for colour in ("#0072b2", "#009e73"):
        assert f"stroke: {colour}" in figure.read_text()


@pytest.mark.parametrize("study_name", ["huang2024", "kazemnejad2023"])
def test_a_studys_page_is_short_until_it_is_unfolded(browser_page, tmp_path, study_name):
    path = tmp_path / "study.html"
    data = kept_results(study_name, edition=1)
    save_study_page(data, path)
    page = browser_page.open(path)
    assert page.evaluate("document.documentElement.scrollHeight") <= 4000
    first = page.locator("table.data").first.locator("tbody tr")
    assert first.first.locator("td.tinted").count() > 1  # encodings share a row
    folded = page.locator("details.fold summary").all_inner_texts()
    assert any(text.startswith("Figure 1: ") for text in folded)
    assert path.stat().st_size < 5_000_000
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    browser_page.clean()


def card(path):
    save_page(predict("(a|b)*abb(a|b)*"), path)


def traced(path):
    lw.crasp.trace("dyck-1", "( ( ) )").report(path)


def attended(path):
    store = path.parent / "runs"
    options = {"train_length": "1:4", "test_length": "5:6", "steps": 2, "width": 16}
    one, two = lw.train("binary-majority", encoding=["nope", "ape"], store=store, **options)
    seen = lw.analyse.attention(one.spec.id, other=two.spec.id, length=6, store=store)
    seen.report(path)


def related(path):
    save(relation_document(learned_relation()), path)


def multiplied(path):
    save(products_document(positional_products()), path)


def many_series(path):
    rows = [{"x": x, "y": y + x, "s": n} for y, n in enumerate(POSITIONS) for x in (1, 2)]
    chart = Chart("Every encoding", line_chart(rows, "length", "value"))
    save(Document("Lines", sections=[Section("", [chart])]), path)


OUTSIDE = """
[...document.querySelectorAll('.drawing text, .drawing circle, .still text')].filter((one) => {
  const box = one.getBoundingClientRect(), frame = one.closest('svg').getBoundingClientRect();
  return box.width && (box.left < frame.left - 2 || box.right > frame.right + 2
    || box.top < frame.top - 2 || box.bottom > frame.bottom + 2);
}).map((one) => one.textContent)
"""
"""Labels of pictures that are cut off."""


@pytest.mark.parametrize("made", [card, traced, attended, related, multiplied, many_series])
def test_every_page_fits_every_screen_in_both_themes_and_on_paper(browser_page, tmp_path, made):
    path = tmp_path / "page.html"
    made(path)
    page = browser_page.page
    for width in (400, 1280):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            browser_page.open(path)
            assert page.evaluate("document.documentElement.dataset.theme") == scheme
            page.evaluate(UNFOLD)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(OUTSIDE) == []
    assert page.locator(".lead").count() == (made not in (many_series, multiplied))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme="dark")
    assert seen_pictures(page) == page.locator(".figure").count()
    assert page.pdf(format="A4").count(b"/Type /Page\n") >= 1
    browser_page.clean()


def test_the_card_draws_the_automaton_the_program_and_the_witness(browser_page, tmp_path):
    path = tmp_path / "card.html"
    card(path)
    page = browser_page.open(path)
    drawn = page.locator("section .drawing svg")
    assert drawn.count() == 2  # the language, and the question that counts cannot answer
    assert drawn.nth(0).locator(".state").count() == 4
    assert drawn.nth(1).locator(".state.marked").count() == 2
    assert "accept = " in page.locator("section .card pre").first.inner_text()
    assert page.locator("table.steady td", has_text="accept").count() == 1
    assert "Why it fails with nope" in page.locator("h2").all_inner_texts()
