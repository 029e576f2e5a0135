"""The formats of pictures, by the names of their files."""

from pathlib import Path

from lengthwise.core.errors import InputError
from lengthwise.core.outputs import is_special

FORMATS = ("png", "svg", "pdf")


def check_format(path: Path) -> str:
    """Return the format that a figure's file name asks for, or say which exist."""
    suffix = path.suffix.lstrip(".").lower()
    if not suffix and is_special(path):
        return FORMATS[0]
    if suffix not in FORMATS:
        raise InputError(f"figure {str(path)!r}: use a name that ends in .png, .svg or .pdf.")
    return suffix
