"""Names that the command line had before: refused, with the new one named."""

from collections.abc import Collection, Sequence

COMMANDS = {
    "help": "--help",
    "verify-certificate": "verify",
    "run": "ask",
    "tasks": "list tasks",
    "positions": "list encodings' or 'lengthwise show",
    "crasp list": "list programs",
    "select": "runs select",
    "work": "runs work",
    "attention": "analyse attention",
    "ranks": "analyse ranks",
    "perplexity": "analyse perplexity",
    "cost": "analyse cost",
    "probe": "analyse probe",
    "positional": "analyse positional",
    "learned-relation": "analyse relation",
    "regulariser": "analyse regulariser",
    "products": "analyse products",
    "infer": "lab infer",
    "communication": "lab communication",
    "scoreboard": "lab scoreboard",
    "lrc": "lab lrc",
    "theorem": "lab theorem",
    "src": "lab src",
    "relation": "lab relation",
    "nope": "lab nope",
    "positional-fit": "lab positional-fit",
    "bench": "dev bench",
    "completion": "dev completion",
}
OPTIONS = {
    "--pe": "--encoding",
    "--faithful": "--published-lengths",
    "--to-the-end": "--no-stop-when-perfect",
    "--compile": "--compiled",
    "--html": "--report",
    "--figure": "--plot",
    "--svg": "--plot",
    "--seconds": "--time-limit",
    "--letters": "--alphabet",
    "--contexts": "--context",
    "--widths": "--width",
    "--lr": "--learning-rate",
}
# command -> options whose new name is its own.
OWN_OPTIONS = {
    "lab lrc": {"--n0": "--train-length", "--n": "--length"},
    "lab theorem": {"--n0": "--train-length", "--n": "--length"},
    "lab src": {"--n0": "--train-length", "--n": "--length"},
    "lab nope": {"--positions": "--length"},
    "analyse relation": {"--export": "--output"},
    "decide": {
        "--dfa": "what is decided: lengthwise decide x.json",
        "--function": "what is decided: lengthwise decide file.py:name --alphabet ab",
    },
    "compile": {"--regex": "what is compiled: lengthwise compile '(ab)*'"},
    "crasp learn": {
        "--regex": "what is learned: lengthwise crasp learn '(ab)*'",
        "--task": "what is learned: lengthwise crasp learn tomita-2",
        "--function": "what is learned: lengthwise crasp learn file.py:name --alphabet ab",
    },
}


def renamed(words: Sequence[str], commands: Collection[str], options: Collection[str] = ()) -> str:
    """Return a sentence that names what an old command or option is called now, or nothing.

    ``options`` are those that the command has: what it has is not renamed.

    Example:
        >>> renamed(["bench", "--rounds", "1"], ["dev bench"])
        "'lengthwise bench' is now 'lengthwise dev bench'."
        >>> renamed(["lab", "src", "--n0", "4"], ["lab src"])
        '--n0 is now --train-length.'
    """
    named = [" ".join(words[:2]), " ".join(words[:1])]
    command = next((name for name in named if name in commands), None)
    if command is None:
        old = next((name for name in named if name in COMMANDS), None)
        return f"'lengthwise {old}' is now 'lengthwise {COMMANDS[old]}'." if old else ""
    known = OPTIONS | OWN_OPTIONS.get(command, {})
    for word in words:
        option = word.partition("=")[0]
        if option in known and option not in options:
            return f"{option} is now {known[option]}."
    return ""
