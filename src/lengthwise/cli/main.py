"""The command line's table of contents: every command, loaded only when it is called."""

import importlib
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Any

from cyclopts import (
    App,
    CycloptsError,
    Group,
    MissingArgumentError,
    Parameter,
    UnusedCliTokensError,
)

from lengthwise._version import __version__
from lengthwise.cli.ending import (
    INTERRUPTED,
    check_words,
    ensure_streams,
    explain_library,
    explain_system,
    flush,
    give_up_output,
    quoted_little,
    say_bug,
    say_mistake,
)
from lengthwise.cli.renamed import renamed
from lengthwise.cli.summaries import summary
from lengthwise.core.errors import InputError, PlacedError
from lengthwise.core.limits import LimitReachedError

# command words -> ("module:verb", group heading). One line per command; nothing else to edit.
COMMANDS: dict[str, tuple[str, str]] = {
    "quickstart": ("lengthwise.cli.quickstart:quickstart", "Start here"),
    "predict": ("lengthwise.api.predict:predict", "Ask"),
    "improve": ("lengthwise.api.improve:improve", "Ask"),
    "decide": ("lengthwise.api.decide:decide", "Ask"),
    "length": ("lengthwise.api.length:length", "Ask"),
    "verify": ("lengthwise.api.verify:verify", "Ask"),
    "compile": ("lengthwise.api.compile:compile", "Ask"),
    "ask": ("lengthwise.api.ask:ask", "Ask"),
    "train": ("lengthwise.api.train:train", "Measure"),
    "evaluate": ("lengthwise.api.evaluate:evaluate", "Measure"),
    "sweep": ("lengthwise.api.sweep:sweep", "Measure"),
    "report": ("lengthwise.api.pages:report", "Look"),
    "plot": ("lengthwise.api.pages:plot", "Look"),
    "show": ("lengthwise.api.show:show", "Look"),
    "reproduce": ("lengthwise.api.reproduce:reproduce", "Measure"),
    "ui": ("lengthwise.cli.ui:ui", "Start here"),
    "doctor": ("lengthwise.api.doctor:doctor", "Start here"),
    "list tasks": ("lengthwise.api.listing:list_tasks", "Families"),
    "list encodings": ("lengthwise.api.listing:list_encodings", "Families"),
    "list programs": ("lengthwise.api.listing:list_programs", "Families"),
    "runs list": ("lengthwise.api.runs:list_runs", "Families"),
    "runs query": ("lengthwise.api.runs:query", "Families"),
    "runs export": ("lengthwise.api.runs:export", "Families"),
    "runs verify": ("lengthwise.api.verified_store:verify", "Families"),
    "runs watch": ("lengthwise.cli.watching:watch", "Families"),
    "runs select": ("lengthwise.api.sweep:select", "Families"),
    "runs work": ("lengthwise.api.sweep:work", "Families"),
    "export model": ("lengthwise.api.export.models:model", "Families"),
    "export task": ("lengthwise.api.export.to_harness:task", "Families"),
    "export playground": ("lengthwise.cli.export_playground:playground", "Families"),
    "analyse attention": ("lengthwise.api.analyse.heads:attention", "Families"),
    "analyse ranks": ("lengthwise.api.analyse.numbers:ranks", "Families"),
    "analyse perplexity": ("lengthwise.api.analyse.numbers:perplexity", "Families"),
    "analyse cost": ("lengthwise.api.analyse.numbers:cost", "Families"),
    "analyse probe": ("lengthwise.api.analyse.heads:probe", "Families"),
    "analyse positional": ("lengthwise.api.analyse.norms:positional", "Families"),
    "analyse relation": ("lengthwise.api.analyse.relations:relation", "Families"),
    "analyse limit": ("lengthwise.api.analyse.limit:limit", "Families"),
    "analyse regulariser": ("lengthwise.api.analyse.norms:regulariser", "Families"),
    "analyse products": ("lengthwise.api.analyse.norms:products", "Families"),
    "crasp show": ("lengthwise.api.crasp.texts:show", "Families"),
    "crasp run": ("lengthwise.api.crasp.on_words:run", "Families"),
    "crasp trace": ("lengthwise.api.crasp.on_words:trace", "Families"),
    "crasp check": ("lengthwise.api.crasp.on_words:check", "Families"),
    "crasp compare": ("lengthwise.api.crasp.two_programs:compare", "Families"),
    "crasp learn": ("lengthwise.api.crasp.smallest:learn", "Families"),
    "crasp simplify": ("lengthwise.api.crasp.texts:simplify", "Families"),
    "crasp format": ("lengthwise.api.crasp.texts:format_program", "Families"),
    "lab infer": ("lengthwise.api.lab.inference:infer", "Families"),
    "lab communication": ("lengthwise.api.lab.communication:communication", "Families"),
    "lab scoreboard": ("lengthwise.api.lab.predictions:scoreboard", "Families"),
    "lab draw": ("lengthwise.api.lab.blind_suite:draw", "Families"),
    "lab reach": ("lengthwise.api.lab.blind_suite:reach", "Families"),
    "lab lrc": ("lengthwise.api.lab.linear:lrc", "Families"),
    "lab theorem": ("lengthwise.api.lab.linear:theorem", "Families"),
    "lab src": ("lengthwise.api.lab.circuits:src", "Families"),
    "lab relation": ("lengthwise.api.lab.circuits:relation", "Families"),
    "lab nope": ("lengthwise.api.lab.positions:nope", "Families"),
    "lab positional-fit": ("lengthwise.api.lab.positions:positional_fit", "Families"),
    "dev bench": ("lengthwise.cli.bench:bench", "Families"),
    "dev mutants": ("lengthwise.cli.mutants:mutants", "Families"),
    "dev faults": ("lengthwise.cli.faults:faults", "Families"),
    "dev completion": ("lengthwise.cli.completion:completion", "Families"),
}

