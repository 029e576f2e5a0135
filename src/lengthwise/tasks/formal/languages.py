"""The seventeen regular languages of Huang et al. (2024) with their labels: a table.

Labels follow the authors' released code with one global label map (their code maps labels per
string). Label ``t`` belongs to the prefix that ends at symbol ``t``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.tasks.batch import Batch
from lengthwise.tasks.formal.published_words import (
    Generator,
    around,
    blocks,
    drawn,
    five_letters,
    four_blocks,
    nested,
    no_three_zeros,
    pairs,
    stopped,
    units,
)
from lengthwise.tasks.formal.regular import Labels, RegularTask, Supervision, by_state
from lengthwise.tasks.knowledge import library_program

Labelling = Callable[[DFA], Labels]


def member(yes: str, no: str) -> Labelling:
    """Label every prefix by whether it is in the language."""
    return lambda dfa: by_state([yes if final else no for final in dfa.accepting], dfa)


def allowed(yes: str, no: str) -> Labelling:
    """Label every prefix by one letter per symbol: may the symbol follow?"""
    return lambda dfa: _per_symbol(dfa, dfa.live(), yes, no)


def followed(yes: str, no: str) -> Labelling:
    """One letter per symbol: is the prefix with that symbol added in the language?"""
    return lambda dfa: _per_symbol(dfa, dfa.accepting, yes, no)


def _per_symbol(dfa: DFA, good: Any, yes: str, no: str) -> Labels:
    return by_state(["".join(yes if good[t] else no for t in row) for row in dfa.transitions], dfa)


def _next_letter(dfa: DFA) -> Labels:
    """Name the letter behind the current one, ``T`` behind the last."""
    return tuple("BCDET"), np.broadcast_to(np.arange(5), dfa.transitions.shape)


def _twos_behind_zero(dfa: DFA) -> Labels:
    """Label ``e`` iff the symbol is 2 and the last other symbol is 0, else ``c``."""
    table = np.zeros(dfa.transitions.shape, dtype=np.int64)
    table[dfa.accepting, 2] = 1
    return ("c", "e"), table


@dataclass(frozen=True, kw_only=True)
class PublishedLanguage(RegularTask):
    """A language of the paper; its own labels unless another supervision is asked for.

    ``distribution=published`` draws words as the authors' code does
    (`tasks/formal/published_words.py`), which makes lengths and words other than uniform.
    """

    supervision: Supervision = "published"
    distribution: Literal["uniform", "published"] = "uniform"

    alphabet: ClassVar[str]
    generator: ClassVar[Generator | None] = None
    """How the authors draw words, where they do."""
    source: ClassVar[str | DFA]
    """The language: a regular expression over ``alphabet``, or its automaton."""
    labelling: ClassVar[Labelling]
    program_name: ClassVar[str | None] = None

    @cached_property
    def automaton(self) -> DFA:
        """The minimal automaton."""
        source = type(self).source
        return source if isinstance(source, DFA) else compile_regex(source, self.alphabet)

    def published_labels(self) -> Labels:
        """Label prefixes as the authors do."""
        return type(self).labelling(self.automaton)

    @property
    def program(self) -> Any | None:
        """The program of the library for this language, if it has one."""
        return library_program(self.program_name)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.distribution == "published":
            if self.authors_words is None:
                raise InputError(
                    f"task {self.name!r}: distribution=published is for the paper's languages."
                )
            if self.words != "language" or self.supervision == "recognition":
                raise InputError(
                    f"task {self.name!r}: distribution=published draws words of the language and "
                    "labels their prefixes; leave words and supervision=recognition out."
                )

    @property
    def authors_words(self) -> Generator | None:
        """How the authors draw words, where they do."""
        return type(self).generator

    def draw(self, rng: np.random.Generator, low: int, high: int, count: int) -> Batch:
        """Draw instances; as the authors do, lengths and words are drawn together."""
        if self.distribution == "uniform":
            return super().draw(rng, low, high, count)
        self.check_range(low, high)
        return self._published(rng, low, high, count)

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw words of given lengths; as the authors do, in windows of one length."""
        if self.distribution == "uniform":
            return super().sample(rng, lengths)
        self._existing(lengths)
        words = np.full((len(lengths), int(lengths.max(initial=0))), -1, dtype=np.int64)
        for length in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == length)
            words[rows, :length] = self._of_length(rng, length, len(rows))
        return self._labelled(words, lengths)

    def _of_length(
        self, rng: np.random.Generator, length: int, count: int
    ) -> Int[np.ndarray, "b n"]:
        """Draw words of one length; uniform ones where the authors never draw that length."""
        try:
            return self._words(rng, length, length, count)
        except InputError:
            sampler = self._sampler(self.automaton, length)
            return sampler.draw(rng, np.full(count, length))[0]

    def _words(
        self, rng: np.random.Generator, low: int, high: int, count: int
    ) -> Int[np.ndarray, "b n"]:
        assert self.authors_words is not None
        return drawn(rng, self.authors_words, self.automaton, (low, high), count)

    def _published(self, rng: np.random.Generator, low: int, high: int, count: int) -> Batch:
        words = self._words(rng, max(low, 1), high, count)
        return self._labelled(words, (words >= 0).sum(axis=1))


