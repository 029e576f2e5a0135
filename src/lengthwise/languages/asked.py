"""What was asked of a predicate on words: every answer is kept, and it can be said what was read.

Answers to all words of one length are a table in dictionary order, so that automata are compared
with hundreds of thousands of words at once; all other words are kept one by one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits

MOST_WORDS = 300_000
"""All words of a length are read as long as there are no more than this many altogether."""
MOST_LENGTH = 400
"""Nor is every length read beyond this one, which only an alphabet of one letter reaches."""
CHUNK = 4_096


class Asked:
    """The answers of a predicate; each word is asked once.

    ``complete`` is the length up to which all words are known, ``tables[n]`` their answers in
    dictionary order, ``others`` the longer words that were asked.

    Example:
        >>> asked = Asked(lambda word: word.count("a") % 2 == 0, "ab")
        >>> asked.read_all(most=100)
        >>> asked("aab"), asked("ab" * 20), asked.sentence
        (True, True, 'all words to length 5, 1 other to length 40; nothing is known beyond')
    """

    has_sampler = False
    """Whether the user draws members himself."""

    def __init__(self, member: Callable[[str], object] | None, letters: Iterable[str]) -> None:
        self.letters = tuple(letters)
        self._member = member
        self.complete = -1
        self.tables: list[np.ndarray] = []
        self.others: dict[str, bool] = {}
        self._code = {letter: code for code, letter in enumerate(self.letters)}

    def __call__(self, word: str) -> bool:
        """Return the answer for one word."""
        return self.ask([word])[0]

    def ask(self, words: Sequence[str]) -> list[bool]:
        """Return the answers for some words; unknown ones are asked together."""
        unknown = [w for w in dict.fromkeys(words) if len(w) > self.complete]
        unknown = [w for w in unknown if w not in self.others]
        for start in range(0, len(unknown), CHUNK):
            chunk = unknown[start : start + CHUNK]
            self.others.update(zip(chunk, self.answers(chunk), strict=True))
        return [self._look(word) for word in words]

    def _look(self, word: str) -> bool:
        if len(word) > self.complete:
            return self.others[word]
        return bool(self.tables[len(word)][self.index(word)])

    def index(self, word: str) -> int:
        """Return the number of a word among all of its length, in dictionary order."""
        number, size = 0, len(self.letters)
        for letter in word:
            number = number * size + self._code[letter]
        return number

    def word(self, length: int, index: int) -> str:
        """Return the word of a length with a number: the inverse of ``index``."""
        found: list[str] = []
        for _ in range(length):
            index, code = divmod(index, len(self.letters))
            found.append(self.letters[code])
        return "".join(reversed(found))

    def answers(self, words: Sequence[str]) -> list[bool]:
        """Call the predicate; the only place where it is called."""
        return [self._answer(word) for word in words]

    def _answer(self, word: str) -> bool:
        assert self._member is not None
        try:
            return bool(self._member(word))
        except Exception as error:
            raise InputError(
                f"the function failed on the word {word!r}: {type(error).__name__}: {error}."
            ) from error

    def drawn_members(self, lengths: Sequence[int], seed: int = 0) -> list[str]:
        """Return members of about these lengths that the user draws; here there are none."""
        del lengths, seed
        return []

    def read_all(
        self, *, most: int = MOST_WORDS, longest: int = MOST_LENGTH, seconds: float = 60.0
    ) -> None:
        """Ask all words, shortest first, as far as the number of words and the time allow."""
        limits, size, spent = Limits(seconds), len(self.letters), 0.0
        total = sum(size**n for n in range(self.complete + 1))
        while self.complete < longest and total + size ** (self.complete + 1) <= most:
            began = limits.spent()
            if began + spent * size > seconds:
                return  # the next length would take about that much
            if not self._read_length(self.complete + 1, limits):
                return
            total += size**self.complete
            spent = limits.spent() - began

    def _read_length(self, length: int, limits: Limits) -> bool:
        """Ask all words of one length; False when the time was over before."""
        words = map("".join, product(self.letters, repeat=length))
        table = np.empty(len(self.letters) ** length, dtype=bool)
        start, size = 0, 64
        while chunk := list(islice(words, size)):
            began = limits.spent()
            if start and limits.over:
                return False
            table[start : start + len(chunk)] = self.answers(chunk)
            start += len(chunk)
            size = min(CHUNK, 2 * size if limits.spent() - began < 0.1 else size)
        self.tables.append(table)
        self.complete = length
        self.others = {w: answer for w, answer in self.others.items() if len(w) > length}
        return True

    def members(self, length: int) -> Iterator[str]:
        """Yield the members of one length that were read, in dictionary order."""
        if length <= self.complete:
            for index in np.flatnonzero(self.tables[length]):
                yield self.word(length, int(index))
        else:
            yield from (w for w, answer in self.others.items() if answer and len(w) == length)

    @property
    def constant(self) -> bool:
        """Whether every non-empty word that was asked has the same answer."""
        seen = {bool(value) for table in self.tables[1:] for value in np.unique(table)}
        return len(seen | {answer for word, answer in self.others.items() if word}) < 2

    @property
    def one_sided(self) -> bool:
        """Whether all words longer than half of what was read completely have the same answer.

        Then nothing is known about long words but that members, or words outside, are rare.
        """
        half = self.complete // 2
        seen = {bool(value) for table in self.tables[half + 1 :] for value in np.unique(table)}
        return len(seen | {answer for w, answer in self.others.items() if len(w) > half}) < 2

    @property
    def questions(self) -> int:
        """How many words were asked."""
        return sum(len(table) for table in self.tables) + len(self.others)

    @property
    def sentence(self) -> str:
        """What was read, in one line."""
        parts = [] if self.complete < 0 else [f"all words to length {self.complete}"]
        if self.others:
            number, longest = len(self.others), max(map(len, self.others))
            name = ("other" if parts else "word") + ("s" if number > 1 else "")
            parts.append(f"{number:,} {name} to length {longest}")
        return f"{', '.join(parts) or 'no word'}; nothing is known beyond"
