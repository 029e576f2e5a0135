"""The page about speed shows exactly what the record says.

``python -m tests.bench.test_document`` writes its tables anew.
"""

import re
from pathlib import Path

from lengthwise.bench.bench_record import BenchRecord, Group
from lengthwise.bench.measure import cells

PAGE = Path(__file__).parents[2] / "docs" / "speed.md"
TABLES = re.compile(r"(<!-- measured -->\n).*?(<!-- end of measured -->)", re.DOTALL)


def written(text: str) -> str:
    """Return the page with its tables written anew."""
    parts = [summary()]
    for name, group in BenchRecord.stored().groups.items():
        parts += [f"### {name}", table(group), f"Measured with `{group.command}`."]
    tables = "\n\n".join(parts)
    return TABLES.sub(lambda match: f"{match[1]}\n{tables}\n\n{match[2]}", text)


def table(group: Group) -> str:
    """Return a group's rows as Markdown."""
    lines = [cells(row) for row in group.rows]
    head = [" | ".join(lines[0]), " | ".join("---" for _ in lines[0])]
    return "\n".join(f"| {line} |" for line in [*head, *(" | ".join(c.values()) for c in lines)])


def summary() -> str:
    """Say which stated figures were reached."""
    stated = [row for row in BenchRecord.stored().rows() if row.reached is not None]
    missed = [f"{row.group}: {row.name}" for row in stated if not row.reached]
    text = f"Of {len(stated)} rows with a stated figure {len(stated) - len(missed)} reach it"
    return text + (f"; not reached: {'; '.join(missed)}." if missed else ".")


def test_the_page_is_what_was_measured():
    text = PAGE.read_text()
    assert TABLES.search(text)
    assert written(text) == text


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