def published(
    name: str,
    summary: str,
    alphabet: str,
    source: str | DFA,
    labelling: Labelling,
    program: str | None = None,
    *,
    words: Generator,
) -> type[PublishedLanguage]:
    """Return the task class of one row of the table."""
    row = {
        "generator": staticmethod(words),
        "name": name,
        "summary": summary,
        "alphabet": alphabet,
        "source": source,
        "labelling": staticmethod(labelling),
        "program_name": program,
        "__doc__": f"{summary}.",
        "__module__": __name__,
    }
    return type(name, (PublishedLanguage,), row)


# Tomita-3 and -5 as in the authors' code: no odd run of 1s later followed by an odd run of 0s (its
# dead set holds a state that is not a sink), and counts modulo 2.
_TOMITA_3 = DFA("01", [[0, 1], [3, 0], [3, 1], [2, 4], [4, 4]], 0, [True] * 3 + [False] * 2)
_TOMITA_5 = DFA("01", [[2, 1], [3, 0], [0, 3], [1, 2]], 0, [True, False, False, False])
_TOMITA_6 = DFA("01", [[1, 2], [2, 0], [0, 1]], 0, [True, False, False])

_in, _may = member("1", "0"), allowed("y", "n")

AA = published("aa-star", "(aa)*: an even number of a", "a", "(aa)*", _in, "aa", words=units(0, 0))
AAAA = published(
    "aaaa-star",
    "(aaaa)*: a number of a divisible by four",
    "a",
    "(aaaa)*",
    _in,
    "aaaa",
    words=units(0, 0, 0, 0),
)
ABAB = published("abab-star", "(abab)*", "ab", "(abab)*", _in, "abab", words=units(0, 1, 0, 1))
Tomita1 = published("tomita-1", "Tomita-1: 1*", "01", "1*", _may, "tomita-1", words=units(1))
Tomita2 = published("tomita-2", "Tomita-2: (10)*", "01", "(10)*", _may, "tomita-2", words=pairs)
Tomita3 = published(
    "tomita-3",
    "Tomita-3: no odd run of 1s followed by an odd run of 0s",
    "01",
    _TOMITA_3.minimise(),
    followed("y", "n"),
    words=blocks,
)
Tomita4 = published(
    "tomita-4",
    "Tomita-4: no 000",
    "01",
    "(1|01|001)*(0|00|())",
    _may,
    "tomita-4",
    words=no_three_zeros,
)
Tomita5 = published(
    "tomita-5",
    "Tomita-5: even numbers of 0s and of 1s",
    "01",
    _TOMITA_5,
    member("y", "n"),
    words=stopped,
)
Tomita6 = published(
    "tomita-6", "Tomita-6: #0 - #1 divisible by 3", "01", _TOMITA_6, member("y", "n"), words=stopped
)
Tomita7 = published(
    "tomita-7", "Tomita-7: 0*1*0*1*", "01", "0*1*0*1*", _may, "tomita-7", words=four_blocks
)
ABCDE = published(
    "abcde",
    "aa*bb*cc*dd*ee*",
    "abcde",
    "aa*bb*cc*dd*ee*",
    _next_letter,
    "abcde",
    words=five_letters,
)
ABdBC = published(
    "ab-d-bc",
    "{a,b}*d{b,c}*",
    "abcd",
    "(a|b)*d(b|c)*",
    allowed("1", "0"),
    "ab-d-bc",
    words=around((0, 1), 3, (1, 2)),
)
_ZeroTwos = published(
    "zero-twos",
    "{0,1,2}*02*: the last symbol other than 2 is 0",
    "012",
    "(0|1|2)*02*",
    _twos_behind_zero,
    words=around((0, 1, 2), 0, (2,)),
)


