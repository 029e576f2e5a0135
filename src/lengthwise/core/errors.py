"""What users may get wrong, said in one line.

``InputError`` is raised for anything a user typed, named or supplied; the command line prints
its message as one line and exits with code 2. Broken invariants are ``assert``.
"""

import difflib
import re
from collections.abc import Iterable

MOST_QUOTED = 200
"""Characters of an input that an error quotes; the rest is left out."""


class InputError(ValueError):
    """A mistake in what the user supplied; the message names it and says what is allowed."""

    def __init__(self, message: object = "") -> None:
        super().__init__(shortened(str(message)))


class PlacedError(InputError):
    """A mistake in a longer text: its line and column, shown with the line and a caret."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line, self.column = line, column


def shortened(message: str) -> str:
    """Leave out the middle of whatever a message quotes at length.

    Example:
        >>> len(shortened(f"unknown task {'x' * 10_000!r}."))
        207
    """
    if len(message) <= MOST_QUOTED:
        return message
    return _LONG.sub(_cut, message)


_LONG = re.compile(
    rf"'(?:[^'\\\n]|\\.){{{MOST_QUOTED},}}'"
    rf'|"(?:[^"\\\n]|\\.){{{MOST_QUOTED},}}"'
    rf"|\S{{{MOST_QUOTED},}}"
)


def _cut(found: re.Match[str]) -> str:
    text = found.group()
    return f"{text[: MOST_QUOTED - 50]}...{text[-40:]}"


def nearest(name: str, options: Iterable[str]) -> str:
    """Return `` did you mean 'x'?`` for the closest option, or an empty string.

    Example:
        >>> nearest("paritty", ["parity", "sort"])
        " Did you mean 'parity'?"
    """
    match = difflib.get_close_matches(name[:MOST_QUOTED].lower(), list(options), n=1, cutoff=0.5)
    return f" Did you mean {match[0]!r}?" if match else ""


def unknown(kind: str, name: str, options: Iterable[str]) -> InputError:
    """Build the error for a name that is not among the known ones."""
    known = sorted(options)
    listed = ", ".join(known) or "none"
    return InputError(f"unknown {kind} {name!r}.{nearest(name, known)} Known: {listed}.")
