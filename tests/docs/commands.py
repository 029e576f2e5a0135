"""The commands as the help knows them: sentences, defaults, examples, and a page of them all.

``python -m tests.docs.commands`` writes ``docs/reference/cli.md``; a test says when it is due.
"""

import inspect
import re
from functools import cache
from typing import Any

from cyclopts import App

from lengthwise.cli.main import COMMANDS, FAMILIES, build_app
from tests.docs.blocks import ROOT

PAGE = ROOT / "docs" / "reference" / "cli.md"
HEADINGS = ("Theory", "Experiments", "Results", "Tools")

INTRODUCTION = """# Commands

This page is made from the commands themselves; `lengthwise COMMAND --help` says the same. Every
listing has `--json` for programs. A mistake ends with one line, `error: ...`, and exit code 2; an
interrupted command ends with 130. `lengthwise dev completion SHELL` prints a script with which the
shell completes commands, options and choices:

<!-- not run: it writes into the home folder -->
```console
$ lengthwise dev completion bash > ~/.local/share/bash-completion/completions/lengthwise
$ lengthwise dev completion zsh > ~/.zfunc/_lengthwise          # a folder of your fpath
$ lengthwise dev completion fish > ~/.config/fish/completions/lengthwise.fish
```
"""


@cache
def command(words: str) -> App:
    """Return the application of a command given by its words."""
    app = build_app()
    for word in words.split():
        app = app[word]
    return app


def arguments(words: str) -> list[Any]:
    """Return the arguments and options of a command, with their sentences."""
    return list(command(words).assemble_argument_collection(parse_docstring=True))


def examples(words: str) -> list[str]:
    """Return the command lines behind ``Example:`` in a command's docstring."""
    text = re.sub(r"\s+", " ", inspect.cleandoc(command(words).help or "").replace("\n\n", "\0"))
    found = re.findall(r"Example: `?(lengthwise [^\0]*?)`? ?(?:\0|$)", text)
    return [line.strip() for line in found]


def page() -> str:
    """Return the page of all commands."""
    parts = [INTRODUCTION]
    for heading in HEADINGS:
        parts.append(f"## {heading}\n")
        family = ""
        for words, (_, group) in COMMANDS.items():
            if group != heading:
                continue
            first = words.partition(" ")[0]
            if " " in words and first != family:
                parts.append(f"{FAMILIES[first]}\n")
            family = first
            parts.append(_section(words))
    return "\n".join(parts)


def _section(words: str) -> str:
    text = inspect.cleandoc(command(words).help or "").partition("\nParameters\n")[0]
    prose = [
        " ".join(paragraph.split())
        for paragraph in text.split("\n\n")
        if not paragraph.lstrip().startswith("Example:")
    ]
    shown = "".join(f"$ {line}\n" for line in examples(words))
    return "\n".join(
        [
            f"### lengthwise {words}\n",
            "\n\n".join(prose).strip() + "\n",
            "<!-- not run: an example of the form; the guides show output -->",
            f"```console\n{shown}```\n",
            "| option | default | meaning |",
            "| --- | --- | --- |",
            *map(_row, arguments(words)),
            "",
        ]
    )


def _row(argument: Any) -> str:
    names = list(argument.names)
    if argument.index is not None:
        names = [names[0].lstrip("-").upper().replace("-", "_")]
    meaning = " ".join((argument.parameter.help or "").split())
    choices = argument.get_choices()
    if choices:
        meaning += f" One of {', '.join(choices)}."
    cells = [", ".join(f"`{name}`" for name in names), _default(argument), meaning]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(argument: Any) -> str:
    info = argument.field_info
    if info.required:
        return "required"
    if info.default in (info.empty, None, "", (), False):
        return ""
    value = info.default
    text = " ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    return f"`{text}`"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
