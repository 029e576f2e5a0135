"""The command line's table of contents: every command, loaded only when it is called."""

import importlib
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Any

from cyclopts import App, CycloptsError, Group, Parameter, UnusedCliTokensError

from lengthwise._version import __version__
from lengthwise.cli.renamed import renamed
from lengthwise.cli.summaries import summary
from lengthwise.core.errors import InputError, PlacedError

# command words -> ("module:verb", group heading). One line per command; nothing else to edit.
COMMANDS: dict[str, tuple[str, str]] = {
    "quickstart": ("lengthwise.cli.quickstart:quickstart", "Start here"),
    "predict": ("lengthwise.cli.predict:predict", "Ask"),
    "decide": ("lengthwise.cli.decide:decide", "Ask"),
    "verify": ("lengthwise.cli.decide:verify_certificate", "Ask"),
    "compile": ("lengthwise.cli.compile:compile_", "Ask"),
    "ask": ("lengthwise.cli.compile:run", "Ask"),
    "train": ("lengthwise.api.train:train", "Measure"),
    "sweep": ("lengthwise.cli.sweep:sweep", "Measure"),
    "report": ("lengthwise.api.pages:report", "Look"),
    "plot": ("lengthwise.api.pages:plot", "Look"),
    "show": ("lengthwise.api.show:show", "Look"),
    "reproduce": ("lengthwise.api.reproduce:reproduce", "Measure"),
    "ui": ("lengthwise.cli.ui:ui", "Start here"),
    "doctor": ("lengthwise.api.doctor:doctor", "Start here"),
    "list tasks": ("lengthwise.api.listing:list_tasks", "Families"),
    "list encodings": ("lengthwise.api.listing:list_encodings", "Families"),
    "list programs": ("lengthwise.api.listing:list_programs", "Families"),
    "runs list": ("lengthwise.cli.runs:list_runs", "Families"),
    "runs query": ("lengthwise.cli.runs:query", "Families"),
    "runs export": ("lengthwise.cli.runs:export", "Families"),
    "runs watch": ("lengthwise.cli.runs:watch", "Families"),
    "runs select": ("lengthwise.cli.sweep:select", "Families"),
    "runs work": ("lengthwise.cli.sweep:work", "Families"),
    "analyse attention": ("lengthwise.api.analyse.heads:attention", "Families"),
    "analyse ranks": ("lengthwise.api.analyse.numbers:ranks", "Families"),
    "analyse perplexity": ("lengthwise.api.analyse.numbers:perplexity", "Families"),
    "analyse cost": ("lengthwise.api.analyse.numbers:cost", "Families"),
    "analyse probe": ("lengthwise.api.analyse.heads:probe", "Families"),
    "analyse positional": ("lengthwise.api.analyse.limits:positional", "Families"),
    "analyse relation": ("lengthwise.api.analyse.relations:relation", "Families"),
    "analyse regulariser": ("lengthwise.api.analyse.limits:regulariser", "Families"),
    "analyse products": ("lengthwise.api.analyse.limits:products", "Families"),
    "crasp show": ("lengthwise.cli.crasp:show", "Families"),
    "crasp run": ("lengthwise.cli.crasp:run", "Families"),
    "crasp trace": ("lengthwise.cli.crasp:trace", "Families"),
    "crasp check": ("lengthwise.cli.crasp:check", "Families"),
    "crasp learn": ("lengthwise.cli.crasp_learn:learn", "Families"),
    "crasp simplify": ("lengthwise.cli.crasp:simplify", "Families"),
    "crasp format": ("lengthwise.cli.crasp:format_program", "Families"),
    "lab infer": ("lengthwise.cli.limit:infer", "Families"),
    "lab communication": ("lengthwise.cli.communication:communication", "Families"),
    "lab scoreboard": ("lengthwise.api.lab.predictions:scoreboard", "Families"),
    "lab lrc": ("lengthwise.api.lab.linear:lrc", "Families"),
    "lab theorem": ("lengthwise.api.lab.linear:theorem", "Families"),
    "lab src": ("lengthwise.api.lab.circuits:src", "Families"),
    "lab relation": ("lengthwise.api.lab.circuits:relation", "Families"),
    "lab nope": ("lengthwise.api.lab.positions:nope", "Families"),
    "lab positional-fit": ("lengthwise.api.lab.positions:positional_fit", "Families"),
    "dev bench": ("lengthwise.cli.bench:bench", "Families"),
    "dev completion": ("lengthwise.cli.completion:completion", "Families"),
}

