"""A program that answers by the last letters: a table of windows, written with ``#[i-d]``."""

from collections.abc import Iterable, Mapping, Sequence

from lengthwise.crasp.embedding import Q, all_of, any_of, prev, true
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool

Window = tuple[str, ...]


def window_program(
    answers: Mapping[Window, str], alphabet: Sequence[str], outputs: Iterable[str]
) -> Program:
    """Write the program whose ``next`` at a position is the answer of the window that ends there.

    A window shorter than the widest one stands at the beginning of a word only. Letters that change
    nothing are left out, oldest first.

    Example:
        >>> print(window_program({("a",): "x", ("a", "b"): "y"}, "ab", "xy"), end="")
        alphabet "a" "b" "x" "y"
        next "x" = "a"
        next "y" = "b"
    """
    rules = _shortened(answers)
    groups: dict[tuple[str, Window, int], list[str | None]] = {}
    for (window, begins), name in rules.items():
        rest, oldest = (window, None) if begins or len(window) == 1 else (window[1:], window[0])
        groups.setdefault((name, rest, 2 * begins + (oldest is not None)), []).append(oldest)
    cases: dict[str, list[Bool]] = {name: [] for name in outputs}
    for (name, rest, kind), oldest in groups.items():
        parts = _letters(rest)
        if kind == 1:
            one_of = any_of(Q[letter] for letter in oldest if letter is not None)
            parts.append(prev(one_of, len(rest)))
        elif kind == 2:
            parts.append(~prev(true, len(rest)))
        cases[name].append(all_of(parts))
    letters = tuple(dict.fromkeys((*alphabet, *cases)))
    return Program([], alphabet=letters, next={n: any_of(found) for n, found in cases.items()})


def _letters(window: Window) -> list[Bool]:
    """Say that these are the last letters."""
    newest_first = list(reversed(window))
    return [Q[a] if back == 0 else prev(Q[a], back) for back, a in enumerate(newest_first)]


def _shortened(answers: Mapping[Window, str]) -> dict[tuple[Window, bool], str]:
    """Drop the oldest letters of windows where the answer does not depend on them.

    The flag says that the word must begin with the window: a longer one gives another answer.
    """
    width = max(map(len, answers), default=1)
    by_suffix: dict[Window, set[str]] = {}
    for window, name in answers.items():
        for size in range(1, len(window) + 1):
            by_suffix.setdefault(window[-size:], set()).add(name)
    found: dict[tuple[Window, bool], str] = {}
    for window, name in answers.items():
        sizes = (size for size in range(1, len(window) + 1) if len(by_suffix[window[-size:]]) == 1)
        size = next(sizes, None)
        if size is not None:
            found[window[-size:], False] = name
        else:  # longer windows end in it and have other answers
            assert len(window) < width
            found[window, True] = name
    return found
