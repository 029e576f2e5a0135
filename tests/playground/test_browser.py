"""The playground in a real browser: every view, by mouse and by keyboard, wide and narrow."""

import json
import threading

import pytest

from lengthwise.playground.server import Playground
from lengthwise.playground.workers import Workers
from tests.browser import browser_page  # noqa: F401
from tests.playground.conftest import PAYLOAD

PATIENCE = 120_000
VIEWS = ("Language", "Changes", "Program", "Runs", "Live")


@pytest.fixture
def seen(browser_page, playground):  # noqa: F811
    """The opened page; at the end it must not have complained or gone elsewhere."""
    browser_page.page.set_default_timeout(PATIENCE)
    browser_page.page.on("dialog", lambda dialog: browser_page.errors.append("a dialog opened"))
    browser_page.open(playground.address)
    yield browser_page
    browser_page.clean()


def width_fits(page):
    wanted, got = page.evaluate(
        "() => [document.documentElement.clientWidth, document.documentElement.scrollWidth]"
    )
    assert got <= wanted


def go(page, name):
    page.get_by_role("navigation").get_by_text(name, exact=True).click()


def test_a_language_leads_to_its_program_and_its_transformer(seen):
    page = seen.page
    page.get_by_label("Regular expression").fill("(aa)*")
    page.get_by_role("button", name="Predict").click()
    verdicts = page.get_by_role("region", name="Verdicts")
    verdicts.wait_for()
    row = verdicts.locator("tr", has_text="nope")
    assert row.locator(".badge").inner_text() == "no"
    assert verdicts.locator("tr", has_text="ape").locator(".badge").first.inner_text() == "yes"
    page.locator("#language .automaton circle.state").nth(1).wait_for()
    step = page.locator("#language .card", has_text="plain C-RASP")
    assert step.locator("li:visible").count() == 1
    step.get_by_role("button", name="Next step").click()
    assert step.locator("li:visible").count() == 2
    step.get_by_role("button", name="All steps").click()
    assert "independent checker" in step.locator("li").last.inner_text()
    here = page.locator("#language .card .help", has_text="Checked in this browser too")
    assert here.count() == 2
    assert "is not in C-RASP (convention last)" in here.first.inner_text()
    assert "is in C-RASP[periodic, local] (convention last)" in here.last.inner_text()
    page.get_by_role("button", name="Open in the program view").click()
    page.locator("#program .facts").first.wait_for()
    assert "pos % 2" in page.locator("#program [name=text]").input_value()
    page.locator("#program [name=word]").fill("a a a a")
    page.get_by_role("button", name="Compile and compare").click()
    page.get_by_text("They agree at all 4 positions.").wait_for()
    answers = page.locator("#program .pair dd").all_inner_texts()
    assert answers == ["accepted", "accepted"]


def test_a_word_is_stepped_through_and_the_address_brings_it_back(seen):
    """An example runs by itself; a reload, Back and a copied address show the same again."""
    page = seen.page
    page.locator("#language .grid").wait_for()
    assert page.get_by_label("Test word").input_value() == "ababab"
    page.locator("#language .automaton .place.now", has_text="0").wait_for()
    page.get_by_label("Test word").fill("aba")
    page.get_by_text("3 of 3 letters read: state 1. The word is rejected.").wait_for()
    page.locator("#language .stepper div:not(.stale) > .scroll .grid").wait_for()
    page.locator("#language").get_by_role("button", name="Back", exact=True).first.click()
    page.locator("#language .letters [aria-current=step]", has_text="b").wait_for()
    head = page.locator("#language .attention td.now").first
    assert float(head.inner_text()) > 0
    copied = page.url
    page.get_by_role("button", name="(aa)*", exact=True).click()
    page.get_by_text("6 of 6 letters read").wait_for()
    for again in (page.go_back, page.reload, lambda: page.goto(copied)):
        again()
        page.locator("#language .outcome", has_text="2 of 3 letters read").wait_for()
        page.locator("#language .grid thead th.now", has_text="b").wait_for()
        assert page.get_by_label("Regular expression").input_value() == "(ab)*"
    page.get_by_label("Test word").fill("abc")
    page.get_by_text('letter "c" is not in the alphabet (a b).').wait_for()


def test_the_shortest_difference_is_shown_and_stepped_through(seen):
    page = seen.page
    page.goto(page.url.partition("#")[0] + '#program?text=accept+%3D+%23"b"+%3D%3D+0&regex=(ab)*')
    page.locator("#program .grid").wait_for()
    page.get_by_role("button", name="Look for the shortest word").click()
    page.locator("#program .outcome.bad", has_text="They differ on a").wait_for()
    assert page.locator("#program .pair dd").all_inner_texts() == ["rejects", "accepts", "accepts"]
    page.get_by_role("button", name="Step through it").click()
    page.locator("#program .outcome", has_text="1 of 1 letters read").wait_for()


