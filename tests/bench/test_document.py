"""The pages about speed and about answers show exactly what the record says.

``python -m tests.bench.test_document`` writes their tables anew.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from lengthwise.bench.bench_record import BenchRecord, Group
from lengthwise.bench.fit_group import PUBLISHED, TODAY, kept_cells, read_cells, recipe_name
from lengthwise.bench.fit_problems import study_problems
from lengthwise.bench.fit_table import fit_table
from lengthwise.bench.judging import GROUP
from lengthwise.bench.measure import Judged, Measured, cells

DOCS = Path(__file__).parents[2] / "docs"
TABLES = re.compile(r"(<!-- measured -->\n).*?(<!-- end of measured -->)", re.DOTALL)
FITS = re.compile(r"(<!-- fitted -->\n).*?(<!-- end of fitted -->)", re.DOTALL)


def speed() -> list[str]:
    """Return the parts of the page about speed."""
    groups = {n: g for n, g in BenchRecord.stored().groups.items() if n != GROUP}
    parts = [summary([row for group in groups.values() for row in group.rows])]
    for name, group in groups.items():
        parts += [f"### {name}", table(group.rows), said(group)]
    return parts


def answers() -> list[str]:
    """Return the parts of the page about answers: how many, each, and why it is true."""
    group = BenchRecord.stored().groups[GROUP]
    rows = [row for row in group.rows if isinstance(row, Judged)]
    counted = Counter(row.outcome for row in rows)
    text = (
        f"Of {len(rows)} cases {counted['right']} are right, {counted['wrong']} wrong and "
        f"{counted['undecided']} undecided; the slowest took {max(r.seconds for r in rows):.1f} s."
    )
    reasons = [{"row": row.name, "why it is so": row.reason} for row in rows]
    return [
        text,
        table(rows),
        said(group),
        "## Why the truth is what it is",
        markdown(reasons),
    ]


def said(group: Group) -> str:
    return f"Measured with `{group.command}`."


PAGES = {"speed.md": speed, "answers.md": answers}


def written(name: str) -> str:
    """Return a page with its tables written anew."""
    tables = "\n\n".join(PAGES[name]())
    text = (DOCS / name).read_text()
    text = FITS.sub(lambda match: f"{match[1]}\n{fits()}\n\n{match[2]}", text)
    return TABLES.sub(lambda match: f"{match[1]}\n{tables}\n\n{match[2]}", text)


def fits() -> str:
    """Return the kept cells of the group fitting, and how many problems they cover."""
    known = [
        cell
        for cell in read_cells(kept_cells())
        if cell.recipe in (recipe_name(), TODAY, PUBLISHED)
    ]
    lines = fit_table(known, recipe_name())
    covered = {(line["problem"], line["encoding"]) for line in lines}
    seeds = max(Counter((c.task, c.encoding, c.recipe) for c in known).values(), default=0)
    text = (
        f"Measured so far: {len(covered)} of {len(study_problems())} problems, with up to "
        f"{seeds} of 5 seeds."
    )
    return f"{text}\n\n{markdown(lines)}" if lines else text


def table(rows: list[Measured]) -> str:
    """Return rows as Markdown."""
    return markdown([cells(row) for row in rows])


def markdown(lines: list[dict[str, str]]) -> str:
    """Return lines of equal keys as a table."""
    head = [" | ".join(lines[0]), " | ".join("---" for _ in lines[0])]
    return "\n".join(f"| {line} |" for line in [*head, *(" | ".join(c.values()) for c in lines)])


def summary(rows: list[Measured]) -> str:
    """Say which stated figures were reached."""
    stated = [row for row in rows if row.reached is not None]
    missed = [f"{row.group}: {row.name}" for row in stated if not row.reached]
    text = f"Of {len(stated)} rows with a stated figure {len(stated) - len(missed)} reach it"
    return text + (f"; not reached: {'; '.join(missed)}." if missed else ".")


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_was_measured(name):
    assert TABLES.search((DOCS / name).read_text())
    assert written(name) == (DOCS / name).read_text()


def test_no_kept_answer_is_wrong_and_enough_are_given():
    found = [r for r in BenchRecord.stored().groups[GROUP].rows if isinstance(r, Judged)]
    outcomes = Counter(row.outcome for row in found)
    assert len(found) >= 60
    assert outcomes["wrong"] == 0
    assert outcomes["undecided"] <= 0.15 * len(found)


if __name__ == "__main__":
    for page in PAGES:
        (DOCS / page).write_text(written(page))
