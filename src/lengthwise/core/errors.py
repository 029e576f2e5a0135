"""What users may get wrong, said in one line.

``InputError`` is raised for anything a user typed, named or supplied; the command line prints
its message as one line and exits with code 2. Broken invariants are ``assert``.
"""

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """A mistake in what the user supplied; the message names it and says what is allowed."""


class PlacedError(InputError):
    """A mistake in a longer text: its line and column, shown with the line and a caret."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line, self.column = line, column


def nearest(name: str, options: Iterable[str]) -> str:
    """Return `` did you mean 'x'?`` for the closest option, or an empty string.

    Example:
        >>> nearest("paritty", ["parity", "sort"])
        " Did you mean 'parity'?"
    """
    match = difflib.get_close_matches(name.lower(), list(options), n=1, cutoff=0.5)
    return f" Did you mean {match[0]!r}?" if match else ""


def unknown(kind: str, name: str, options: Iterable[str]) -> InputError:
    """Build the error for a name that is not among the known ones."""
    known = sorted(options)
    return InputError(f"unknown {kind} {name!r}.{nearest(name, known)} Known: {', '.join(known)}.")
