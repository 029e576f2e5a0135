"""Checking fooling sets by calling the predicate: nothing here is shared with the search."""

from collections.abc import Callable, Mapping
from typing import Any

from lengthwise.core.errors import InputError

LEAST_SETS, LEAST_LENGTH = 5, 100
LONGER = 4
"""Suffixes are at most so many times as long as prefixes, and a little more."""


def check_fooling(certificate: Mapping[str, Any], member: Callable[[str], bool]) -> list[int]:
    """Return the sizes of the sets, or say in one line what does not hold.

    Every set holds different prefixes of one length and suffixes that are not much longer. Suffixes
    of one length bound limit transformers; suffixes of several lengths bound C-RASP programs, whose
    counts do not depend on what follows. The prefixes' rows of answers must all differ, and each
    set must be at least half as large again as the one before.
    The long pairs must be told apart by their suffix, and some must be long.

    Example:
        >>> check_fooling({"sets": [], "pairs": []}, lambda word: True)
        Traceback (most recent call last):
        ...
        lengthwise.core.errors.InputError: fooling sets: there are 0 sets; at least 5 are needed.
    """
    sets, pairs = certificate["sets"], certificate["pairs"]
    if len(sets) < LEAST_SETS:
        raise _wrong(f"there are {len(sets)} sets; at least {LEAST_SETS} are needed")
    sizes: list[int] = []
    for number, found in enumerate(sets, 1):
        prefixes, suffixes = found["prefixes"], found["suffixes"]
        if len({len(word) for word in prefixes}) != 1:
            raise _wrong(f"set {number}: its prefixes have different lengths")
        if max(map(len, suffixes), default=0) > LONGER * (1 + len(prefixes[0])):
            raise _wrong(f"set {number}: its suffixes are much longer than its prefixes")
        seen: dict[str, str] = {}
        for prefix in prefixes:
            row = "".join("1" if member(prefix + suffix) else "0" for suffix in suffixes)
            if row in seen:
                raise _wrong(f"set {number}: {seen[row]!r} and {prefix!r} are not told apart")
            seen[row] = prefix
        sizes.append(len(prefixes))
        if number > 1 and 2 * sizes[-1] < 3 * sizes[-2]:
            raise _wrong(f"set {number} has {sizes[-1]} prefixes after {sizes[-2]}: no such growth")
    for one, two, suffix in pairs:
        if len(one) != len(two) or bool(member(one + suffix)) == bool(member(two + suffix)):
            raise _wrong(f"{one!r} and {two!r} are not told apart by {suffix!r}")
    if max((len(one) for one, _, _ in pairs), default=0) < LEAST_LENGTH:
        raise _wrong(f"no pair has {LEAST_LENGTH} letters or more")
    return sizes


def _wrong(text: str) -> InputError:
    return InputError(f"fooling sets: {text}.")
