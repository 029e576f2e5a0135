"""What the short names of encodings stand for."""

from collections.abc import Sequence
from contextlib import suppress

from lengthwise.core.errors import InputError
from lengthwise.positions import POSITIONS


def spelled(encoding: str) -> str:
    """Return an encoding in a few words; nothing of one that is the user's own.

    Example:
        >>> spelled("nope"), spelled("my_file.py:Mine")
        ('no position encoding', '')
    """
    name = encoding.partition(":")[0]
    if ".py" in name or name not in POSITIONS:
        return ""
    with suppress(InputError):  # a plugin that does not load
        return POSITIONS.load(name).summary.partition(",")[0]
    return ""


def joined(names: Sequence[str]) -> str:
    """Return names as one phrase.

    Example:
        >>> joined([]), joined(["nope"]), joined(["nope", "ape", "rope"])
        ('', 'nope', 'nope, ape and rope')
    """
    *first, last = names or ("",)
    return f"{', '.join(first)} and {last}" if first else last
