"""The playground without a server: from a disk, in a real browser, every certificate checked."""

import json
import re

import pytest

from lengthwise.cli.main import main
from lengthwise.core.errors import InputError
from lengthwise.playground import site
from lengthwise.playground.site import joined, write_site
from tests.browser import browser_page  # noqa: F401

PATIENCE = 120_000
FEW = {"(ab)*": "a and b in turn", "(aa)*": "words of even length over one letter"}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "public"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "LANGUAGES", FEW)
        patch.setattr(site, "PROGRAMS", ("dyck-1", "generate-sort"))
        patch.setattr(site, "WORDS", 2)
        files = write_site(folder, ["a*b*"], studies=False, seconds=120.0)
    assert {name: (folder / name).stat().st_size for name in files} == files
    return folder


def fits(page):
    wanted, got = page.evaluate(
        "() => [document.documentElement.clientWidth, document.documentElement.scrollWidth]"
    )
    assert got <= wanted


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1280, "light")])
def test_the_gallery_leads_to_languages_words_and_certificates(
    browser_page,  # noqa: F811
    written,
    width,
    scheme,
):
    page = browser_page.page
    page.set_default_timeout(PATIENCE)
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    browser_page.open(written / "index.html")
    tiles = page.locator("#gallery a.tile")
    assert tiles.count() == len(FEW) + 1
    assert tiles.first.locator(".badge").all_inner_texts() == ["yes", "yes"]
    fits(page)
    tiles.nth(1).click()
    page.locator("#language .grid tbody").first.wait_for()
    assert page.locator("#language .checked").count() == 2
    assert page.locator("#language .warning", has_text="refused").count() == 0
    fits(page)
    # any word runs on the automaton; layers are there for the kept ones
    page.get_by_label("Test word").fill("aaaaaaaaa")
    page.get_by_text("9 of 9 letters read: state 1. The word is rejected.").wait_for()
    page.get_by_text("kept for some words only").wait_for()
    page.locator("#language .examples button.code").last.click()
    page.locator("#language .grid tbody").first.wait_for()
    page.get_by_role("button", name="Open in the program view").click()
    page.locator("#program .grid tbody").first.wait_for()
    fits(page)
    page.get_by_label("From the library").select_option("generate-sort")
    page.locator("#program .notice", has_text="<sep> is the separator").wait_for()
    page.locator("#program .grid tbody").first.wait_for()
    browser_page.clean()


def test_what_was_not_kept_is_refused_in_one_sentence(browser_page, written):  # noqa: F811
    page = browser_page.page
    page.set_default_timeout(PATIENCE)
    browser_page.open(written / "index.html")
    page.get_by_role("navigation").get_by_text("Language", exact=True).click()
    page.locator("#language .commands").wait_for()
    page.get_by_label("Regular expression").fill("(abba)*")
    page.keyboard.press("Enter")
    page.locator("#language .status.bad", has_text="no Python here").wait_for()
    page.reload()
    page.locator("#language .status.bad", has_text="no Python here").wait_for()
    assert page.get_by_label("Regular expression").input_value() == "(abba)*"
    browser_page.clean()


def test_what_is_kept_holds_no_path_of_this_machine(written):
    for path in written.glob("kept/*.js"):
        text = path.read_text()
        assert str(written.parent) not in text
        assert "Traceback" not in text
        assert '"ok": false' not in text.replace('":', '": '), path
    index = (written / "kept/index.js").read_text()
    known = json.loads(index.removeprefix("window.lengthwiseKept = ").rstrip().rstrip(";"))
    assert set(known["files"].values()) == {p.stem for p in written.glob("kept/[0-9]*.js")}


def test_the_joined_script_has_no_modules_left():
    text = joined()
    assert not re.search(r"^\s*(import|export) ", text, re.MULTILINE)
    assert text.count("modules.check_certificate = ") == 1


def test_a_folder_with_other_things_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="holds something else"):
        write_site(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(["export", "playground", str(tmp_path / "thesis.tex")])
    assert stopped.value.code == 2
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_the_licences_name_what_the_bundle_holds(written):
    vendor = written / "static" / "vendor"
    bundle = (vendor / "viz.js").read_text(encoding="utf-8")
    licence = (vendor / "LICENSE.txt").read_text(encoding="utf-8")
    viz = re.search(r"Viz\.js ([\d.]+)", bundle)
    graphviz = re.search(r'graphvizVersion="([\d.]+)"', bundle)
    assert viz is not None
    assert graphviz is not None
    assert f"Viz.js {viz[1]} " in licence
    assert f"Graphviz   https://graphviz.org, {graphviz[1]} " in licence
    assert "Eclipse Public License - v 2.0" in licence  # Graphviz from 14.1.4 on
