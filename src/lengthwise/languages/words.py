"""Batches of words as arrays of letter codes, and reading words typed by people."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError

Word = Sequence[str]
"""A word: a sequence of symbols. A plain string is a word of one-character symbols."""


@dataclass(frozen=True)
class Words:
    """Words of possibly different lengths as codes into ``letters``, padded on the right.

    ``tokens`` has shape (batch, positions) and ``lengths`` (batch,); both are numpy arrays, or both
    torch tensors. The code ``len(letters)`` stands for any other letter and for padding.

    Example:
        >>> batch = Words.encode(["ab", "b"], "ab")
        >>> batch.tokens.tolist(), batch.lengths.tolist()
        ([[0, 1], [1, 2]], [2, 1])
    """

    tokens: Any
    lengths: Any
    letters: tuple[str, ...]

    @classmethod
    def encode(
        cls, words: Iterable[Word], letters: Iterable[str], *, strict: bool = False
    ) -> "Words":
        """Return the batch of ``words``; ``strict`` refuses letters outside ``letters``."""
        words, known = list(words), tuple(letters)
        codes = {letter: code for code, letter in enumerate(known)}
        other = len(known)
        rows = [[codes.get(letter, other) for letter in word] for word in words]
        if strict:
            _check_letters(words, rows, known)
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        shape = len(rows), int(lengths.max(initial=0))
        tokens = np.full(shape, other, dtype=np.min_scalar_type(other))
        for row, target in zip(rows, tokens, strict=True):
            target[: len(row)] = row
        return cls(tokens, lengths, known)

    @classmethod
    def of_codes(cls, tokens: Any, letters: Iterable[str], lengths: Any = None) -> "Words":
        """Return the batch of an integer array (batch, positions), numpy or torch."""
        if lengths is None:
            lengths = np.full(tokens.shape[0], tokens.shape[1], dtype=np.int64)
            if not isinstance(tokens, np.ndarray):
                lengths = tokens.new_full((tokens.shape[0],), tokens.shape[1]).long()
        return cls(tokens, lengths, tuple(letters))

    @property
    def count(self) -> int:
        """How many words."""
        return self.tokens.shape[0]

    @property
    def longest(self) -> int:
        """How many positions the array has."""
        return self.tokens.shape[1]

    @cached_property
    def uniform(self) -> bool:
        """Whether every word fills all positions."""
        return bool((self.lengths == self.longest).all())

    def word(self, index: int) -> tuple[str, ...]:
        """Return one word as symbols; other letters read ``?``."""
        names = (*self.letters, "?")
        row = self.tokens[index][: int(self.lengths[index])]
        return tuple(names[min(int(code), len(self.letters))] for code in row)


def _check_letters(
    words: Sequence[Word], rows: Sequence[Sequence[int]], known: Sequence[str]
) -> None:
    for word, row in zip(words, rows, strict=True):
        if len(known) in row:
            place = row.index(len(known))
            raise InputError(
                f"symbol {word[place]!r} at position {place + 1} is not in the alphabet "
                f"({' '.join(known)})."
            )


def all_words(letters: Sequence[str], length: int) -> Words:
    """Return all words of one length, in dictionary order.

    Example:
        >>> [word for word in map("".join, map(all_words("ab", 2).word, range(4)))]
        ['aa', 'ab', 'ba', 'bb']
    """
    return _numbered(letters, length, 0, len(letters) ** length)


def _numbered(letters: Sequence[str], length: int, start: int, stop: int) -> Words:
    """Return words number ``start`` to ``stop`` of one length: the digits of their numbers."""
    size = len(letters)
    rest = np.arange(start, stop, dtype=np.min_scalar_type(max(stop, size)))
    # Positions first in memory: running sums then add whole columns (see crasp.arrays).
    tokens = np.empty((length, len(rest)), dtype=np.min_scalar_type(size)).T
    for place in range(length - 1, -1, -1):
        above = rest // size
        tokens[:, place] = rest - above * size
        rest = above
    return Words.of_codes(tokens, letters)


def random_words(
    letters: Sequence[str], length: int, count: int, rng: "np.random.Generator"
) -> Words:
    """Return ``count`` words of one length, every letter independent and uniform."""
    code = np.min_scalar_type(len(letters))
    return Words.of_codes(rng.integers(len(letters), size=(count, length)).astype(code), letters)


def read_word(text: str, letters: Sequence[str]) -> tuple[str, ...]:
    """Split typed text into symbols: at spaces, or into characters when there are none.

    A text without spaces that is itself a letter of more than one character is that letter.

    Example:
        >>> read_word("( ( ) )", "()")
        ('(', '(', ')', ')')
        >>> read_word("SEP", ["0", "1", "SEP"])
        ('SEP',)
    """
    parts = text.split()
    if len(parts) == 1 and parts[0] not in tuple(letters):
        return tuple(parts[0])
    return tuple(parts)


def words_of_length(letters: Sequence[str], length: int, chunk: int) -> Iterator[Words]:
    """Yield all words of one length in dictionary order, at most ``chunk`` at a time."""
    total = len(letters) ** length
    for start in range(0, total, chunk):
        yield _numbered(letters, length, start, min(start + chunk, total))
