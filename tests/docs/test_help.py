"""Help is documentation: sentences, defaults, examples that parse, a page that is up to date."""

import io
import re
import shlex

import pytest
from rich.console import Console

from lengthwise.cli.main import COMMANDS, _with_default, build_app
from tests.docs.commands import PAGE, arguments, command, examples, page


@pytest.fixture(scope="module")
def help_texts():
    """The help of every command, as a wide terminal shows it."""
    texts = {}
    for words in COMMANDS:
        screen = Console(file=io.StringIO(), width=1000, color_system=None)
        build_app().help_print(words.split(), console=screen)
        texts[words] = screen.file.getvalue()
    return texts


@pytest.mark.parametrize("words", COMMANDS)
def test_every_option_has_a_sentence_and_its_default_is_shown(words, help_texts):
    shown = help_texts[words]
    for argument in arguments(words):
        sentence = (argument.parameter.help or "").strip()
        assert len(sentence) > 5, f"{argument.names} has no sentence"
        assert sentence.endswith((".", ").")), f"{argument.names}: {sentence!r} is not a sentence"
        info = argument.field_info
        if info.required:
            assert "[required]" in _line(shown, argument.names)
        elif info.default not in (info.empty, None, (), ""):
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
        function, bound, _ = build_app().parse_args(
            _with_default(typed[1:]), exit_on_error=False, print_error=False
        )
        assert bound.arguments is not None
        assert function.__doc__ == command(words).help


def test_the_page_of_commands_is_up_to_date():
    """When this fails: ``python -m tests.docs.commands`` writes the page."""
    assert PAGE.read_text() == page()
