"""The words on which candidate programs are told apart, stored so that prefixes share work.

An operation's value at a position depends only on the prefix up to there. So the bank is a tree of
prefixes, and a candidate's *signature* is its value after each prefix: one number per word. With
``w'`` for w without its last letter, ``#P`` at the end of w is

    #P(w) = #P(w') + P(w)

so counts of the next depth follow by adding along the tree, one level at a time:

    row      0   1 |  2    3    4    5     levels: words of length 1, 2, ...
    word     a   b |  aa   ab   ba   bb
    parent  -1  -1 |  0    0    1    1
    "b"      0   1 |  0    1    0    1
    #"b"     0   1 |  0    1    1    2     = "b" + (#"b" of the parent)

All words to length 8 over two letters are 510 rows, where whole words would be 3,586 positions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lengthwise.languages.words import Words

Codes = tuple[int, ...]


@dataclass(frozen=True)
class Bank:
    """Non-empty words closed under prefixes, shortest first.

    ``parent[w]`` is the word without its last letter (-1 for single letters), ``letter[w]`` its
    last letter, ``length[w]`` its length; ``levels`` are the slices of equal length. ``words`` maps
    a word's codes to its row.
    """

    letters: tuple[str, ...]
    words: dict[Codes, int]
    parent: np.ndarray
    letter: np.ndarray
    length: np.ndarray
    levels: tuple[slice, ...]

    @classmethod
    def build(cls, letters: Sequence[str], words: Iterable[Codes]) -> "Bank":
        """Return the bank of the given words and all their prefixes."""
        prefixes = {word[:size] for word in words for size in range(1, len(word) + 1)}
        order = sorted(prefixes, key=lambda word: (len(word), word))
        rows = {word: row for row, word in enumerate(order)}
        length = np.array([len(word) for word in order], dtype=np.int64)
        edges = np.searchsorted(length, np.arange(1, length.max(initial=0) + 2))
        levels = tuple(slice(int(a), int(b)) for a, b in pairwise(edges))
        return cls(
            tuple(letters),
            rows,
            np.array([rows.get(word[:-1], -1) for word in order], dtype=np.int64),
            np.array([word[-1] for word in order], dtype=np.int64),
            length,
            levels,
        )

    @property
    def size(self) -> int:
        """How many words."""
        return len(self.parent)

    def running(self, values: np.ndarray) -> np.ndarray:
        """Return running counts of Booleans (candidates, words) along each word.

        Words may be left out at the end, whole lengths at once; here and in ``shifted``.
        """
        counts = values.astype(np.int16)
        for level in self.levels[1:]:
            if level.stop <= values.shape[1]:
                counts[:, level] += counts[:, self.parent[level]]
        return counts

    def shifted(self, values: np.ndarray, distance: int) -> np.ndarray:
        """Return Booleans as they were ``distance`` positions earlier; False before the start."""
        ancestor = np.arange(values.shape[1])
        for _ in range(min(distance, len(self.levels))):
            ancestor = np.where(ancestor >= 0, self.parent[ancestor], -1)
        return values[:, ancestor] & (ancestor >= 0)

    def near(self, values: np.ndarray, distances: Iterable[int]) -> np.ndarray:
        """Return how many of the positions at some distances satisfy Booleans."""
        return sum(
            (self.shifted(values, d).astype(np.int16) for d in distances),
            np.zeros((), dtype=np.int16),
        )

    def as_words(self) -> Words:
        """Return the words as a batch, row by row."""
        order = sorted(self.words, key=self.words.__getitem__)
        return Words.encode([[self.letters[code] for code in word] for word in order], self.letters)


def all_codes(size: int, length: int) -> list[Codes]:
    """Return all words of one length over ``size`` letters; the bank adds their prefixes."""
    tokens: list[Codes] = [()]
    for _ in range(length):
        tokens = [(*word, code) for word in tokens for code in range(size)]
    return tokens