def test_a_trained_run_is_asked_and_stepped_through(browser_page, trained):  # noqa: F811
    store, made = trained
    page = browser_page.page
    page.set_default_timeout(PATIENCE)
    with Playground(Workers(store=str(store.root), seconds=120.0)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser_page.open(f"{server.address}#live")
        page.get_by_text("No sweep yet").wait_for()
        assert page.locator("#live .status.bad").count() == 0
        go(page, "Runs")
        page.get_by_role("button", name=made.id).click()
        page.get_by_text("<sep> is the separator").wait_for()
        page.get_by_role("button", name="Step through it").click()
        page.locator("#runs .grid").wait_for()
        assert "Layer 2: residual stream" in page.locator("#runs .grid").inner_text()
        page.locator("#runs .automaton .place.now").wait_for()
        page.reload()
        page.locator("#runs .grid").wait_for()
        page.get_by_role("button", name="Look for the shortest mistake").click()
        page.locator("#runs .found .pair").wait_for()
        server.shutdown()
    browser_page.clean()


def test_a_no_becomes_a_yes(seen):
    page = seen.page
    go(page, "Changes")
    page.get_by_label("Task or expression").fill("(ab")
    page.get_by_role("button", name="Propose").click()
    page.locator("#changes .status.bad").wait_for()
    page.get_by_label("Task or expression").fill("parity")
    page.get_by_role("button", name="Propose").click()
    changes = page.get_by_role("region", name="Changes")
    changes.wait_for()
    assert "steps:parity;every=1" in changes.inner_text()
    best = page.locator("#changes .card .card").first
    assert best.locator("tr", has_text="nope").locator(".badge").inner_text() == "no"
    assert "lengthwise improve parity" in page.locator("#changes .command").first.inner_text()


def test_a_program_is_chosen_traced_and_tried_on_a_random_word(seen):
    page = seen.page
    go(page, "Program")
    page.locator("#program option[value=majority]").wait_for(state="attached")
    page.get_by_label("From the library").select_option("majority")
    page.locator("#program .grid").wait_for()
    page.locator("#program [name=word]").fill("a a b")
    page.keyboard.press("Enter")
    page.get_by_text("3 of 3 letters read").wait_for()
    cells = page.get_by_role("region", name="Program and layers at every token")
    assert "●" in cells.inner_text()
    assert "residual stream" in cells.inner_text()
    page.get_by_label("Compile to length").fill("150")
    page.get_by_role("button", name="Random word of that length").click()
    page.get_by_text("They agree at all 150 positions.").wait_for()
    assert len(page.locator("#program [name=word]").input_value().split()) == 150


def test_a_mistake_is_pointed_at(seen):
    page = seen.page
    go(page, "Program")
    text = page.locator("#program [name=text]")
    text.fill('C = #"a"\naccept = C >> 1')
    text.press("Control+Enter")
    page.locator("#program .status.bad").wait_for()
    assert "program:2:13" in page.locator("#program .status").inner_text()
    page.get_by_role("button", name="Go to line 2, column 13").click()
    start, value = page.evaluate(
        "() => { const t = document.activeElement; return [t.selectionStart, t.value]; }"
    )
    assert value[start - 1 : start + 1] == ">>"


def test_runs_are_browsed_and_compared(seen, small_store):
    page = seen.page
    go(page, "Runs")
    listed = page.locator("#runs .list .scroll")
    listed.wait_for()
    assert listed.locator("tbody tr").count() == 5
    page.locator("#runs [name=state]").select_option("done")
    page.get_by_role("button", name="List", exact=True).click()
    listed.locator("tbody tr").nth(3).wait_for(state="detached")
    for box in listed.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Compare chosen").click()
    page.locator("#runs .vega svg .mark-line path").nth(1).wait_for(state="attached")
    assert page.locator("#runs .legend li").count() == 2
    page.get_by_label("Pool seeds").uncheck()
    page.locator("#runs .legend li").nth(2).wait_for()
    page.reload()
    page.locator("#runs .legend li").nth(2).wait_for()
    page.locator("#runs .vega svg").wait_for()
    assert not page.get_by_label("Pool seeds").is_checked()
    listed.get_by_role("button").first.click()
    one = page.locator("#runs .one")
    one.get_by_text("Specification").click()
    shown = json.loads(one.locator("pre.code").inner_text())
    assert (small_store.root / listed.get_by_role("button").first.inner_text()).is_dir()
    assert shown["task"]["name"] == "parity"
    assert "lengthwise train parity" in one.inner_text()


def test_a_sweep_is_watched_as_it_goes(seen, small_store):
    page = seen.page
    go(page, "Live")
    status = page.locator("#live .status")
    page.get_by_text("3 of 5 done, 0 running, 1 waiting, 1 failed").wait_for()
    assert page.locator("#live progress").first.get_attribute("value") == "3"
    waiting = next(f for f in small_store.folders() if small_store.record(f).state == "unfinished")
    reason = waiting / "failure.json"
    try:
        reason.write_text('{"reason": "it broke"}')
        page.get_by_text("3 of 5 done, 0 running, 0 waiting, 2 failed").wait_for()
        page.get_by_text("it broke").wait_for()
        assert "over" in status.inner_text()
    finally:
        reason.unlink()


def test_markup_and_scripts_are_shown_as_text(seen):
    page = seen.page
    page.get_by_label("Regular expression").fill("(<script>alert(1)</script>)*")
    page.keyboard.press("Enter")
    page.locator("#language .commands").wait_for()
    assert "<script>" in page.locator("#language .commands").inner_text()
    page.get_by_label("Regular expression").fill(PAYLOAD)
    page.keyboard.press("Enter")
    page.locator("#language .status.bad").wait_for()
    assert "<img" in page.locator("#language .status").inner_text()
    go(page, "Program")
    program = f'alphabet "<b>" "{PAYLOAD.replace(" ", "")}"\naccept = #"<b>" > 0'
    page.locator("#program [name=text]").fill(program)
    page.locator("#program [name=word]").fill("<b> <b>")
    page.get_by_role("button", name="Step through the word").click()
    page.locator("#program .commands").wait_for()
    page.get_by_label("Parameters").fill(PAYLOAD)
    page.get_by_role("button", name="Step through the word").click()
    page.locator("#program .status.bad").wait_for()
    go(page, "Live")
    page.locator("#live").get_by_text("onerror=alert(1)").wait_for()
    assert page.locator("img").count() == 0
    sources = [node.get_attribute("src") for node in page.locator("script").all()]
    assert set(sources) <= {"static/app.js", "static/vendor/viz.js", "static/vega.js"}


def test_everything_can_be_done_from_the_keyboard(seen):
    page = seen.page
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to the view"
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("() => document.activeElement.name || document.activeElement.textContent")
        )
    assert reached[:10] == [*VIEWS, "regex", "alphabet", "accept", "word", "Predict"]
    outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.locator("nav a", has_text="Program").focus()
    page.keyboard.press("Enter")
    page.locator("#program option[value=dyck-1]").wait_for(state="attached")
    page.locator("#program .grid").wait_for()
    page.locator("#program").get_by_label("letters read").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.locator("#program .outcome", has_text="1 of 4 letters read").wait_for()
    assert page.locator("#program .grid thead th.now").inner_text() == "("
    assert "at=1" in page.url
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, [tabindex='0']")]
        .filter((e) => !(e.labels?.length || e.textContent.trim() || e.getAttribute("aria-label")))
        .map((e) => e.outerHTML)"""
    )
    assert unnamed == []


def test_a_computation_can_be_cancelled(seen, playground):
    page = seen.page
    page.get_by_label("Regular expression").fill("(a|b)*a(a|b){8}")
    page.get_by_role("button", name="Predict").click()
    page.locator("#language").get_by_role("button", name="Cancel").click()
    page.get_by_text("cancelled").wait_for()
    assert page.locator("#language .cancel").is_hidden()
    page.get_by_label("Regular expression").fill("(ab)*")
    page.keyboard.press("Enter")
    page.locator("#language .commands").wait_for()
    for _ in range(int(PATIENCE / 100)):
        if playground.workers.busy == 0:
            break
        page.wait_for_timeout(100)
    assert playground.workers.busy == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_fits_400_pixels(seen, scheme):
    page = seen.page
    page.set_viewport_size({"width": 400, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.get_by_label("Regular expression").fill("(a|b)*abb(a|b)*|" + "a" * 100)
    page.keyboard.press("Enter")
    page.locator("#language .commands").wait_for()
    width_fits(page)
    go(page, "Program")
    page.locator("#program .grid").wait_for()
    width_fits(page)
    go(page, "Runs")
    page.locator("#runs .commands").wait_for()
    width_fits(page)
    go(page, "Live")
    page.locator("#live .commands").wait_for()
    width_fits(page)
    back = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    bright = sum(int(part) for part in back.removeprefix("rgb(").rstrip(")").split(",")) > 384
    assert bright == (scheme == "light")


def test_copying_puts_the_command_on_the_clipboard(seen, playground):
    page = seen.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Predict").click()
    page.get_by_role("button", name="Copy: The decision and its certificate in words").click()
    page.get_by_text("copied").wait_for()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied == "lengthwise decide '(ab)*' --accept last --explain"
