"""More tasks as users write them: lookups, comparisons, counts in binary, promises."""

from typing import ClassVar

import numpy as np

from lengthwise.bench.cases import Case
from lengthwise.bench.cases.tasks import Answering, Distinct


class FirstThenPlace(Answering):
    """A digit, then letters: the letter at the place that the digit says."""

    letters: ClassVar[str] = "12345ab"
    min_length: ClassVar[int] = 5

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw the digit and the letters."""
        drawn = "".join("ab"[int(k)] for k in rng.integers(0, 2, length))
        return "12345"[int(rng.integers(0, 5))] + drawn

    def answer(self, word: str) -> str:
        """``2 a b a a a -> b``."""
        return word[int(word[0])]


class StoodBefore(Distinct):
    """What stood before the letter that is asked for."""

    letters: ClassVar[str] = "abcdefghij"
    others: ClassVar[str] = "?"
    min_length: ClassVar[int] = 2

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw distinct letters and ask for one of them, not the first."""
        drawn = super().word(rng, length)
        return f"{drawn}?{drawn[int(rng.integers(1, length))]}"

    def answer(self, word: str) -> str:
        """``c a b ? b -> a``."""
        return word[word.index(word[-1]) - 1]


class BinaryCount(Answering):
    """How many a's there are, in binary, lowest digit first."""

    others: ClassVar[str] = "01"

    def answer(self, word: str) -> str:
        """``a b a -> 0 1``."""
        return f"{word.count('a'):b}"[::-1]


class Smaller(Answering):
    """Is the first of two binary numbers of one size the smaller one?"""

    letters: ClassVar[str] = "01"
    others: ClassVar[str] = "<yn"

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw two numbers that often begin alike."""
        one, two = (rng.integers(0, 2, length).tolist() for _ in range(2))
        alike = int(rng.integers(0, length + 1))
        return "".join(map(str, one)) + "<" + "".join(map(str, one[:alike] + two[alike:]))

    def answer(self, word: str) -> str:
        """``0 1 < 1 0 -> y``."""
        one, two = word.split("<")
        return "y" if one < two else "n"


class PrimeNumber(Answering):
    """Is the number of a's a prime?"""

    others: ClassVar[str] = "yn"

    def answer(self, word: str) -> str:
        """``a b a -> y``."""
        size = word.count("a")
        return "y" if size > 1 and all(size % k for k in range(2, size)) else "n"


class OneKindChanged(Answering):
    """Nested brackets of two kinds, perhaps one of another kind: then counts tell."""

    letters: ClassVar[str] = "()[]"
    others: ClassVar[str] = "yn"

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw a nested word; change the kind of one bracket in half of them."""
        word: list[str] = []
        left: list[str] = []
        for place in range(2 * length):
            if not left or (len(left) < 2 * length - place and rng.integers(0, 2)):
                kind = int(rng.integers(0, 2))
                left.append(")]"[kind])
                word.append("(["[kind])
            else:
                word.append(left.pop())
        if rng.integers(0, 2):
            place = int(rng.integers(0, len(word)))
            word[place] = {"(": "[", "[": "(", ")": "]", "]": ")"}[word[place]]
        return "".join(word)

    def answer(self, word: str) -> str:
        """``( ] -> n``."""
        return "y" if all(word.count(a) == word.count(b) for a, b in ("()", "[]")) else "n"


def _own(name: str, plain: bool, general: bool, reason: str) -> Case:
    return Case(f"{__file__}:{name}", {"plain": plain, "periodic_local": general}, reason)


CASES = [
    _own("FirstThenPlace", True, True, "five constant places, by the first symbol"),
    _own("StoodBefore", True, True, "first places one apart: counts of what stands before"),
    _own("BinaryCount", False, False, "the first digit is the parity"),
    _own("Smaller", False, False, "every first number must be told apart"),
    _own("PrimeNumber", False, False, "along powers of a no period: not Presburger"),
    _own("OneKindChanged", True, True, "on these prompts as many of each kind decide"),
]
"""Nothing in ``predict`` knows these."""
