"""The pages of the studies show exactly what the stored evidence says.

``python -m tests.studies.test_documents`` writes the sections anew.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lengthwise.records.outcomes import STATUSES
from lengthwise.studies.catalogue import STUDIES, kept_names
from lengthwise.studies.frozen_file import editions
from lengthwise.studies.markdown import results, table
from lengthwise.studies.reproduce import kept_results

DOCS = Path(__file__).parents[2] / "docs"
PAGES = DOCS / "papers"
OVERVIEW = re.compile(r"(<!-- overview -->\n).*?(<!-- end of overview -->)", re.DOTALL)
SECTION = re.compile(r"(<!-- results: ([\w-]+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


def newest(name: str) -> dict[str, Any] | None:
    """Return the newest results of a study that come with the library."""
    for edition in (None, *reversed(editions(name)[:-1])):
        if name in kept_names(edition=edition):
            return kept_results(name, edition=edition)
    return None


def written(text: str) -> str:
    """Return a page with its results written anew."""

    def fill(match: re.Match[str]) -> str:
        found = newest(match[2])
        return match[0] if found is None else f"{match[1]}\n{results(found)}\n{match[3]}"

    return SECTION.sub(fill, text)


def overview() -> str:
    """Return one line for every study with results that come with the library."""
    columns = ["study", "edition", "runs", "minutes on two cores", "held", *STATUSES[2:]]
    rows: list[list[object]] = []
    for name in STUDIES:
        found = newest(name)
        if found is None:
            continue
        many = Counter(claim["status"] for claim in found["claims"])
        held = f"{many['held']} of {many['held'] + many['not held']}"
        older = "" if found["edition"] == editions(name)[-1] else ", old rules"
        about = [f"{found['edition']}{older}", len(found["runs"]), round(found["seconds"] / 60)]
        others = [many[status] for status in STATUSES[2:]]
        rows.append([f"[{name}](papers/{name}.md)", *about, held, *others])
    return table(columns, rows).rstrip()


def with_overview(text: str) -> str:
    """Return the page of all studies with its table written anew."""
    return OVERVIEW.sub(lambda match: f"{match[1]}\n{overview()}\n\n{match[2]}", text)


def test_the_overview_counts_the_stored_claims():
    text = (DOCS / "studies.md").read_text(encoding="utf-8")
    assert OVERVIEW.search(text)
    assert with_overview(text) == text, "run `python -m tests.studies.test_documents`"


@pytest.mark.parametrize("name", [name for name in STUDIES if newest(name)])
def test_the_page_shows_the_stored_results(name):
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert SECTION.search(text), "a page needs a section of results"
    assert written(text) == text, "run `python -m tests.studies.test_documents`"


if __name__ == "__main__":
    for page in sorted(PAGES.glob("*.md")):
        old = page.read_text(encoding="utf-8")
        page.write_text(written(old), encoding="utf-8")
    overall = DOCS / "studies.md"
    overall.write_text(with_overview(overall.read_text(encoding="utf-8")), encoding="utf-8")
