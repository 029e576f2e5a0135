"""Classes of functions, how they contain each other, and what they say about encodings."""

from dataclasses import dataclass

from lengthwise.core.errors import InputError, unknown
from lengthwise.languages.class_titles import CLASS_TITLES
from lengthwise.positions import POSITIONS
from lengthwise.predict.types import Strength

CLASSES: dict[str, tuple[str, ...]] = {
    "plain": ("periodic", "local", "periodic_local", "limit"),
    "periodic": ("periodic_local", "limit"),
    "local": ("periodic_local", "limit"),
    "periodic_local": ("limit",),
    "limit": (),
    "src:nope": (),
    "src:ape": (),
    "src:rpe": (),
    "src:ipe": (),
}
"""Each class with the classes that contain it.

The first four are C-RASP with the named predicates; ``limit`` are the functions of limit
transformers that are periodic and local (Huang et al. 2025); ``src:`` are tasks whose sequential
representation complexity does not grow under a relation (Chen, Liang and Lin 2025).
"""

TITLES = {
    **CLASS_TITLES,
    "limit": "periodic and local limit transformers",
    "src:nope": "constant SRC without positions",
    "src:ape": "constant SRC under absolute positions",
    "src:rpe": "constant SRC under relative positions",
    "src:ipe": "constant SRC under the ideal relation",
}


def inside(name: str) -> tuple[str, ...]:
    """Return the class and all that contain it: being in it means being in those.

    Example:
        >>> inside("local")
        ('local', 'periodic_local', 'limit')
    """
    return (name, *CLASSES[name])


def outside(name: str) -> tuple[str, ...]:
    """Return the class and all it contains: being out of it means being out of those."""
    return (name, *(other for other, larger in CLASSES.items() if name in larger))


def of_fragment(fragment: str) -> str:
    """Turn the fragment that ``analyse`` names into a class.

    Example:
        >>> of_fragment("periodic, local")
        'periodic_local'
    """
    return fragment.replace(", ", "_")


@dataclass(frozen=True)
class Link:
    """The step from a class to a trained transformer with an encoding, and how well it is known.

    ``yes`` is the strength of "in the class, so it generalizes", ``no`` that of "outside, so it
    fails"; ``limit`` that of "outside even the limit transformers, so it fails".
    """

    class_name: str
    yes: Strength
    no: Strength
    limit: Strength
    text: str


_IDEALISED = "for an idealised learner, not for SGD"
_SRC = Link(
    "",
    "conjecture",
    "conjecture",
    "conjecture",
    "conjecture of Chen, Liang and Lin 2025: generalizes iff SRC does not grow",
)


def _src(relation: str) -> Link:
    return Link(f"src:{relation}", _SRC.yes, _SRC.no, _SRC.limit, _SRC.text)


def _argued(class_name: str, how: str) -> Link:
    return Link(
        class_name,
        "conjecture",
        "conjecture",
        "conjecture",
        f"{how} is argued (Yang, Cadilhac and Chiang 2025, section 5.2), not proved",
    )


ENCODINGS: dict[str, tuple[Link, ...]] = {
    "nope": (
        Link(
            "plain",
            "derivation",
            "conjecture",
            "derivation",
            f"Huang et al. 2025, Theorems 7 and 9, {_IDEALISED}: proved there for learned "
            "positions; that the proof holds with every positional term left out is our "
            "derivation; that no program means failure is their reading, not a theorem",
        ),
        _src("nope"),
    ),
    "ape": (
        Link(
            "periodic_local",
            "proof",
            "conjecture",
            "proof",
            f"Huang et al. 2025, Theorems 7 and 9, learned with random offsets, {_IDEALISED}; that "
            "no program means failure is their reading, not a theorem (completeness is open)",
        ),
        _src("ape"),
    ),
    "sinusoidal": (_argued("periodic", "sinusoidal with rational angles = periodic predicates"),),
    "rope": (_argued("periodic", "rotary = periodic predicates"), _src("rpe")),
    "alibi": (_argued("local", "ALiBi with positive slope = local predicates"), _src("rpe")),
    "ipe": (_src("ipe"),),
}
"""Encodings by their name on the command line, each with the classes that speak about it."""


def links(encoding: str) -> tuple[Link, ...]:
    """Return what connects classes with an encoding.

    Example:
        >>> links("nope")[0].class_name
        'plain'
    """
    if encoding not in ENCODINGS and encoding.partition(":")[0] in POSITIONS:
        raise InputError(
            f"encoding {encoding!r}: no theory says what it can do, `lengthwise train` measures "
            f"it; there is one for {', '.join(ENCODINGS)}."
        )
    if encoding not in ENCODINGS:
        raise unknown("encoding", encoding, [*ENCODINGS])
    return ENCODINGS[encoding]
