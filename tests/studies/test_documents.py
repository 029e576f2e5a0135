"""The pages of the studies show exactly what the stored evidence says.

``python -m tests.studies.test_documents`` writes the sections anew.
"""

import re
from pathlib import Path

import pytest

from lengthwise.studies.catalogue import kept, kept_names
from lengthwise.studies.markdown import results
from lengthwise.studies.reproduce import Reproduction

PAGES = Path(__file__).parents[2] / "docs" / "papers"
SECTION = re.compile(r"(<!-- results: (\w+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


def written(text: str) -> str:
    """Return a page with its results written anew."""

    def fill(match: re.Match[str]) -> str:
        if match[2] not in kept_names():
            return match[0]
        found = results(Reproduction.read(kept(match[2])))
        return f"{match[1]}\n{found}\n{match[3]}"

    return SECTION.sub(fill, text)


@pytest.mark.parametrize("name", kept_names())
def test_the_page_shows_the_stored_results(name):
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert SECTION.search(text), "a page needs a section of results"
    assert written(text) == text, "run `python -m tests.studies.test_documents`"


if __name__ == "__main__":
    for page in sorted(PAGES.glob("*.md")):
        old = page.read_text(encoding="utf-8")
        page.write_text(written(old), encoding="utf-8")