@dataclass(frozen=True, kw_only=True)
class ZeroTwos(_ZeroTwos):
    """{0,1,2}*02*.

    By default the final run of 2s has a uniform length, close to the authors' generator (which
    draws prefix and suffix lengths below a maximum); ``long_suffix=false`` draws uniform words,
    in which such runs are short.
    """

    long_suffix: bool = True

    def _own_words(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> Int[np.ndarray, "b n"] | None:
        if self.words == "all" or not self.long_suffix:
            return super()._own_words(rng, lengths)
        place = np.arange(int(lengths.max(initial=0)))
        zero = rng.integers(0, lengths)[:, None]
        word = rng.integers(0, 3, (len(lengths), len(place)))
        word = np.where(place < zero, word, np.where(place == zero, 0, 2))
        word[place >= lengths[:, None]] = -1
        return word


@dataclass(frozen=True, kw_only=True)
class BoundedDyck(PublishedLanguage):
    """D_n: brackets ``a``, ``b`` nested at most ``depth`` deep.

    Labels: ``10`` at depth 0 (only a may follow), ``01`` at the full depth, else ``11``.
    """

    depth: int = 2

    name: ClassVar[str] = "bounded-dyck"
    summary: ClassVar[str] = "D_n: brackets nested at most n deep"
    alphabet: ClassVar[str] = "ab"
    labelling: ClassVar[Labelling] = staticmethod(allowed("1", "0"))

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise InputError(f"task {self.name!r}: depth={self.depth} must be at least 1.")
        super().__post_init__()

    @cached_property
    def automaton(self) -> DFA:
        """States are depths, and one for failure."""
        dead = self.depth + 1
        rows = [[d + 1, d - 1 if d else dead] for d in range(self.depth)]
        table = [*rows, [dead, self.depth - 1], [dead, dead]]
        return DFA("ab", table, 0, [state == 0 for state in range(dead + 1)]).minimise()

    @property
    def authors_words(self) -> Generator:
        """How the authors draw words of any depth."""
        return nested(self.depth)

    @property
    def program(self) -> Any | None:
        """The program of the library for this depth, if it has one."""
        return library_program(f"d-{self.depth}")


def bounded(deep: int) -> type[BoundedDyck]:
    """Return D_n for one depth as a task of its own."""
    summary = f"D_{deep}: brackets nested at most {deep} deep"
    row = {
        "__annotations__": {"depth": int},
        "depth": deep,
        "name": f"d-{deep}",
        "summary": summary,
        "__doc__": f"{summary}.",
        "__module__": __name__,
    }
    return dataclass(frozen=True, kw_only=True)(type(f"D{deep}", (BoundedDyck,), row))


D2, D3, D4, D12 = map(bounded, (2, 3, 4, 12))


@dataclass(frozen=True, kw_only=True)
class DepthHierarchy(PublishedLanguage):
    """L_k: ``k`` alternating blocks of a and b, L_1 = a+, L_2 = a+b+, ...

    Deciding on prefixes whether they are in L_k needs k - 2 layers of counting (Yang et al. 2025).
    """

    blocks: int = 3

    name: ClassVar[str] = "depth-hierarchy"
    summary: ClassVar[str] = "L_k: k alternating blocks of a and b"
    alphabet: ClassVar[str] = "ab"
    labelling: ClassVar[Labelling] = staticmethod(member("1", "0"))

    def __post_init__(self) -> None:
        if self.blocks < 1:
            raise InputError(f"task {self.name!r}: blocks={self.blocks} must be at least 1.")
        super().__post_init__()

    @cached_property
    def automaton(self) -> DFA:
        """The minimal automaton of the blocks."""
        letters = ["ab"[number % 2] for number in range(self.blocks)]
        return compile_regex("".join(f"{letter}+" for letter in letters), "ab")


for _attribute, _kind in list(globals().items()):  # pickle finds a class by its name here
    if isinstance(_kind, type) and issubclass(_kind, PublishedLanguage):
        _kind.__name__ = _kind.__qualname__ = _attribute
