"""Tasks with known truth: built-in ones, and small classes as a user would write them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.bench.cases import Case
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, sequence_batch
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class Answering(Task):
    """A word, ``<sep>``, the answer: a subclass says which words there are and what is answered."""

    name: ClassVar[str] = "answering"
    summary: ClassVar[str] = "a word and an answer to it"
    letters: ClassVar[str] = "ab"
    others: ClassVar[str] = ""

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The letters, then symbols that occur in answers only."""
        return Vocabulary(tuple(self.letters + self.others))

    def max_tokens(self, length: int) -> int:
        """Word, answer of at most twice its length, and the specials."""
        return 3 * length + 6

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw a word of a length; by default letters are independent."""
        return "".join(self.letters[int(k)] for k in rng.integers(0, len(self.letters), length))

    def answer(self, word: str) -> str:
        """Return the answer to a word."""
        raise NotImplementedError

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw words and answer them one by one."""
        words = [self.word(rng, int(length)) for length in lengths]
        return laid_out(self.vocabulary, words, [self.answer(word) for word in words], lengths)


def laid_out(
    vocabulary: Vocabulary,
    words: Sequence[str],
    answers: Sequence[str],
    lengths: Int[np.ndarray, "b"],
) -> Batch:
    """Return the batch of words and answers."""

    def padded(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        sizes = np.array([len(text) for text in texts])
        table = np.zeros((len(texts), max(1, int(sizes.max()))), dtype=np.int64)
        for row, text in zip(table, texts, strict=True):
            row[: len(text)] = vocabulary.encode(list(text))
        return table, sizes

    return sequence_batch(vocabulary, *padded(words), *padded(answers), lengths)


@dataclass(frozen=True, kw_only=True)
class Distinct(Answering):
    """Words of distinct letters."""

    letters: ClassVar[str] = "abcdefghijklmnopqrstuvwx"

    @property
    def longest(self) -> int:
        """Letters run out."""
        return len(self.letters)

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw letters without replacement."""
        return "".join(self.letters[int(k)] for k in rng.permutation(len(self.letters))[:length])


class SecondSymbol(Answering):
    """The second letter of three or more."""

    letters: ClassVar[str] = "abcd"
    min_length: ClassVar[int] = 2

    def answer(self, word: str) -> str:
        """``a c b -> c``."""
        return word[1]


class LastSymbol(Answering):
    """The last letter."""

    letters: ClassVar[str] = "abc"

    def answer(self, word: str) -> str:
        """``a c b -> b``."""
        return word[-1]


class LastButOne(Answering):
    """The last letter but one, at even lengths only."""

    min_length: ClassVar[int] = 2

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """List even lengths."""
        return np.arange(max(2, low + low % 2), high + 1, 2)

    def answer(self, word: str) -> str:
        """``a b -> a``."""
        return word[-2]


class SameEnds(Answering):
    """Are the first and the last letter equal?"""

    letters: ClassVar[str] = "abc"
    others: ClassVar[str] = "yn"

    def answer(self, word: str) -> str:
        """``a b a -> y``."""
        return "y" if word[0] == word[-1] else "n"


class LeastFrequent(Answering):
    """The letter that stands least often; ties are drawn again."""

    letters: ClassVar[str] = "abcd"

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw until one letter is rarest."""
        while True:
            word = super().word(rng, length)
            counts = sorted(word.count(letter) for letter in self.letters)
            if counts[0] < counts[1] or length < 3:
                return word

    def answer(self, word: str) -> str:
        """``a b d -> c``; of equals the first in the alphabet."""
        return min(self.letters, key=word.count)


class MostFrequent(Answering):
    """The letter that stands most often; of equals the first to appear."""

    letters: ClassVar[str] = "abcde"

    def answer(self, word: str) -> str:
        """``c a a c -> c``."""
        return Counter(word).most_common(1)[0][0]


class EveryThirdMajority(Answering):
    """The majority of positions 3, 6, 9, ...; of equals 0."""

    letters: ClassVar[str] = "01"
    min_length: ClassVar[int] = 3

    def answer(self, word: str) -> str:
        """``0 0 1 -> 1``."""
        third = word[2::3]
        return "1" if 2 * third.count("1") > len(third) else "0"


class ReverseDistinct(Distinct):
    """Distinct letters from the last to the first."""

    def answer(self, word: str) -> str:
        """``a c b -> b c a``."""
        return word[::-1]


class CopyDistinct(Distinct):
    """Distinct letters once more."""

    def answer(self, word: str) -> str:
        """``a c b -> a c b``."""
        return word


class SortDistinct(Distinct):
    """Distinct letters in order."""

    def answer(self, word: str) -> str:
        """``a c b -> a b c``."""
        return "".join(sorted(word))


class SuccessorDistinct(Distinct):
    """Each of some distinct letters shifted by one in the alphabet."""

    def answer(self, word: str) -> str:
        """``a c x -> b d a``."""
        return "".join(self.letters[(self.letters.index(s) + 1) % len(self.letters)] for s in word)


class SortRepeats(Answering):
    """Letters in order, as often as they stand."""

    letters: ClassVar[str] = "abcd"

    def answer(self, word: str) -> str:
        """``b a b -> a b b``."""
        return "".join(sorted(word))


class Deduplicate(Answering):
    """Each letter once, in the order of first appearance."""

    letters: ClassVar[str] = "abcdef"

    def answer(self, word: str) -> str:
        """``b a b -> b a``."""
        return "".join(dict.fromkeys(word))


class Unary(Answering):
    """One x for each a."""

    letters: ClassVar[str] = "abc"
    others: ClassVar[str] = "x"

    def answer(self, word: str) -> str:
        """``a b a -> x x``."""
        return "x" * word.count("a")


class CopyRepeats(Answering):
    """Any letters once more."""

    letters: ClassVar[str] = "abcdefgh"

    def answer(self, word: str) -> str:
        """``a a b -> a a b``."""
        return word


class ReverseRepeats(Answering):
    """Any letters backwards."""

    letters: ClassVar[str] = "abc"

    def answer(self, word: str) -> str:
        """``a a b -> b a a``."""
        return word[::-1]


class AddBinary(Answering):
    """Two binary numbers of one size and their sum, most significant bit first."""

    letters: ClassVar[str] = "01+"
    min_length: ClassVar[int] = 3

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """List odd lengths."""
        return np.arange(max(3, low + 1 - low % 2), high + 1, 2)

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw two numbers."""
        bits = "".join(map(str, rng.integers(0, 2, length - 1)))
        return bits[: length // 2] + "+" + bits[length // 2 :]

    def answer(self, word: str) -> str:
        """``1 + 1 -> 1 0``."""
        one, two = word.split("+")
        return format(int(one, 2) + int(two, 2), f"0{len(one) + 1}b")


class OddNumber(Answering):
    """Is the number of a's odd?"""

    others: ClassVar[str] = "yn"

    def answer(self, word: str) -> str:
        """``a b a a -> y``."""
        return "yn"[1 - word.count("a") % 2]


class CountModuloThree(Answering):
    """The number of a's modulo three, between other letters."""

    letters: ClassVar[str] = "abc"
    others: ClassVar[str] = "012"

    def answer(self, word: str) -> str:
        """``a b a -> 2``."""
        return str(word.count("a") % 3)


class LengthModuloThree(Answering):
    """The length modulo three."""

    others: ClassVar[str] = "012"

    def answer(self, word: str) -> str:
        """``a b a a -> 1``."""
        return str(len(word) % 3)


class LastWritten(Answering):
    """The last letter that is not a dot."""

    letters: ClassVar[str] = "ab."

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Begin with a letter."""
        return "ab"[int(rng.integers(0, 2))] + super().word(rng, length - 1)

    def answer(self, word: str) -> str:
        """``b a . . -> a``."""
        return word.replace(".", "")[-1]


class Missing(Answering):
    """All letters but one, some of them repeated: the one that is missing."""

    letters: ClassVar[str] = "abcdefgh"
    min_length: ClassVar[int] = 7

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw the others, each at least once."""
        left_out = self.letters[int(rng.integers(0, 8))]
        rest = [s for s in self.letters if s != left_out]
        more = [rest[int(k)] for k in rng.integers(0, 7, length - 7)]
        return "".join(rng.permutation(rest + more))

    def answer(self, word: str) -> str:
        """The letter that does not stand there."""
        return min(set(self.letters) - set(word))


class MoreThanTwice(Answering):
    """Are there more than twice as many a's as b's?"""

    letters: ClassVar[str] = "abc"
    others: ClassVar[str] = "yn"

    def answer(self, word: str) -> str:
        """``a a a b -> y``."""
        return "y" if word.count("a") > 2 * word.count("b") else "n"


class Balanced(Answering):
    """Are the brackets balanced? Half of the words are."""

    letters: ClassVar[str] = "()"
    others: ClassVar[str] = "yn"

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw any brackets, or repair a draw so that none closes too early."""
        word = super().word(rng, length)
        if rng.random() < 0.5 or length % 2:
            return word
        depth, found = 0, ""
        for place, bracket in enumerate(word):
            left = length - place
            opens = depth == 0 or (bracket == "(" and depth < left)
            depth += 1 if opens else -1
            found += "(" if opens else ")"
        return found

    def answer(self, word: str) -> str:
        """``( ) -> y``."""
        depth = 0
        for bracket in word:
            depth += 1 if bracket == "(" else -1
            if depth < 0:
                return "n"
        return "n" if depth else "y"


class ContainsPair(Answering):
    """Does b stand just behind an a somewhere, among three letters?"""

    letters: ClassVar[str] = "abc"
    others: ClassVar[str] = "yn"

    def answer(self, word: str) -> str:
        """``c a b -> y``."""
        return "y" if "ab" in word else "n"


class InOrder(Answering):
    """Are the letters in order?"""

    letters: ClassVar[str] = "abc"
    others: ClassVar[str] = "yn"

    def answer(self, word: str) -> str:
        """``a a c -> y``."""
        return "y" if list(word) == sorted(word) else "n"


class Recall(Answering):
    """Letters with digits behind them, then a letter: the digit behind it."""

    letters: ClassVar[str] = "abcdefgh0123"

    @property
    def longest(self) -> int:
        """Letters run out."""
        return 8

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw distinct letters with digits, and one of them again."""
        keys = ["abcdefgh"[int(k)] for k in rng.permutation(8)[:length]]
        pairs = [key + str(int(rng.integers(0, 4))) for key in keys]
        return "".join(pairs) + keys[int(rng.integers(0, length))]

    def answer(self, word: str) -> str:
        """``a 3 c 1 a -> 3``."""
        return word[word.index(word[-1]) + 1]


class Palindrome(Answering):
    """Is it a palindrome? Half of the words are."""

    others: ClassVar[str] = "yn"

    def word(self, rng: np.random.Generator, length: int) -> str:
        """Draw a word, or a palindrome."""
        word = super().word(rng, length)
        if rng.random() < 0.5:
            return word
        half = word[: length // 2]
        return half + word[length // 2 : length - length // 2] + half[::-1]

    def answer(self, word: str) -> str:
        """``a b a -> y``."""
        return "y" if word == word[::-1] else "n"


def _own(name: str, plain: bool | None, periodic_local: bool | None, reason: str) -> Case:
    return Case(f"{__file__}:{name}", {"plain": plain, "periodic_local": periodic_local}, reason)


_BOUND = "so many answers that more than logarithmically many bits cross a cut (Theorem 12)"
_PARITY = "counting modulo a number at any place: not aperiodic, also with positions and windows"

CASES = [
    _own("SecondSymbol", True, True, "the second position is where everything counted is two"),
    _own("LastSymbol", False, True, "a window of one; at the end marker no count tells the last"),
    _own("LastButOne", False, True, "a window of two"),
    _own("SameEnds", False, True, "with the first letter fixed it asks for the last one"),
    _own("LeastFrequent", True, True, "comparisons of counts"),
    _own("MostFrequent", True, True, "comparisons of counts, ties by which came first"),
    _own("EveryThirdMajority", False, True, "counts at every third position; regular on balanced"),
    _own("ReverseDistinct", True, True, "the number of symbols from the last is the turn"),
    _own("CopyDistinct", True, True, "the number of symbols before the first is the turn"),
    _own("SortDistinct", True, True, "the number of smaller symbols is the turn"),
    _own("SuccessorDistinct", True, True, "copying by rank, and a map of symbols"),
    _own("SortRepeats", True, True, "the counts of smaller symbols say when a symbol begins"),
    _own("Deduplicate", True, True, "the rank among first appearances is the turn"),
    _own("Unary", True, True, "written so far against a count"),
    _own("CopyRepeats", False, False, _BOUND),
    _own("ReverseRepeats", False, False, _BOUND),
    _own("AddBinary", False, False, _BOUND),
    _own("OddNumber", False, False, _PARITY),
    _own("CountModuloThree", False, False, _PARITY),
    _own("LengthModuloThree", False, True, "the position says it"),
    _own("LastWritten", False, False, "the last symbol before neutral ones (Lemmas 35, 36)"),
    _own("Missing", True, True, "the count that is zero"),
    _own("MoreThanTwice", True, True, "a linear comparison of counts"),
    _own("Balanced", True, True, "two counts, equal in the end and never the wrong way"),
    _own("ContainsPair", False, True, "a window of two; strictly local, not piecewise testable"),
    _own("InOrder", True, True, "a*b*c* is piecewise testable"),
    _own("Recall", None, True, "an induction head on the listed pairs"),
    _own("Palindrome", False, False, "every first half must be told apart"),
    *(
        Case(name, {"plain": plain, "periodic_local": general}, reason)
        for name, plain, general, reason in [
            ("binary-majority", True, True, "two counts"),
            ("majority", True, True, "counts of all letters"),
            ("interleaved-majority", False, True, "counts by residues of positions"),
            ("sort", True, True, "by rank"),
            ("unique-copy", True, True, "by rank"),
            ("repeat-copy", False, False, _BOUND),
            ("parity", False, False, _PARITY),
            ("addition", False, False, _BOUND),
            ("an-bn-cn", True, True, "equal counts in order"),
            ("shuffle-dyck", True, True, "one counter for each kind of bracket"),
            ("flip-flop", False, False, "the last write before any number of ignored bits"),
            ("mqar", None, True, "an induction head on the listed pairs"),
            ("induction-head", None, True, "an induction head"),
            ("select-first", True, True, "the first position"),
            ("select-last", False, True, "a window of one"),
        ]
    ),
]
"""Nothing in ``predict`` knows these; theorems are those of Huang et al. 2025."""
