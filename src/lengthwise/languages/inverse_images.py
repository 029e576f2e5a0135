"""Smaller languages inside a predicate: letters replaced by pieces, between a start and an end.

    pieces x -> a, y -> bb    start c, end b      the image has xyx  iff  the predicate has cabbab

C-RASP read behind the word is closed under such inverse images and under quotients (Yang, Veseli
et al. 2026, Proposition 41), so what an image needs the whole predicate needs. An image may be
regular where the predicate is not.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from lengthwise.languages.asked import Asked

NAMES = "xyz"
UNITS = 24
"""Powers of a piece by which candidates are sorted."""


class Image(Asked):
    """The words over x, y, z whose replacement, with a start and an end, the predicate accepts.

    Example:
        >>> even = Image(Asked(lambda word: len(word) % 4 == 1, "ab"), "", ("aa", "bb"), "a")
        >>> even("x"), even("xy"), even.shape
        (False, True, "words x -> 'aa', y -> 'bb' before 'a'")
    """

    def __init__(self, asked: Asked, start: str, pieces: Sequence[str], end: str) -> None:
        super().__init__(None, NAMES[: len(pieces)])
        self._asked, self._start, self._end = asked, start, end
        self._piece = dict(zip(NAMES, pieces, strict=False))

    def replaced(self, word: str) -> str:
        """Return the word that stands for one of the image's."""
        return self._start + "".join(self._piece[c] for c in word) + self._end

    def answers(self, words: Sequence[str]) -> list[bool]:
        """Ask the predicate about the words that these stand for."""
        return self._asked.ask([self.replaced(word) for word in words])

    @property
    def even(self) -> bool:
        """Whether all pieces have one length: then positions and windows survive as well."""
        return len({len(piece) for piece in self._piece.values()}) == 1

    @property
    def shape(self) -> str:
        """The image in words."""
        pieces = ", ".join(f"{name} -> {piece!r}" for name, piece in self._piece.items())
        start = f" behind {self._start!r}" if self._start else ""
        end = f" before {self._end!r}" if self._end else ""
        return f"words {pieces}{start}{end}"


class Powers(NamedTuple):
    """The words start + piece^n + end, n = 0, 1, ..."""

    start: str
    piece: str
    end: str

    def word(self, number: int) -> str:
        """Return the word with so many copies."""
        return self.start + self.piece * number + self.end


def starts_and_ends(
    asked: Asked, rng: np.random.Generator, *, bare_end: bool
) -> list[tuple[str, str]]:
    """Return what to put around images: nothing, letters, pairs, and cuts of short members.

    Without ``bare_end`` the end is never empty, for the last letter is visible.
    """
    letters = asked.letters[:6]
    ends = ["", *letters] if bare_end else list(letters)
    pairs = ["".join(p) for p in product(letters, repeat=2)]
    found = [("", end) for end in (*ends, *pairs)]
    found += [(start, end) for start in letters for end in ends]
    for length in range(2, min(asked.complete, 7) + 1):
        rows = np.flatnonzero(asked.tables[length])
        for index in rng.permutation(rows)[:3]:
            word = asked.word(length, int(index))
            found += [(word[:cut], word[cut:]) for cut in range(length + bare_end)]
    return list(dict.fromkeys(found))


def even_images(asked: Asked, around: Sequence[tuple[str, str]]) -> Iterator[Image]:
    """Yield images of two or three letters or of pairs of letters, plain ones first."""
    letters = asked.letters[:6]
    pairs = ["".join(p) for p in product(letters[:4], repeat=2)]
    choices = [*combinations(letters, 2), *combinations(letters[:4], 3)]
    yield from (Image(asked, *_put(item, pieces)) for pieces in choices for item in around)
    wide = list(combinations(pairs, 2))
    yield from (Image(asked, *_put(item, pieces)) for pieces in wide for item in around[:12])


def _put(around: tuple[str, str], pieces: Sequence[str]) -> tuple[str, Sequence[str], str]:
    return around[0], pieces, around[1]


def promising(image: Image, most: int = 6) -> bool:
    """Whether short words of an image need more than one state and only a few."""
    longest = 5 if len(image.letters) < 3 else 4
    half = longest // 2
    prefixes = ["".join(p) for n in range(half + 1) for p in product(image.letters, repeat=n)]
    suffixes = [
        "".join(p) for n in range(longest - half + 1) for p in product(image.letters, repeat=n)
    ]
    answers = image.ask([p + s for p in prefixes for s in suffixes])
    size = len(suffixes)
    rows = {tuple(answers[k * size : (k + 1) * size]) for k in range(len(prefixes))}
    return 1 < len(rows) <= most


def all_powers(asked: Asked, around: Sequence[tuple[str, str]]) -> Iterator[Powers]:
    """Yield powers of short pieces, between a start and an end."""
    letters = asked.letters[:4]
    pieces = ["".join(p) for n in (1, 2) for p in product(letters, repeat=n)]
    if len(asked.letters) <= 2:
        pieces += ["".join(p) for p in product(letters, repeat=3)]
    yield from (Powers(start, piece, end) for piece in pieces for start, end in around)


def restless(asked: Asked, powers: Powers) -> bool:
    """Whether the answer still changes among the last of the first few powers."""
    answers = asked.ask([powers.word(n) for n in range(UNITS)])
    return len(set(answers[UNITS // 2 :])) > 1
