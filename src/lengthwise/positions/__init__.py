"""How position is told: encodings by name, one small module each, behind one protocol."""

from typing import TYPE_CHECKING

from lengthwise.registry import Registry

if TYPE_CHECKING:
    from lengthwise.positions.base import PositionEncoding

_HERE = "lengthwise.positions"

POSITIONS = Registry(
    "position encoding",
    "lengthwise.positions",
    {
        "alibi": f"{_HERE}.alibi:ALiBi",
        "ape": f"{_HERE}.learned:LearnedAbsolute",
        "nope": f"{_HERE}.nope:NoPE",
        "rope": f"{_HERE}.rotary:Rotary",
        "sinusoidal": f"{_HERE}.sinusoidal:Sinusoidal",
        "t5": f"{_HERE}.t5:T5Buckets",
    },
)


def load_position(text: str) -> "PositionEncoding":
    """Build an encoding from ``name``, ``name:option=value,...`` or ``file.py:Class``.

    Example:
        >>> load_position("rope:fraction=0.25").fraction
        0.25
    """
    from lengthwise.components import Component
    from lengthwise.positions.base import PositionEncoding

    return Component.parse(text, POSITIONS).build(POSITIONS, PositionEncoding)