FAMILIES: dict[str, str] = {
    "list": "List the tasks, encodings and programs that there are.",
    "runs": "List, query, export and watch the runs of the store (`lengthwise runs` lists them).",
    "analyse": "See how a trained model does it: attention, probes, norms, perplexity, cost.",
    "crasp": "Write, check, run, read and learn C-RASP programs.",
    "lab": "Try the theory: inference, communication, linear attention, circuits, NoPE.",
    "dev": "For developers: speed, shell completion.",
}

# family -> the command meant when none of its commands is named.
DEFAULTS: dict[str, str] = {"runs": "list"}


def build_app(called: Collection[str] = (), *, summaries: bool = False) -> App:
    """Assemble the command tree; only commands that are ``called`` are imported.

    With ``summaries`` the overview says what each command does; a command's own page needs none.
    """
    app = App(
        name="lengthwise",
        help="Will a transformer trained on short inputs work on long ones?",
        version=__version__,
        version_flags=["--version"],
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        default_parameter=Parameter(negative_iterable=()),  # no --empty-encoding
    )
    headings = {title: Group(title, sort_key=place) for place, title in enumerate(HEADINGS)}
    families: dict[str, App] = {}
    for words, (target, heading) in COMMANDS.items():
        family, _, name = words.rpartition(" ")
        group = headings[heading]
        if family and family not in families:
            families[family] = App(name=family, help=FAMILIES[family], group=group)
            app.command(families[family])
        owner = families[family] if family else app
        extra: dict[str, Any] = {} if family else {"group": group}
        if summaries:
            extra["help"] = summary(target)
        made = load(target) if words in called else target
        owner.command(made, name=name, **extra)
    return app


HEADINGS = ["Start here", "Ask", "Measure", "Look", "Families"]


def load(target: str) -> Callable[..., Any]:
    """Import a command; a verb of the api becomes one by its signature."""
    module, _, name = target.partition(":")
    function = getattr(importlib.import_module(module), name)
    if not module.startswith("lengthwise.api."):
        return function
    from lengthwise.cli.command import command

    return command(function)


def _named(words: Sequence[str]) -> str:
    """Return the command that is called, or nothing."""
    return next((name for n in (2, 1) if (name := " ".join(words[:n])) in COMMANDS), "")


def _options(words: Sequence[str]) -> list[str]:
    """Return the options of the command that is called."""
    name = _named(_with_default(list(words)))
    app = build_app([name])
    for word in name.split():
        app = app[word]
    collection = app.assemble_argument_collection() if name else []
    return [option for argument in collection for option in argument.names]


# A listing shows all; what somebody may want who names one.
ONE = {
    "list tasks": "lengthwise show",
    "list encodings": "lengthwise show",
    "list programs": "lengthwise crasp show",
}


def _misread(error: CycloptsError, words: Sequence[str]) -> str:
    """Say in one line what could not be read."""
    if not isinstance(error, UnusedCliTokensError):
        return " ".join(str(error).split())
    name, extra = _named(words), " ".join(error.unused_tokens or ())
    hint = (
        f"to see one: `{ONE[name]} {extra}`" if name in ONE else f"see `lengthwise {name} --help`"
    )
    return f"'lengthwise {name}' does not take {extra!r}; {hint}."


def prepare(words: Sequence[str]) -> tuple[App, list[str]]:
    """Return the application with the command that is called, and the words it reads."""
    completed = _with_default(list(words))
    name = _named(completed)
    return build_app([name], summaries=not name), completed


def call(words: Sequence[str]) -> None:
    """Run one command in this process; mistakes are raised."""
    app, completed = prepare(words)
    app(completed, result_action="return_value")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; user mistakes end as one line on standard error and exit code 2."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        call(words)
        sys.exit(0)
    except PlacedError as error:
        _fail(str(error))
    except InputError as error:
        _fail(" ".join(str(error).split()))
    except CycloptsError as error:
        _fail(renamed(words, COMMANDS, _options(words)) or _misread(error, words))
    except KeyboardInterrupt:
        _fail("interrupted; the same command continues where a run has saved its state", code=130)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        if error.filename is None:
            raise
        _fail(f"{error.filename}: {error.strerror}")


def _with_default(words: list[str]) -> list[str]:
    """Complete ``runs --task parity`` to ``runs list --task parity``."""
    if not words or words[0] not in DEFAULTS or words[1:2] in (["--help"], ["-h"]):
        return words
    if " ".join(words[:2]) in COMMANDS:
        return words
    return [words[0], DEFAULTS[words[0]], *words[1:]]


def _fail(message: str, code: int = 2) -> None:
    sys.stderr.write(f"error: {message}\n")
    sys.exit(code)
