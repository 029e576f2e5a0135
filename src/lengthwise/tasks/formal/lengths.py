"""Length windows of the formal-language experiments of Huang et al. (2024), and of other tasks.

``windows("tomita-4")`` gives disjoint ranges; ``faithful=True`` the ranges of the lengths in the
authors' committed data, with their overlaps (for the Tomita languages bins 2 and 3 are the same).
"""

from dataclasses import dataclass

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError, unknown
from lengthwise.tasks import TASKS
from lengthwise.tasks.base import Task

Range = tuple[int, int]


@dataclass(frozen=True)
class Windows:
    """Where to train, and the three ranges to test on."""

    train: Range
    bins: tuple[Range, Range, Range]


_PUBLISHED: dict[str, tuple[Range, int, tuple[Range, Range, Range, Range]]] = {
    # name: (first window, step, (lengths of the committed training set, bins 1, 2, 3))
    "aa-star": ((2, 100), 50, ((2, 98), (8, 86), (102, 148), (150, 194))),
    "aaaa-star": ((4, 500), 100, ((4, 496), (8, 488), (512, 596), (600, 696))),
    "abab-star": ((4, 500), 100, ((4, 500), (12, 444), (508, 596), (600, 700))),
    "tomita-1": ((1, 100), 50, ((1, 100), (1, 99), (101, 149), (102, 149))),
    "tomita-2": ((1, 100), 50, ((2, 100), (12, 100), (102, 142), (102, 146))),
    "tomita-3": ((1, 100), 50, ((1, 100), (1, 100), (101, 150), (101, 150))),
    "tomita-4": ((1, 100), 50, ((1, 100), (1, 100), (101, 150), (101, 150))),
    "tomita-5": ((1, 100), 50, ((2, 100), (2, 100), (102, 150), (102, 150))),
    "tomita-6": ((1, 100), 50, ((2, 100), (2, 100), (101, 150), (101, 150))),
    "tomita-7": ((1, 100), 50, ((17, 100), (29, 100), (101, 150), (101, 150))),
    "d-2": ((2, 50), 50, ((12, 50), (10, 30), (86, 100), (108, 150))),
    "d-3": ((2, 100), 100, ((2, 100), (12, 100), (84, 200), (120, 300))),
    "d-4": ((2, 100), 100, ((36, 100), (40, 100), (98, 200), (144, 300))),
    "d-12": ((2, 100), 100, ((48, 100), (54, 100), (110, 200), (172, 300))),
    "abcde": ((5, 200), 100, ((60, 200), (79, 200), (139, 300), (158, 400))),
    "ab-d-bc": ((2, 50), 50, ((2, 49), (4, 49), (3, 99), (5, 149))),
    "zero-twos": ((2, 50), 50, ((2, 49), (4, 49), (2, 99), (6, 149))),
}

LANGUAGES = tuple(_PUBLISHED)
"""Names of the seventeen languages."""


def windows(name: str, *, faithful: bool = False) -> Windows:
    """Return the length ranges of one of the seventeen languages.

    Example:
        >>> windows("tomita-4").bins
        ((1, 100), (101, 150), (151, 200))
    """
    if name not in _PUBLISHED:
        raise unknown("published language", name, _PUBLISHED)
    (low, high), step, committed = _PUBLISHED[name]
    if faithful:
        return Windows(committed[0], committed[1:])
    second, third = (high + 1, high + step), (high + step + 1, high + 2 * step)
    return Windows((low, high), ((low, high), second, third))


def published_windows(text: str) -> Windows:
    """Return the lengths of the authors' data for a task as people name it.

    Example:
        >>> published_windows("d-2:supervision=next").train
        (12, 50)
    """
    name = Component.parse(text, TASKS).name
    if name not in _PUBLISHED:
        raise InputError(
            f"task {name!r} has no published windows; these have: {', '.join(LANGUAGES)}."
        )
    return windows(name, faithful=True)


def length_ranges(task: Task) -> list[dict[str, str]]:
    """Return where to train and to test by the papers, as rows of text; empty if none says so.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> length_ranges(load_task("scan"))[1]
        {'for': 'test', 'lengths': '26:48'}
    """
    split = getattr(task, "split", None)
    if split is not None:
        return [{"for": part, "lengths": _text(getattr(split, part))} for part in ("train", "test")]
    if task.name not in _PUBLISHED:
        return []
    apart, published = windows(task.name), windows(task.name, faithful=True)
    rows = [("train", apart.train, published.train)]
    rows += [
        (f"bin {number}", *pair)
        for number, pair in enumerate(zip(apart.bins, published.bins, strict=True), start=1)
    ]
    return [
        {"for": part, "disjoint": _text(ours), "published": _text(theirs)}
        for part, ours, theirs in rows
    ]


def _text(window: Range) -> str:
    return f"{window[0]}:{window[1]}"