FAMILIES: dict[str, str] = {
    "list": "List the tasks, encodings and programs that there are.",
    "runs": "List, query, export, verify and watch stored runs; `lengthwise runs` lists them.",
    "export": "Hand trained models and tasks to other libraries, the playground to a web host.",
    "analyse": "See how a trained model does it: attention, probes, norms, perplexity, cost.",
    "crasp": "Write, check, run, read and learn C-RASP programs.",
    "lab": "Try the theory: inference, communication, linear attention, circuits, NoPE.",
    "dev": "For developers: speed, faults and mutants put in on purpose, shell completion.",
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
    name = _named(words)
    if isinstance(error, MissingArgumentError) and error.argument is not None and name:
        option = error.argument.name
        needs = "needs a value" if option.startswith("--") else "is missing"
        return f"{name}: {option} {needs}; see `lengthwise {name} --help`."
    if not isinstance(error, UnusedCliTokensError):
        return " ".join(str(error).split())
    extra = " ".join(error.unused_tokens or ())
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
    """Run the command line; whatever happens ends as an exit code and a line, never a traceback."""
    words = sys.argv[1:] if arguments is None else arguments
    ensure_streams()
    code = _run(words)
    try:
        flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        code = say_mistake(explain_system(error))
    give_up_output()
    sys.exit(code)


def _run(words: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    try:
        if wrong := check_words(words):
            return say_mistake(wrong)
        call(words)
        return 0
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except PlacedError as error:
        return say_mistake(str(error))
    except InputError as error:
        return say_mistake(quoted_little(" ".join(str(error).split()), words))
    except LimitReachedError as error:
        return say_mistake(f"{error}; give it more --time-limit or something smaller.")
    except CycloptsError as error:
        told = renamed(words, COMMANDS, _options(words)) or _misread(error, words)
        return say_mistake(quoted_little(told, words))
    except KeyboardInterrupt:
        again = "interrupted; the same command continues where a run has saved its state"
        return say_mistake(again, INTERRUPTED)
    except BrokenPipeError:
        return 0
    except OSError as error:
        return say_mistake(quoted_little(explain_system(error), words))
    except MemoryError:
        return say_mistake("there is not enough memory for this.")
    except ImportError as error:
        library = explain_library(error)
        return say_mistake(library) if library else say_bug(error, words)
    except BaseException as error:
        return say_bug(error, words)


def _with_default(words: list[str]) -> list[str]:
    """Complete ``runs --task parity`` to ``runs list --task parity``."""
    if not words or words[0] not in DEFAULTS or words[1:2] in (["--help"], ["-h"]):
        return words
    if " ".join(words[:2]) in COMMANDS:
        return words
    return [words[0], DEFAULTS[words[0]], *words[1:]]
