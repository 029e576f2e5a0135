"""Programs that tasks attach, by their name in the library of C-RASP programs."""

from typing import Any


def library_program(name: str | None) -> Any | None:
    """Return the program of the library called ``name``, or None if it has none."""
    return None
