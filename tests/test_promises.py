"""Promises that erode unless something watches them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import lengthwise
from lengthwise.cli.main import COMMANDS, build_app

ROOT = Path(__file__).parent.parent
SNAPSHOT = Path(__file__).parent / "promises.json"


def python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout


def test_import_and_help_do_not_load_torch():
    heavy = ["torch", "matplotlib", "numpy", "altair", "automata", "scipy", "transformers"]
    code = f"import lengthwise, sys; print([m for m in {heavy} if m in sys.modules])"
    assert python(code).strip() == "[]"
    code = (
        "import sys\nfrom lengthwise.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        f"print('loaded:', [m for m in {heavy} if m in sys.modules])"
    )
    assert python(code).strip().endswith("loaded: []")


def test_the_help_of_no_command_loads_torch():
    code = (
        "import io, sys\nfrom rich.console import Console\n"
        "from lengthwise.cli.main import COMMANDS, prepare\n"
        "for words in COMMANDS:\n"
        "    app, read = prepare(words.split())\n"
        "    app.help_print(read, console=Console(file=io.StringIO()))\n"
        "print([m for m in ('torch', 'matplotlib', 'numpy', 'altair') if m in sys.modules])"
    )
    assert python(code).strip() == "[]"


MODULES = {"decide": 460, "predict": 480}
"""Modules that a first answer loads at most; what is not needed for it is loaded later."""


@pytest.mark.parametrize("verb", sorted(MODULES))
def test_a_first_answer_loads_only_what_it_needs(verb):
    heavy = ("torch", "pydantic", "lark", "flint", "importlib.metadata", "duckdb", "matplotlib")
    heavy = (*heavy, "numpy.ma", "numpy.random")
    code = (
        "import sys\nfrom lengthwise.cli.main import call\n"
        f"call([{verb!r}, '(ab)*', '--json'])\n"
        f"print([m for m in {heavy} if m in sys.modules], len(sys.modules))"
    )
    loaded, _, count = python(code).splitlines()[-1].rpartition(" ")
    assert loaded == "[]"
    assert int(count) <= MODULES[verb]


def test_public_names_are_the_listed_ones():
    assert sorted(lengthwise._EXPORTS) == json.loads(SNAPSHOT.read_text())["names"]
    for name in lengthwise._EXPORTS:
        assert getattr(lengthwise, name).__doc__


def command(words: str):
    """Return the application of a command given by its words."""
    app = build_app([words])
    for word in words.split():
        app = app[word]
    return app


def command_options() -> dict[str, list[str]]:
    return {
        words: sorted(
            name
            for argument in command(words).assemble_argument_collection()
            for name in argument.names
        )
        for words in COMMANDS
    }


def test_command_line_options_change_deliberately():
    """When this fails on purpose: ``python -m tests.test_promises`` writes the new list."""
    assert command_options() == json.loads(SNAPSHOT.read_text())["options"]


def test_every_command_explains_itself_with_an_example():
    for words in COMMANDS:
        app = command(words)
        assert "Example:" in app.help, words
        for argument in app.assemble_argument_collection(parse_docstring=True):
            assert argument.parameter.help, f"{words}: {argument.names} has no sentence"


def test_files_stay_short_enough_to_read():
    # one file without imports each, so that anyone can run it
    alone = {"check_certificate.py": 1_050, "check_comparison.py": 850}
    for path in (ROOT / "src").rglob("*.py"):
        assert len(path.read_text().splitlines()) <= alone.get(path.name, 500), path


if __name__ == "__main__":
    snapshot = {"names": sorted(lengthwise._EXPORTS), "options": command_options()}
    SNAPSHOT.write_text(json.dumps(snapshot, indent=1) + "\n")
