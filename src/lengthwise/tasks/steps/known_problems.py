"""Which problem a task asks, whatever its name and its words: tried on drawn instances.

    Compute 8 7 + 6 5 ? The answer is 1 5 2 .     8 7 + 6 5  ->  1 5 2     a sum, high digit first
    < 7 * 8 4 3 _ _ = 6 3 4 2 >                   7 * 8 4 3  ->  6 3 4 2   a product, low first
    Sort the following list [ M , E , F ] . ...   M E F      ->  E F M     sorted

Words of the frame occur equally often in every instance, and are taken off both ends; a symbol
between all others is a separator.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.steps.hinted_copy import MOST_LETTERS
from lengthwise.tasks.vocabulary import SPECIALS

Text = list[str]
Pair = tuple[Text, Text]
"""A prompt and its answer."""
DRAWN = 200


@dataclass(frozen=True)
class KnownProblem:
    """What is asked, by the name of the problem, and the symbols that are not of the frame."""

    name: str
    symbols: tuple[str, ...]

    @property
    def base(self) -> int:
        """The base of its digits."""
        return 2 if set(self.symbols) & DIGITS <= set("01") else 10


DIGITS = set("0123456789")


def known_problem(task: Task) -> KnownProblem | None:
    """Return the problem that all drawn instances of a task are instances of, if one is known.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> known_problem(load_task("repeat-copy")).name
        'copy'
        >>> known_problem(load_task("multiplication-steps")).name
        'times'
    """
    pairs = drawn_pairs(task)
    if pairs is None:
        return None
    prompts, answers = (_content([pair[side] for pair in pairs]) for side in (0, 1))
    used = {symbol for text in (*prompts, *answers) for symbol in text}
    symbols = tuple(symbol for symbol in task.vocabulary.symbols if symbol in used)
    for name, holds in PROBLEMS.items():
        if holds(list(zip(prompts, answers, strict=True)), symbols):
            return KnownProblem(name, symbols)
    return None


def drawn_pairs(task: Task) -> list[Pair] | None:
    """Return prompts and answers without special tokens; None if the task labels instead."""
    low = task.first_lengths(1)
    if not len(low):
        return None
    batch = task.draw(np.random.default_rng(0), int(low[0]), int(low[0]) + 12, DRAWN)
    found = [_read(task, batch, row) for row in range(len(batch.size))]
    known = [pair for pair in found if pair is not None]
    return known if len(known) == len(found) else None


def _read(task: Task, batch: Batch, row: int) -> Pair | None:
    size, targets = int(batch.size[row]), batch.targets[row]
    asked = np.flatnonzero(targets[:size] != IGNORE)
    tokens = batch.tokens[row]
    if not len(asked) or not np.array_equal(asked, np.arange(asked[0], size - 1)):
        return None
    if not np.array_equal(targets[asked], tokens[asked + 1]):
        return None
    text = [task.vocabulary.text(int(token)) for token in tokens[:size]]
    cut = int(asked[0]) + 1
    prompt, answer = ([s for s in part if s not in SPECIALS] for part in (text[:cut], text[cut:]))
    return prompt, answer


def _content(texts: list[Text]) -> list[Text]:
    """Take the frame off both ends of every text, and a separator out of it."""
    counts = [Counter(text) for text in texts]
    frame = {s for s in counts[0] if all(count[s] == counts[0][s] for count in counts)}
    ends = [_common(texts, frame), _common([text[::-1] for text in texts], frame)]
    inner = [text[ends[0] : len(text) - ends[1]] for text in texts]
    between = {symbol for text in inner for symbol in text[1::2]}
    others = {symbol for text in inner for symbol in text[::2]}
    if len(between) == 1 and not between & others and all(len(text) % 2 for text in inner):
        return [text[::2] for text in inner]
    return inner


def _common(texts: list[Text], frame: set[str]) -> int:
    """Count the first symbols that all texts share, as far as they are of the frame."""
    for place, symbol in enumerate(texts[0]):
        if symbol not in frame or any(text[place] != symbol for text in texts):
            return place
    return len(texts[0])


def _each(
    solve: Callable[[Text, Sequence[str]], Text],
) -> Callable[[list[Pair], Sequence[str]], bool]:
    return lambda pairs, symbols: all(solve(p, symbols) == answer for p, answer in pairs)


def _arithmetic(
    solve: Callable[[int, int], int], *, digit: bool
) -> Callable[[list[Pair], Sequence[str]], bool]:
    """Say whether the answers are those of an operation, with digits in either order."""

    def holds(pairs: list[Pair], symbols: Sequence[str]) -> bool:
        base = KnownProblem("", tuple(symbols)).base
        for order in (1, -1):
            read = [(_numbers(p, base, order), _numbers(a, base, order)) for p, a in pairs]
            fits = all(
                len(given) == 2
                and len(found) == 1
                and (not digit or given[0] < base)
                and solve(*given) == found[0]
                for given, found in read
            )
            if fits:
                return True
        return False

    return holds


def _numbers(text: Text, base: int, order: int) -> list[int]:
    """Read the numbers of a text: digits in a row, whatever stands between them.

    Example:
        >>> _numbers(list("12+30_="), 10, 1), _numbers(list("12+30_="), 10, -1)
        ([12, 30], [21, 3])
    """
    groups = "".join(symbol if symbol in DIGITS else " " for symbol in text).split()
    return [int(group[::order], base) for group in groups]


PROBLEMS: dict[str, Callable[[list[Pair], Sequence[str]], bool]] = {
    "copy": _each(lambda prompt, _: prompt),
    "reverse": _each(lambda prompt, _: prompt[::-1]),
    "sort": _each(lambda prompt, symbols: sorted(prompt, key=symbols.index)),
    "sum": _arithmetic(lambda one, two: one + two, digit=False),
    "times": _arithmetic(lambda one, two: one * two, digit=True),
}
"""Problems by name: whether answers are those to their prompts."""


def spelled(symbols: Sequence[str]) -> str:
    """Name symbols as an option of a task: themselves, or how many they are.

    Example:
        >>> spelled("ab"), spelled(["w1", "w2"]), spelled("a,b")
        ('letters=ab', 'letters=w1 w2', 'symbols=3')
    """
    if len(symbols) > MOST_LETTERS or any(set(symbol) & set(" ,;=#") for symbol in symbols):
        return f"symbols={len(symbols)}"
    single = all(len(symbol) == 1 for symbol in symbols)
    return f"letters={('' if single else ' ').join(symbols)}"
