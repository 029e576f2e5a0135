"""Where pictures and pages go: files that are written whole or not at all."""

from pathlib import Path

from lengthwise.core.errors import InputError
from lengthwise.core.files import explain, write_bytes

FORMATS = ("png", "svg", "pdf")


def check_format(path: Path) -> str:
    """Return the format that a figure's file name asks for, or say which exist."""
    suffix = path.suffix.lstrip(".").lower()
    if suffix not in FORMATS:
        raise InputError(f"figure {str(path)!r}: use a name that ends in .png, .svg or .pdf.")
    return suffix


def save_bytes(path: Path, data: bytes) -> None:
    """Write a figure or a page, with the folders above it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explain(path, error) from error
    write_bytes(path, data)
