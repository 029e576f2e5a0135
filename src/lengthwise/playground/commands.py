"""The command line that does the same as a click, quoted so that a shell reads it as meant."""

import shlex
from collections.abc import Iterable
from pathlib import Path

from lengthwise.runs import store_root

FILE, WEIGHTS = "playground.cr", "playground.safetensors"
CERTIFICATE = "playground-certificate.json"

Command = dict[str, str]


def command(label: str, *words: str) -> Command:
    """Return one command with the sentence that says what it does.

    Example:
        >>> command("Decide", "decide", "(ab)*")["command"]
        "lengthwise decide '(ab)*'"
    """
    return {"label": label, "command": shlex.join(["lengthwise", *words])}


def then(label: str, *parts: Command) -> Command:
    """Join commands, each run if the one before it succeeded."""
    return {"label": label, "command": " && ".join(part["command"] for part in parts)}


def shown_name(text: str) -> str:
    """Return what the command line reads as the same thing, though a dash begins an option.

    Example:
        >>> shown_name("(ab)*"), shown_name("-a*")
        ('(ab)*', 'regex:-a*')
    """
    return f"regex:{text}" if text.startswith("-") else text


def option(name: str, value: str) -> list[str]:
    """Return an option with its value; ``=`` joins them where the value begins with a dash."""
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def language(
    text: str, alphabet: str, accept: str, store: Path, *, written: bool, own: bool
) -> list[Command]:
    """Return the commands behind the language view.

    ``own``: a task or program, for which ``predict`` answers its own question and not this one.
    """
    name = shown_name(text)
    common = [name, "--accept", accept, *(option("--alphabet", alphabet) if alphabet else [])]
    found = [
        command("Verdicts with the whole argument", "predict", *common, "--explain", *at(store)),
        command("The decision and its certificate in words", "decide", *common, "--explain"),
        then(
            "Write the certificates and check them",
            command("", "decide", *common, "--certificate", CERTIFICATE),
            command("", "verify", CERTIFICATE),
        ),
    ]
    if own:
        found = found[1:]
    if written:
        found.append(command("Write the program", "decide", *common, "--program", FILE))
    return found


def at(store: Path) -> list[str]:
    """Return the option that names the store, where it is not the default."""
    usual = store_root()
    return [] if store == usual == Path("runs") else option("--store", str(store))


def quoted(words: Iterable[str]) -> list[str]:
    """Return words as a shell needs them."""
    return [shlex.quote(word) for word in words]


class ProgramSource:
    """How the command line gets a program: by its library name, or from a file written first."""

    def __init__(self, name: str | None, text: str, parameters: str) -> None:
        self.reference = name or FILE
        self.options = option("--set", parameters) if parameters.strip() else []
        self.first: list[Command] = []
        if name is None:
            written = f"printf '%s\\n' {shlex.quote(text.rstrip(chr(10)))} > {FILE}"
            self.first.append({"label": "Write the program to a file", "command": written})

    def run(self, label: str, family: str, *words: str, options: tuple[str, ...] = ()) -> Command:
        """Return a command on this program; words may look like options without harm."""
        dash = ["--"] if any(word.startswith("-") for word in words) else []
        chosen = [*family.split(), *self.options, *options, *dash, self.reference, *words]
        return command(label, *chosen)


def trace(source: ProgramSource, word: str | None, accept: str) -> list[Command]:
    """Return the commands behind a program's facts and its trace."""
    found = [*source.first, source.run("Depth, size and fragment", "crasp show")]
    if word is not None:
        options = ("--accept", accept)
        found.append(source.run("The trace", "crasp trace", word, options=options))
    return found


def compare(
    source: ProgramSource, word: str, accept: str, length: int, dtype: str, generator: bool
) -> list[Command]:
    """Return the commands behind a compiled model beside its program."""
    options = ("--length", str(length), "--accept", accept, "--dtype", dtype, "-o", WEIGHTS)
    dash = ["--"] if word.startswith("-") else []
    reading = () if generator else ("--accept", accept)
    return [
        *source.first,
        source.run("Compile", "compile", options=options),
        command("Run the compiled transformer", "ask", *dash, WEIGHTS, word),
        source.run("Run the program", "crasp run", word, options=reading),
    ]
