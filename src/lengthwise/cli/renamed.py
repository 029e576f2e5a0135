"""Names that the command line had before: refused, with the new one named."""

from collections.abc import Collection, Sequence

COMMANDS = {
    "verify-certificate": "verify",
    "run": "ask",
    "tasks": "list tasks",
    "positions": "list encodings, or show",
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
    "--lr": "--learning-rate",
}


def renamed(words: Sequence[str], known: Collection[str]) -> str:
    """Return a sentence that names what an old command or option is called now, or nothing.

    Example:
        >>> renamed(["bench", "--rounds", "1"], ["dev bench"])
        "'lengthwise bench' is now 'lengthwise dev bench'."
    """
    named = [" ".join(words[:2]), " ".join(words[:1])]
    if not any(name in known for name in named):
        old = next((name for name in named if name in COMMANDS), None)
        return f"'lengthwise {old}' is now 'lengthwise {COMMANDS[old]}'." if old else ""
    for word in words:
        option = word.partition("=")[0]
        if option in OPTIONS:
            return f"{option} is now {OPTIONS[option]}."
    return ""
