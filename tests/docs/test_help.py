"""Help is documentation: sentences, defaults, examples that parse, a page that is up to date."""

import io
import re
import shlex

import pytest
from rich.console import Console

from lengthwise.cli.main import COMMANDS, prepare
from tests.docs.blocks import ROOT
from tests.docs.commands import FOLDER, arguments, command, examples, pages, sentence


@pytest.fixture(scope="module")
def help_texts():
    """The help of every command, as a wide terminal shows it."""
    texts = {}
    for words in COMMANDS:
        screen = Console(file=io.StringIO(), width=1000, color_system=None)
        app, read = prepare(words.split())
        app.help_print(read, console=screen)
        texts[words] = screen.file.getvalue()
    return texts


@pytest.mark.parametrize("words", COMMANDS)
def test_every_option_has_a_sentence_and_its_default_is_shown(words, help_texts):
    shown = help_texts[words]
    for argument in arguments(words):
        told, _ = sentence(argument)
        assert len(told) > 5, f"{argument.names} has no sentence"
        assert told.endswith((".", ").")), f"{argument.names}: {told!r} is not a sentence"
        info = argument.field_info
        if info.required:
            assert "[required]" in _line(shown, argument.names)
        elif info.default not in (info.empty, None, (), "", False):
            assert "[default: " in _line(shown, argument.names), argument.names


def _line(shown, names):
    found = [line for line in shown.splitlines() if re.search(rf"{re.escape(names[0])}\b", line)]
    return "\n".join(found)


@pytest.mark.parametrize("words", COMMANDS)
def test_every_example_is_shown_as_written_and_parses(words, help_texts):
    lines = examples(words)
    assert lines, "no `Example: lengthwise ...` in the docstring"
    for line in lines:
        assert line in re.sub(r"\s+", " ", help_texts[words]), "the help shows another line"
        typed = shlex.split(line)
        assert typed[0] == "lengthwise"
        app, read = prepare(typed[1:])
        function, bound, _ = app.parse_args(read, exit_on_error=False, print_error=False)
        assert bound.arguments is not None
        assert function.__doc__ == command(words).help


def test_the_pages_of_commands_are_up_to_date():
    """When this fails: ``python -m tests.docs.commands`` writes the pages."""
    assert {path.name: path.read_text() for path in FOLDER.iterdir()} == pages()


def test_every_page_of_commands_is_in_the_navigation():
    listed = (ROOT / "mkdocs.yml").read_text()
    for name in pages():
        assert f"reference/commands/{name}" in listed
