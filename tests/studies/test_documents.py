"""The pages of the studies show exactly what the stored evidence says.

``python -m tests.studies.test_documents`` writes the sections anew.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from lengthwise.studies.catalogue import kept, kept_names
from lengthwise.studies.huang2024.problems import ALGORITHMIC
from lengthwise.studies.markdown import results
from lengthwise.studies.reproduce import Reproduction

DOCS = Path(__file__).parents[2] / "docs"
PAGES = DOCS / "papers"
OVERVIEW = re.compile(r"(<!-- overview -->\n).*?(<!-- end of overview -->)", re.DOTALL)
SECTION = re.compile(r"(<!-- results: (\w+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


def written(text: str) -> str:
    """Return a page with its results written anew."""

    def fill(match: re.Match[str]) -> str:
        if match[2] not in kept_names():
            return match[0]
        found = results(Reproduction.read(kept(match[2])))
        return f"{match[1]}\n{found}\n{match[3]}"

    return SECTION.sub(fill, text)


def overview() -> str:
    """Return one line for every study that comes with the library."""
    lines = [
        "| study | runs | minutes on two cores | held | not held | not tested |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in kept_names():
        found = Reproduction.read(kept(name)).to_json()
        many = Counter(claim["status"] for claim in found["claims"])
        counts = (many[status] for status in ("held", "not held", "not tested"))
        cells = (len(found["runs"]), round(found["seconds"] / 60), *counts)
        lines.append(f"| [{name}](papers/{name}.md) | " + " | ".join(map(str, cells)) + " |")
    return "\n".join([*lines, "", small_claims()])


def small_claims() -> str:
    """Count the claims that small models can be expected to show."""
    kazemnejad, huang = (
        Reproduction.read(kept(name)).to_json()["claims"]
        for name in ("kazemnejad2023", "huang2024")
    )
    kinds = ("ape", "nope", "regularised")
    cells = {f"{problem}-{kind}" for problem in ALGORITHMIC for kind in kinds}
    sets = (
        [claim["status"] for claim in kazemnejad if claim["small"]],
        [claim["status"] for claim in huang if claim["id"] in cells],
    )
    (held, tested), (more, others) = (
        (found.count("held"), len(found) - found.count("not tested")) for found in sets
    )
    return (
        f"Of the claims that small models can be expected to show in Kazemnejad et al. {held} of "
        f"{tested} tested held,\nof the cells of Huang et al.'s eight algorithmic tasks (learned "
        f"positions, none, learned with the regulariser)\n{more} of {others}: together "
        f"{held + more} of {tested + others}, {(held + more) / (tested + others):.0%}."
    )


def with_overview(text: str) -> str:
    """Return the page of all studies with its table written anew."""
    return OVERVIEW.sub(lambda match: f"{match[1]}\n{overview()}\n\n{match[2]}", text)


def test_the_overview_counts_the_stored_claims():
    text = (DOCS / "studies.md").read_text(encoding="utf-8")
    assert OVERVIEW.search(text)
    assert with_overview(text) == text, "run `python -m tests.studies.test_documents`"


@pytest.mark.parametrize("name", kept_names())
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
