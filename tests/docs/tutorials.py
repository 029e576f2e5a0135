"""Tutorials are scripts in percent format; ``python -m tests.docs.tutorials`` makes pages of them.

Those in ``tutorials/notebooks`` are executed cell by cell: out come a notebook and a page with the
results in them. The others are long and take options; their pages show prose and code. Tests run
everything and say when a page is due.
"""

import ast
import io
import json
import os
import re
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lengthwise.report.html import _asset as asset
from tests.docs.blocks import ROOT

SCRIPTS = sorted((ROOT / "tutorials").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "tutorials" / "notebooks").glob("*.py"))
PAGES = ROOT / "docs" / "tutorials"
STYLE = ROOT / "docs" / "assets" / "results.css"
NOT_RUN = "<!-- not run: a test runs the whole script -->"


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
    run = f"{NOT_RUN}\n```console\n$ .venv/bin/python tutorials/{name} --size smoke\n```"
    parts = []
    for kind, text in cells(source):
        parts.append(prose(text) if kind == "markdown" else f"{NOT_RUN}\n```python\n{text}\n```")
    parts.insert(1, f"The script is `tutorials/{name}`:\n\n{run}")
    return "\n\n".join(parts) + "\n"


@contextmanager
def working_in(folder: Path) -> Any:
    """Work in a folder, and keep runs there."""
    before, store = Path.cwd(), os.environ.pop("LENGTHWISE_STORE", None)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        if store is not None:
            os.environ["LENGTHWISE_STORE"] = store


def execute(source: str) -> dict[str, Any]:
    """Run a script's cells one after the other; return the notebook with what they showed."""
    made, names = [], {"__name__": "__main__"}
    with TemporaryDirectory() as folder, working_in(Path(folder)):
        for number, (kind, text) in enumerate(cells(source)):
            cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
            if kind == "markdown":
                made.append({**cell, "source": lines(prose(text))})
            else:
                outputs = shown(text, names)
                count = sum(one["cell_type"] == "code" for one in made) + 1
                for one in outputs:
                    if one["output_type"] == "execute_result":
                        one["execution_count"] = count
                filled = {"execution_count": count, "outputs": outputs, "source": lines(text)}
                made.append({**cell, **filled})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def lines(text: str) -> list[str]:
    """Return text as notebooks keep it."""
    return text.splitlines(keepends=True)


def shown(text: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run one cell; return what it printed and its last expression as a notebook shows it."""
    *body, last = ast.parse(text).body
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        else:
            exec(compile(ast.Module([*body, last], []), "cell", "exec"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue()
        found.append({"output_type": "stream", "name": "stdout", "text": lines(text)})
    if value is not None:
        data = {
            kind: lines(made)
            for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_"))
            if (made := getattr(value, method, lambda: None)())
        }
        data["text/plain"] = [repr(value)] if not data else [type(value).__name__]
        found.append({"output_type": "execute_result", "metadata": {}, "data": data})
    return found


def page_of(name: str, notebook: dict[str, Any]) -> str:
    """Return the page of an executed notebook: its prose, code and results."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"{NOT_RUN}\n```python\n{source}\n```")
        parts += [_output(one) for one in cell["outputs"]]
    parts.insert(1, f"[Download the notebook]({name}.ipynb)")
    return "\n\n".join(parts) + "\n"


def _output(one: dict[str, Any]) -> str:
    if one["output_type"] == "stream":
        return f"```text\n{''.join(one['text']).rstrip()}\n```"
    data = one["data"]
    html = "".join(data.get("text/html", ()))
    if html:  # the style is the site's; Markdown ends a block at an empty line
        bare = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
        return re.sub(r"\n\s*\n+", "\n", bare).strip()
    if "image/svg+xml" in data:
        svg = "".join(data["image/svg+xml"])
        return f'<div class="lengthwise">\n{svg[svg.index("<svg") :].strip()}\n</div>'
    return f"```text\n{''.join(data['text/plain'])}\n```"


def style() -> str:
    """Return the style of results in pages: that of notebooks, dark where the site is."""
    parts = asset("parts.css")
    dark = re.search(r"\[data-jp-theme.*?\{(.*?)\}", asset("fragment.css"), re.DOTALL)
    assert dark is not None
    slate = f'[data-md-color-scheme="slate"] .lengthwise {{{dark[1]}}}'
    return f"{asset('fragment.css')}\n{slate}\n.lengthwise {{\n{parts}\n}}\n"


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    STYLE.write_text(style())
    for script in SCRIPTS:
        (PAGES / f"{script.stem}.md").write_text(render(script.name, script.read_text()))
    for script in NOTEBOOKS:
        made = execute(script.read_text())
        (PAGES / f"{script.stem}.ipynb").write_text(json.dumps(made, indent=1) + "\n")
        (PAGES / f"{script.stem}.md").write_text(page_of(script.stem, made))
