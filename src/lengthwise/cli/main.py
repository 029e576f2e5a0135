"""The command line's table of contents: every command, loaded only when it is called."""

import sys
from typing import Any

from cyclopts import App, CycloptsError

from lengthwise._version import __version__
from lengthwise.errors import InputError

# command words -> ("module:function", group heading). One line per command; nothing else to edit.
COMMANDS: dict[str, tuple[str, str]] = {
    "train": ("lengthwise.cli.train:train", "Experiments"),
    "show": ("lengthwise.cli.data:show", "Experiments"),
    "tasks": ("lengthwise.cli.data:tasks", "Experiments"),
    "runs": ("lengthwise.cli.runs:runs", "Results"),
}


def build_app() -> App:
    """Assemble the command tree without importing any command's module."""
    app = App(
        name="lengthwise",
        help="Will a transformer trained on short inputs work on long ones?",
        version=__version__,
        version_flags=["--version"],
        error_formatter=_one_line,
    )
    families: dict[str, App] = {}
    for words, (target, heading) in COMMANDS.items():
        family, _, name = words.rpartition(" ")
        if family and family not in families:
            families[family] = App(name=family, help=FAMILIES[family], group=heading)
            app.command(families[family])
        owner = families[family] if family else app
        owner.command(target, name=name, **({} if family else {"group": heading}))
    return app


FAMILIES: dict[str, str] = {}


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; user mistakes end as one line on standard error and exit code 2."""
    try:
        build_app()(arguments)
    except InputError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        _fail("interrupted", code=130)
    except BrokenPipeError:
        sys.exit(0)


def _fail(message: str, code: int = 2) -> None:
    sys.stderr.write(f"error: {message}\n")
    sys.exit(code)


def _one_line(error: CycloptsError) -> Any:
    return f"error: {' '.join(str(error).split())}"
