"""The commands as the help knows them: sentences, defaults, examples, and a page per family.

``python -m tests.docs.commands`` writes ``docs/reference/commands``; a test says when it is due.
"""

import inspect
import re
from functools import cache
from typing import Any

from cyclopts import App

from lengthwise.cli.main import COMMANDS, FAMILIES, HEADINGS, prepare
from tests.docs.blocks import ROOT

FOLDER = ROOT / "docs" / "reference" / "commands"

INTRODUCTION = """# Commands

These pages are made from the commands themselves; `lengthwise COMMAND --help` says the same. Every
result has `--json` for programs. A mistake ends with one line, `error: ...`, and exit code 2; an
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
    app, read = prepare(words.split())
    for word in read:
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


def page_of(words: str) -> str:
    """Return the file that a command stands in: its family's, or its heading's.

    Example:
        >>> page_of("lab lrc"), page_of("train")
        ('lab.md', 'measure.md')
    """
    family = words.partition(" ")[0] if " " in words else ""
    return f"{family or COMMANDS[words][1].lower().replace(' ', '-')}.md"


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    found = {"index.md": _index()}
    for heading in HEADINGS[:-1]:
        listed = [words for words, (_, group) in COMMANDS.items() if group == heading]
        found[page_of(listed[0])] = _page(f"Commands: {heading.lower()}", "", listed)
    for family, told in FAMILIES.items():
        listed = [words for words in COMMANDS if words.startswith(f"{family} ")]
        found[f"{family}.md"] = _page(f"lengthwise {family}", told, listed)
    return found


def _index() -> str:
    rows = [
        f"| [`{words}`]({page_of(words)}#{_anchor(words)}) | {_summary(words)} |"
        for words in COMMANDS
    ]
    table = "\n".join(["| command | what it does |", "| --- | --- |", *rows])
    return f"{INTRODUCTION}\n{table}\n"


def _page(title: str, told: str, listed: list[str]) -> str:
    return "\n".join([f"# {title}\n", *([f"{told}\n"] if told else []), *map(_section, listed)])


def _anchor(words: str) -> str:
    return f"lengthwise-{words}".replace(" ", "-")


def _summary(words: str) -> str:
    return " ".join(inspect.cleandoc(command(words).help or "").partition("\n\n")[0].split())


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
            f"## lengthwise {words}\n",
            "\n\n".join(prose).strip() + "\n",
            "<!-- not run: an example of the form; the guides show output -->",
            f"```console\n{shown}```\n",
            "| option | default | meaning |",
            "| --- | --- | --- |",
            *map(_row, arguments(words)),
            "",
        ]
    )


def sentence(argument: Any) -> tuple[str, str]:
    """Return what an option means, and its default where the sentence says it."""
    told, _, usual = " ".join((argument.parameter.help or "").split()).partition(" [default: ")
    return told, f"`{usual.removesuffix(']')}`" if usual else ""


def _row(argument: Any) -> str:
    names = list(argument.names)
    if argument.index is not None:
        names = [names[0].lstrip("-").upper().replace("-", "_")]
    meaning, usual = sentence(argument)
    choices = argument.get_choices()
    if choices:
        meaning += f" One of {', '.join(choices)}."
    cells = [", ".join(f"`{name}`" for name in names), usual or _default(argument), meaning]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(argument: Any) -> str:
    info = argument.field_info
    if info.required:
        return "required"
    if isinstance(argument.parameter.show_default, str):
        return f"`{argument.parameter.show_default}`"
    if info.default in (info.empty, None, "", (), False):
        return ""
    value = info.default
    text = " ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    return f"`{text}`"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
