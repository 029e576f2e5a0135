"""The documentation builds offline and strictly: no broken link, no request to the network."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from lengthwise.core.files import write_bytes
from tests.browser import browser_page as browser_page
from tests.docs.blocks import ROOT
from tests.docs.tutorials import STYLE, style


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; warnings, such as a link to nowhere, fail the build."""
    pytest.importorskip("mkdocs", reason="needs pip install 'lengthwise[docs]'")
    folder = tmp_path_factory.mktemp("site")
    write_bytes(STYLE, style().encode())
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )
    assert built.returncode == 0, built.stderr[-4000:]
    return folder


class Requests(HTMLParser):
    """Collects what a browser would fetch when it opens a page."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag in ("script", "img", "iframe", "source", "video", "audio"):
            self.found.append(values.get("src"))
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev"):
            self.found.append(values.get("href"))


def test_every_page_is_built_and_asks_the_network_for_nothing(site):
    pages = list(site.rglob("*.html"))
    sources = list((ROOT / "docs").rglob("*.md"))
    assert len(pages) >= len(sources)
    for page in pages:
        reader = Requests()
        reader.feed(page.read_text())
        outside = [url for url in reader.found if url and re.match(r"(https?:)?//", url)]
        assert outside == [], f"{page.name} asks for {outside}"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", sheet.read_text()), sheet.name


def test_the_reference_has_every_public_name(site):
    import lengthwise

    text = (site / "reference" / "python.html").read_text()
    for name in [*lengthwise._EXPORTS, "InputError"]:
        assert re.search(rf'id="lengthwise\.[\w.]*\.{name}"', text), name


def test_public_names_have_examples_that_the_reference_shows(site):
    text = (site / "reference" / "python.html").read_text()
    assert text.count("&gt;&gt;&gt;") > 3
    assert "load_task" in text


def test_guides_begin_with_what_the_reader_can_do_afterwards():
    guides = re.search(r"  - Guides:\n((?:      - .*\n)+)", (ROOT / "mkdocs.yml").read_text())
    assert guides
    pages = re.findall(r"([\w/-]+\.md)", guides[1])
    assert len(pages) > 10
    for page in pages:
        first = (ROOT / "docs" / page).read_text().split("\n\n")[1]
        assert first.startswith("After this page"), page


def test_search_works_from_disk(site, browser_page):
    page = browser_page.open(site / "index.html")
    page.fill("input[name=query]", "certificate")
    page.wait_for_selector(".md-search-result__item a")
    assert "certificate" in page.inner_text(".md-search-result__list").lower()
    browser_page.clean()


def test_a_broken_link_fails_the_build(tmp_path):
    pytest.importorskip("mkdocs", reason="needs pip install 'lengthwise[docs]'")
    validation = re.search(r"^validation:\n(?:  .*\n)+", (ROOT / "mkdocs.yml").read_text(), re.M)
    assert validation
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# A\n\n[there](#a) [nowhere](#b)\n")
    (tmp_path / "mkdocs.yml").write_text(f"site_name: x\n{validation[0]}")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode != 0
    assert "'#b'" in built.stderr
    assert "'#a'" not in built.stderr
