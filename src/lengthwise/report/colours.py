"""The colours of all pictures: Okabe and Ito's, told apart with every common colour blindness.

An encoding has one colour, in every figure and on every page.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from zlib import crc32

from lengthwise.positions import POSITIONS

# Their black is a dark grey, and their yellow, too pale on a light page, is left out.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333", "#8a8a8a")
DARK_COLOURS = ("#3d9bd9", *COLOURS[1:6], "#e6e6e6", "#9a9a9a")
"""The same on a dark page."""
DASHES: tuple[tuple[int, int], ...] = ((1, 0), (6, 3), (2, 2), (10, 2))
"""Lines of one colour differ by their dashes: drawn, left out."""

FIRST = ("nope", "ape", "rope", "alibi", "t5", "sinusoidal", "ipe", "fire")
"""The encodings that are compared most often get a colour each; the others follow by name."""
OTHER_NAMES = {"rotary": "rope", "none": "nope", "ideal": "ipe", "rpe": "t5", "nope (none)": "nope"}
"""What papers call them."""

Place = tuple[int, int]
"""Number of a colour, number of its dashes."""


def places(names: Sequence[str]) -> list[Place]:
    """Return colour and dashes of every series; other series than encodings go by their order.

    Example:
        >>> places(["ape", "nope"]), places(["nope", "rope:base=100", "rope"])
        ([(1, 0), (0, 0)], [(0, 0), (2, 0), (2, 1)])
        >>> places(["trained", "untrained"])
        [(0, 0), (1, 0)]
    """
    known = _order()
    if not any(_base(name) in known for name in names):
        return [_numbered(number) for number in range(len(names))]
    taken: list[Place] = []
    for name in names:
        base = _base(name)
        own = _numbered(known[base]) if base in known else (crc32(base.encode()) % len(COLOURS), 2)
        taken.append(next((p for p in _from(own) if p not in taken), own))
    return taken


def rank(name: str) -> tuple[int, str]:
    """Return where an encoding stands among others, so that it is listed in one order everywhere.

    Example:
        >>> sorted(["mine", "xpos", "ape", "nope"], key=rank)
        ['nope', 'ape', 'xpos', 'mine']
    """
    known = _order()
    return known.get(_base(name), len(known)), name


def _base(name: str) -> str:
    """Return the name of an encoding without its options, as the registry spells it."""
    if ".py" in name:
        return name
    base = name.partition(":")[0].strip().lower()
    return OTHER_NAMES.get(base, base)


def _order() -> dict[str, int]:
    rest = [name for name in POSITIONS if name not in FIRST]
    return {name: number for number, name in enumerate((*FIRST, *rest))}


def _numbered(number: int) -> Place:
    return number % len(COLOURS), number // len(COLOURS) % len(DASHES)


def _from(place: Place) -> Iterator[Place]:
    """Yield a place, then the same colour with other dashes, then the next colours."""
    for colour, dash in product(range(len(COLOURS)), range(len(DASHES))):
        yield (place[0] + colour) % len(COLOURS), (place[1] + dash) % len(DASHES)
