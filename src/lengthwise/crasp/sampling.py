"""Longer words to try a program on: uniform ones, members of the language, and near misses."""

from collections.abc import Iterator, Sequence

import numpy as np

from lengthwise.crasp.targets import Target
from lengthwise.languages.words import Words

Codes = Sequence[int]


def longer_words(
    target: Target,
    members: Sequence[Codes],
    low: int,
    high: int,
    count: int,
    rng: np.random.Generator,
) -> Iterator[Words]:
    """Yield batches of about ``count`` words in all, of lengths ``low`` to ``high``.

    A third is uniform; a third are members (drawn from the automaton if there is one, else known
    short members put together and powers of their letters); the last third are those with one
    letter changed, removed or added.
    """
    share = max(1, count // 3)
    size = len(target.letters)
    uniform = [rng.integers(size, size=n).tolist() for n in rng.integers(low, high + 1, share)]
    yield _batch(uniform, target.letters)
    near = _members(target, members, low, high, share, rng)
    if near:
        yield _batch(near, target.letters)
        yield _batch([_edit(word, size, rng) for word in near], target.letters)


def _batch(rows: Sequence[Codes], letters: Sequence[str]) -> Words:
    return Words.encode([[letters[code] for code in row] for row in rows], letters)


def _members(
    target: Target,
    members: Sequence[Codes],
    low: int,
    high: int,
    share: int,
    rng: np.random.Generator,
) -> list[Codes]:
    automaton = target.automaton
    if automaton is not None:
        possible = [n for n in range(low, high + 1) if automaton.count_words(n)]
        if not possible:
            return []
        lengths = rng.choice(possible, share)
        drawn = automaton.sample(rng, lengths)
        return [row[:n].tolist() for row, n in zip(drawn, lengths, strict=True)]
    parts = [word for word in members if word]
    return [_assemble(parts, low, high, rng) for _ in range(share)] if parts else []


def _assemble(parts: Sequence[Codes], low: int, high: int, rng: np.random.Generator) -> Codes:
    """Make a longer word from short ones: put several after another, or repeat each letter."""
    goal = int(rng.integers(low, high + 1))
    first = parts[int(rng.integers(len(parts)))]
    if rng.random() < 0.4:
        times = max(1, goal // len(first))
        return [code for code in first for _ in range(times)]
    word: list[int] = []
    while len(word) < goal:
        word += parts[int(rng.integers(len(parts)))]
    return word


def _edit(word: Codes, letters: int, rng: np.random.Generator) -> Codes:
    place = int(rng.integers(max(len(word), 1)))
    kind = rng.integers(3)
    middle = [] if kind == 0 else [int(rng.integers(letters))]
    rest = word[place:] if kind == 2 else word[place + 1 :]
    return [*word[:place], *middle, *rest]
