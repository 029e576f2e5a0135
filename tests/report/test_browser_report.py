"""The pages in a real browser: from disk, without a network, every control used once."""

import re

import pytest

from lengthwise.report.html import save
from lengthwise.report.run_page import runs_document
from lengthwise.report.study_page import save_study_page
from tests.report.cases import EVIL, runs, study

FOUND = {
    "parity": {"nope": {"answer": "yes", "strength": "proof", "because": "a theorem"}},
}
LINES = ".figure[data-panel='0'] .mark-line.role-mark path"


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
    box = page.locator(".figure[data-panel='0'] svg").bounding_box()
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
    page.locator(".figure[data-panel='0']").scroll_into_view_if_needed()
    page.wait_for_selector(LINES)
    box = page.locator(".figure[data-panel='0'] svg").bounding_box()
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
    for number in range(3):
        page.locator(f".figure[data-chart='{number}']").scroll_into_view_if_needed()
        page.wait_for_selector(f".figure[data-chart='{number}'] canvas")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    browser_page.clean()
