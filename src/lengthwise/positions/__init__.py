"""How position is told: encodings by name, one small module each, behind one protocol."""

from typing import TYPE_CHECKING

from lengthwise.core.registry import Registry

if TYPE_CHECKING:
    from lengthwise.positions.base import PositionEncoding

_HERE = "lengthwise.positions"

POSITIONS = Registry(
    "position encoding",
    "lengthwise.positions",
    {
        "abacus": f"{_HERE}.abacus:Abacus",
        "alibi": f"{_HERE}.alibi:ALiBi",
        "alibi-learned": f"{_HERE}.alibi_learned:LearnedALiBi",
        "ape": f"{_HERE}.learned:LearnedAbsolute",
        "bias": f"{_HERE}.function_bias:FunctionBias",
        "cope": f"{_HERE}.cope:CoPE",
        "fire": f"{_HERE}.fire:Fire",
        "hybrid": f"{_HERE}.hybrid:Hybrid",
        "ipe": f"{_HERE}.ideal:Ideal",
        "ipe-sh": f"{_HERE}.ideal:IdealScaleHint",
        "kerple": f"{_HERE}.kerple:Kerple",
        "lbpe": f"{_HERE}.learned_relation:LearnedRelation",
        "lbpe-sh": f"{_HERE}.learned_relation:LearnedRelationScaleHint",
        "nope": f"{_HERE}.nope:NoPE",
        "randomised": f"{_HERE}.randomised:Randomised",
        "rope": f"{_HERE}.rotary:Rotary",
        "sandwich": f"{_HERE}.sandwich:Sandwich",
        "shaw": f"{_HERE}.shaw:Shaw",
        "sinusoidal": f"{_HERE}.sinusoidal:Sinusoidal",
        "t5": f"{_HERE}.t5:T5Buckets",
        "txl": f"{_HERE}.transformer_xl:TransformerXL",
        "window": f"{_HERE}.window:Window",
        "xpos": f"{_HERE}.xpos:XPos",
    },
)


def load_position(text: str) -> "PositionEncoding":
    """Build an encoding from ``name``, ``name:option=value,...`` or ``file.py:Class``.

    Example:
        >>> load_position("rope:fraction=0.25").fraction
        0.25
    """
    from lengthwise.core.components import Component
    from lengthwise.positions.base import PositionEncoding

    return Component.parse(text, POSITIONS).build(POSITIONS, PositionEncoding)


def example(name: str) -> str:
    """Return the text that builds an encoding with its example options.

    Example:
        >>> example("window")
        'window:size=3,encoding=rope'
    """
    options = getattr(POSITIONS.load(name), "example", "")
    return f"{name}:{options}" if options else name
