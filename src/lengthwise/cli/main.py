"""The command line's table of contents: every command, loaded only when it is called."""

import sys

from cyclopts import App, CycloptsError, Parameter

from lengthwise._version import __version__
from lengthwise.cli.summaries import summary
from lengthwise.core.errors import InputError

# command words -> ("module:function", group heading). One line per command; nothing else to edit.
COMMANDS: dict[str, tuple[str, str]] = {
    "train": ("lengthwise.cli.train:train", "Experiments"),
    "show": ("lengthwise.cli.data:show", "Experiments"),
    "tasks": ("lengthwise.cli.data:tasks", "Experiments"),
    "positions": ("lengthwise.cli.positions:positions", "Experiments"),
    "bench": ("lengthwise.cli.bench:bench", "Tools"),
    "quickstart": ("lengthwise.cli.quickstart:quickstart", "Tools"),
    "doctor": ("lengthwise.cli.doctor:doctor", "Tools"),
    "completion": ("lengthwise.cli.completion:completion", "Tools"),
    "ui": ("lengthwise.cli.ui:ui", "Tools"),
    "learned-relation": ("lengthwise.cli.positions:learned_relation", "Results"),
    "sweep": ("lengthwise.cli.sweep:sweep", "Experiments"),
    "work": ("lengthwise.cli.sweep:work", "Experiments"),
    "select": ("lengthwise.cli.sweep:select", "Results"),
    "runs list": ("lengthwise.cli.runs:list_runs", "Results"),
    "runs query": ("lengthwise.cli.runs:query", "Results"),
    "runs export": ("lengthwise.cli.runs:export", "Results"),
    "runs watch": ("lengthwise.cli.runs:watch", "Results"),
    "crasp list": ("lengthwise.cli.crasp:list_programs", "Theory"),
    "crasp show": ("lengthwise.cli.crasp:show", "Theory"),
    "crasp run": ("lengthwise.cli.crasp:run", "Theory"),
    "crasp trace": ("lengthwise.cli.crasp:trace", "Theory"),
    "crasp check": ("lengthwise.cli.crasp:check", "Theory"),
    "crasp learn": ("lengthwise.cli.crasp_learn:learn", "Theory"),
    "crasp simplify": ("lengthwise.cli.crasp:simplify", "Theory"),
    "crasp format": ("lengthwise.cli.crasp:format_program", "Theory"),
    "decide": ("lengthwise.cli.decide:decide", "Theory"),
    "verify-certificate": ("lengthwise.cli.decide:verify_certificate", "Theory"),
    "compile": ("lengthwise.cli.compile:compile_", "Theory"),
    "run": ("lengthwise.cli.compile:run", "Theory"),
    "regulariser": ("lengthwise.cli.limit:regulariser", "Theory"),
    "products": ("lengthwise.cli.limit:products", "Theory"),
    "positional": ("lengthwise.cli.limit:positional", "Results"),
    "positional-fit": ("lengthwise.cli.limit:positional_fit", "Theory"),
    "infer": ("lengthwise.cli.limit:infer", "Theory"),
    "communication": ("lengthwise.cli.communication:communication", "Theory"),
    "predict": ("lengthwise.cli.predict:predict", "Theory"),
    "scoreboard": ("lengthwise.cli.predict:scoreboard", "Results"),
    "report": ("lengthwise.cli.report:report", "Results"),
    "plot": ("lengthwise.cli.report:plot", "Results"),
    "reproduce": ("lengthwise.cli.reproduce:reproduce", "Results"),
    "lrc": ("lengthwise.cli.lab:lrc", "Theory"),
    "theorem": ("lengthwise.cli.lab:theorem", "Theory"),
    "src": ("lengthwise.cli.lab:src", "Theory"),
    "relation": ("lengthwise.cli.lab:relation", "Theory"),
    "nope": ("lengthwise.cli.lab:nope", "Theory"),
    "probe": ("lengthwise.cli.lab:probe", "Results"),
    "attention": ("lengthwise.cli.attention:attention", "Results"),
    "ranks": ("lengthwise.cli.attention:ranks", "Results"),
    "perplexity": ("lengthwise.cli.attention:perplexity", "Results"),
    "cost": ("lengthwise.cli.cost:cost", "Results"),
}


def build_app(*, summaries: bool = False) -> App:
    """Assemble the command tree without importing any command's module.

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
        default_parameter=Parameter(negative_iterable=()),  # no --empty-pe
    )
    families: dict[str, App] = {}
    for words, (target, heading) in COMMANDS.items():
        family, _, name = words.rpartition(" ")
        if family and family not in families:
            families[family] = App(name=family, help=FAMILIES[family], group=heading)
            app.command(families[family])
        owner = families[family] if family else app
        extra = {} if family else {"group": heading}
        if summaries:
            extra["help"] = summary(target)
        owner.command(target, name=name, **extra)
    return app


FAMILIES: dict[str, str] = {
    "crasp": "Write, check, run, read and learn C-RASP programs.",
    "runs": "List, query, export and watch the runs of the store (`lengthwise runs` lists them).",
}

# family -> the command meant when none of its commands is named.
DEFAULTS: dict[str, str] = {"runs": "list"}


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; user mistakes end as one line on standard error and exit code 2."""
    words = _with_default(sys.argv[1:] if arguments is None else arguments)
    line = " ".join(words) + " "
    overview = not any(line.startswith(command + " ") for command in COMMANDS)
    try:
        build_app(summaries=overview)(words)
    except (InputError, CycloptsError) as error:
        _fail(" ".join(str(error).split()))
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
