"""Programs that tasks attach, by their name in the library of C-RASP programs."""

from typing import Any


def library_program(name: str | None) -> Any | None:
    """Return the program of the library called ``name``, or None if it has none.

    Example:
        >>> library_program("no-such-program") is None
        True
    """
    from lengthwise.theory.crasp import library

    if name is None or not (name in library.names() or name.startswith("d-")):
        return None
    return library.load(name)
