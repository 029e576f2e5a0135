"""The words of Huang et al. (2024): how the authors' code draws those of each language.

Every generator is given a window of lengths and draws words that may fall outside it or outside the
language; those are rejected, as in the authors' code. Lengths are therefore not uniform: D_n has
words near three quarters of the window, aa*bb*cc*dd*ee* near its end. Not copied: duplicates are
rejected there, so that small windows are drawn without replacement.

    name        how a word is drawn, for lengths ``low`` to ``high``
    (aa)*       a whole number of units, uniform
    tomita-3    blocks of random length; after an odd run of 1s an even block of 0s
    tomita-4    fair bits; a 1 where a third 0 would follow
    tomita-5,6  fair bits, each the last with chance 1 / (1 + middle of the window)
    tomita-7    four blocks, each uniform in what is left
    D_n         a D_{n-1} b repeated until 3/4 of the window (10% spread), recursively
    abcde       every letter takes a uniform part of what is left
    ab-d-bc     prefix and suffix of uniform lengths, letters uniform; {0,1,2}*02* alike
"""

from collections.abc import Callable, Iterable

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA

Words = list[Int[np.ndarray, "n"]]
Generator = Callable[[np.random.Generator, int, int, int], Iterable[Int[np.ndarray, "n"]]]
"""Draws a number of candidates for a window; letters are numbers in the order of the alphabet."""
ROUNDS = 2000


def drawn(
    rng: np.random.Generator, generator: Generator, dfa: DFA, window: tuple[int, int], count: int
) -> Int[np.ndarray, "b n"]:
    """Draw words of a language in a window, -1 behind them, rejecting what does not fit.

    A window of one length is drawn from wider ones, since some generators miss most lengths there.
    """
    low, high = window
    found, many = np.empty((0, high), dtype=np.int64), 0
    for _ in range(ROUNDS if low < high else 100):
        asked = window if low < high else (min(low, 5), int(rng.integers(low, 4 * low // 3 + 3)))
        made = [w for w in generator(rng, *asked, max(8, count - many)) if low <= len(w) <= high]
        rows = np.full((len(made), high), -1, dtype=np.int64)
        for row, word in zip(rows, made, strict=True):
            row[: len(word)] = word
        last = dfa.run(rows)[np.arange(len(rows)), (rows >= 0).sum(axis=1)]
        found = np.concatenate([found, rows[dfa.accepting[last]]])
        many = len(found)
        if many >= count:
            kept = found[:count]
            return kept[:, : int((kept >= 0).sum(axis=1).max(initial=0))]
    raise InputError(f"no words of lengths {low}:{high} are drawn as the authors do.")


def units(*letters: int) -> Generator:
    """Return the generator of a repeated unit."""

    def draw(rng: np.random.Generator, low: int, high: int, count: int) -> Words:
        times = rng.integers(low, high + 1, count) // len(letters)
        return [np.tile(np.array(letters), int(n)) for n in times]

    return draw


def pairs(rng: np.random.Generator, low: int, high: int, count: int) -> Words:
    """Draw words of (10)*."""
    times = (rng.integers(low, max(high, low + 1), count) + 1) // 2
    return [np.tile(np.array([1, 0]), int(n)) for n in times]


def blocks(rng: np.random.Generator, low: int, high: int, count: int) -> Words:
    """Draw words of Tomita-3 block by block."""
    return [_blocks(rng, int(n)) for n in rng.integers(low, high + 1, count)]


def _blocks(rng: np.random.Generator, length: int) -> Int[np.ndarray, "n"]:
    word: list[int] = []
    last: int | None = None
    ones = 0
    while len(word) < length:
        letter, left = int(rng.integers(2)), length - len(word)
        if letter == 0 and last is not None and ones % 2:
            size = 2 * int(rng.integers(0, left // 2 + 1))
        else:
            size = int(rng.integers(0, left + 1))
        word += [letter] * size
        if letter == 1:
            ones = size if last == 0 and size else ones + size
        if size:
            last = letter
    return np.array(word, dtype=np.int64)


def no_three_zeros(rng: np.random.Generator, low: int, high: int, count: int) -> Words:
    """Draw fair bits, a 1 where a third 0 would follow."""
    bits = rng.integers(0, 2, (count, high))
    for n in range(2, high):
        bits[(bits[:, n - 1] == 0) & (bits[:, n - 2] == 0), n] = 1
    return [row[:n] for row, n in zip(bits, rng.integers(low, high + 1, count), strict=True)]


def stopped(rng: np.random.Generator, low: int, high: int, count: int) -> Words:
    """Draw fair bits that end by chance, at the latest at the end of the window."""
    middle = (low + high) // 2
    many = 4 * count  # a quarter is in the language, some are too short
    lengths = np.minimum(rng.geometric(1 / (1 + middle), many) - 1, high)
    bits = rng.integers(0, 2, (many, high))
    return [row[:n] for row, n in zip(bits, lengths, strict=True) if n >= low]


def four_blocks(rng: np.random.Generator, low: int, high: int, count: int) -> Words:
    """Draw 0*1*0*1*, each block uniform in what is left of the window."""
    left = np.full(count, high)
    sizes: list[np.ndarray] = []
    for _ in range(4):
        sizes.append(rng.integers(0, left + 1))
        left = left - sizes[-1]
    return [np.repeat([0, 1, 0, 1], row) for row in np.stack(sizes, axis=1)]


def nested(depth: int) -> Generator:
    """Return the generator of D_n."""

    def draw(rng: np.random.Generator, low: int, high: int, count: int) -> Words:
        return [
            np.array(_nested(rng, depth, _part(rng, high)), dtype=np.int64) for _ in range(count)
        ]

    return draw


def _part(rng: np.random.Generator, longest: int) -> int:
    return int(longest * 0.75 * (0.1 * rng.standard_normal() + 1))


def _nested(rng: np.random.Generator, depth: int, longest: int) -> list[int]:
    if depth == 0 or longest == 0:
        return []
    word: list[int] = []
    while len(word) < longest:
        word += [0, *_nested(rng, depth - 1, _part(rng, longest)), 1]
    return word


def five_letters(rng: np.random.Generator, low: int, high: int, count: int) -> Words:
    """Draw aa*bb*cc*dd*ee*: every letter takes a uniform part of what is left."""
    low = max(low, 5)
    left = np.full(count, high - low + 1)
    sizes: list[np.ndarray] = []
    for _ in range(5):
        part = np.where(left > 0, rng.integers(0, np.maximum(left, 1)) + 1, 0)
        sizes.append(low // 5 + part)
        left = left - part
    return [np.repeat(np.arange(5), row) for row in np.stack(sizes, axis=1)]


def around(before: tuple[int, ...], letter: int, behind: tuple[int, ...]) -> Generator:
    """Return the generator of a prefix, one letter and a suffix, both of uniform lengths."""

    def draw(rng: np.random.Generator, low: int, high: int, count: int) -> Words:
        longest = max(high, low + 1, 2)  # the authors' words are shorter than the window's end
        first = rng.integers(0, longest - 1, count)
        then = rng.integers(0, longest - first - 1)
        return [
            np.concatenate([rng.choice(before, m), [letter], rng.choice(behind, n)])
            for m, n in zip(first, then, strict=True)
        ]

    return draw
