"""Tutorials are scripts in percent format; ``python -m tests.docs.tutorials`` makes pages of them.

A page shows the script's prose and code. A test says when a page is due, others run the scripts.
"""

import re

from tests.docs.blocks import ROOT

SCRIPTS = sorted((ROOT / "tutorials").glob("*.py"))
PAGES = ROOT / "docs" / "tutorials"


def cells(source: str) -> list[tuple[str, str]]:
    """Split a script at its ``# %%`` lines into (kind, text); text before the first is left out."""
    parts = re.split(r"^# %%(.*)\n", source, flags=re.MULTILINE)[1:]
    return [
        ("markdown" if "[markdown]" in kind else "code", text.strip("\n"))
        for kind, text in zip(parts[::2], parts[1::2], strict=True)
    ]


def prose(text: str) -> str:
    """Take the comment signs off a cell of prose."""
    return "\n".join(re.sub(r"^# ?", "", line) for line in text.splitlines())


def render(name: str, source: str) -> str:
    """Return the page of a script."""
    run = (
        "<!-- not run: a test runs the whole script -->\n```console\n"
        f"$ .venv/bin/python tutorials/{name} --size smoke\n```"
    )
    parts = []
    for kind, text in cells(source):
        if kind == "markdown":
            parts.append(prose(text))
        else:
            parts.append(f"<!-- not run: a test runs the whole script -->\n```python\n{text}\n```")
    parts.insert(1, f"The script is `tutorials/{name}`:\n\n{run}")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    for script in SCRIPTS:
        (PAGES / f"{script.stem}.md").write_text(render(script.name, script.read_text()))
