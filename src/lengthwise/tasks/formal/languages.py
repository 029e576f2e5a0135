"""The seventeen regular languages of Huang et al. (2024) with their labels.

Labels follow the authors' released code with one global label map (their code maps labels per
string). Label ``t`` belongs to the prefix that ends at symbol ``t``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.languages.regex import compile_regex
from lengthwise.tasks.formal.regular import Labels, RegularTask, Supervision, by_state
from lengthwise.tasks.knowledge import library_program


@dataclass(frozen=True, kw_only=True)
class PublishedLanguage(RegularTask):
    """A language of the paper; its own labels unless another supervision is asked for."""

    supervision: Supervision = "published"

    alphabet: ClassVar[str]
    pattern: ClassVar[str]
    """The language as a regular expression over ``alphabet``."""
    program_name: ClassVar[str | None] = None

    @cached_property
    def automaton(self) -> DFA:
        """The minimal automaton of the pattern."""
        return compile_regex(self.pattern, self.alphabet)

    @property
    def program(self) -> Any | None:
        """The program of the library for this language, if it has one."""
        return library_program(self.program_name)


@dataclass(frozen=True, kw_only=True)
class _Member(PublishedLanguage):
    """Label 1 if the prefix is in the language, else 0."""

    yes_no: ClassVar[str] = "10"

    def published_labels(self) -> Labels:
        """Say of every prefix whether it is in the language."""
        yes, no = self.yes_no
        return by_state(
            [yes if final else no for final in self.automaton.accepting], self.automaton
        )


@dataclass(frozen=True, kw_only=True)
class _Allowed(PublishedLanguage):
    """One letter per symbol: ``y`` if it may follow, else ``n``."""

    def published_labels(self) -> Labels:
        """Say of every symbol whether it may follow the prefix."""
        table, alive = self.automaton.transitions, self.automaton.live()
        return by_state(
            ["".join("y" if alive[target] else "n" for target in row) for row in table],
            self.automaton,
        )


@dataclass(frozen=True, kw_only=True)
class AA(_Member):
    """(aa)*, prefixes labelled 1 in the language and 0 outside."""

    name: ClassVar[str] = "aa-star"
    summary: ClassVar[str] = "(aa)*: an even number of a"
    alphabet: ClassVar[str] = "a"
    pattern: ClassVar[str] = "(aa)*"
    program_name: ClassVar[str | None] = "aa"


@dataclass(frozen=True, kw_only=True)
class AAAA(_Member):
    """(aaaa)*, prefixes labelled 1 in the language and 0 outside."""

    name: ClassVar[str] = "aaaa-star"
    summary: ClassVar[str] = "(aaaa)*: a number of a divisible by four"
    alphabet: ClassVar[str] = "a"
    pattern: ClassVar[str] = "(aaaa)*"
    program_name: ClassVar[str | None] = "aaaa"


@dataclass(frozen=True, kw_only=True)
class ABAB(_Member):
    """(abab)*, prefixes labelled 1 in the language and 0 outside."""

    name: ClassVar[str] = "abab-star"
    summary: ClassVar[str] = "(abab)*"
    alphabet: ClassVar[str] = "ab"
    pattern: ClassVar[str] = "(abab)*"
    program_name: ClassVar[str | None] = "abab"


@dataclass(frozen=True, kw_only=True)
class Tomita1(_Allowed):
    """Tomita-1, 1*: after every prefix only 1 may follow, label ``ny``."""

    name: ClassVar[str] = "tomita-1"
    summary: ClassVar[str] = "Tomita-1: 1*"
    alphabet: ClassVar[str] = "01"
    pattern: ClassVar[str] = "1*"
    program_name: ClassVar[str | None] = "tomita-1"


@dataclass(frozen=True, kw_only=True)
class Tomita2(_Allowed):
    """Tomita-2, (10)*: labels ``yn`` and ``ny`` take turns."""

    name: ClassVar[str] = "tomita-2"
    summary: ClassVar[str] = "Tomita-2: (10)*"
    alphabet: ClassVar[str] = "01"
    pattern: ClassVar[str] = "(10)*"
    program_name: ClassVar[str | None] = "tomita-2"


@dataclass(frozen=True, kw_only=True)
class Tomita3(PublishedLanguage):
    """Tomita-3: no odd run of 1s later followed by an odd run of 0s.

    The label says for 0 and for 1 whether the prefix with that symbol added is in the language
    (their dead set holds a state that is not a sink).
    """

    name: ClassVar[str] = "tomita-3"
    summary: ClassVar[str] = "Tomita-3: no odd run of 1s followed by an odd run of 0s"
    alphabet: ClassVar[str] = "01"

    @cached_property
    def automaton(self) -> DFA:
        """The automaton of the authors' code."""
        table = [[0, 1], [3, 0], [3, 1], [2, 4], [4, 4]]
        return DFA("01", table, 0, [True, True, True, False, False]).minimise()

    def published_labels(self) -> Labels:
        """Say whether the prefix followed by 0, and by 1, is in the language."""
        accepting = self.automaton.accepting
        return by_state(
            [
                "".join("y" if accepting[t] else "n" for t in row)
                for row in self.automaton.transitions
            ],
            self.automaton,
        )


@dataclass(frozen=True, kw_only=True)
class Tomita4(_Allowed):
    """Tomita-4: no three 0s in a row; label ``ny`` after 00, else ``yy``."""

    name: ClassVar[str] = "tomita-4"
    summary: ClassVar[str] = "Tomita-4: no 000"
    alphabet: ClassVar[str] = "01"
    pattern: ClassVar[str] = "(1|01|001)*(0|00|())"
    program_name: ClassVar[str | None] = "tomita-4"


@dataclass(frozen=True, kw_only=True)
class Tomita5(_Member):
    """Tomita-5: an even number of 0s and an even number of 1s."""

    name: ClassVar[str] = "tomita-5"
    summary: ClassVar[str] = "Tomita-5: even numbers of 0s and of 1s"
    alphabet: ClassVar[str] = "01"
    yes_no: ClassVar[str] = "yn"

    @cached_property
    def automaton(self) -> DFA:
        """States count both symbols modulo 2."""
        return DFA("01", [[2, 1], [3, 0], [0, 3], [1, 2]], 0, [True, False, False, False])


@dataclass(frozen=True, kw_only=True)
class Tomita6(_Member):
    """Tomita-6: the number of 0s minus the number of 1s is divisible by 3."""

    name: ClassVar[str] = "tomita-6"
    summary: ClassVar[str] = "Tomita-6: #0 - #1 divisible by 3"
    alphabet: ClassVar[str] = "01"
    yes_no: ClassVar[str] = "yn"

    @cached_property
    def automaton(self) -> DFA:
        """States count the difference modulo 3."""
        return DFA("01", [[1, 2], [2, 0], [0, 1]], 0, [True, False, False])


@dataclass(frozen=True, kw_only=True)
class Tomita7(_Allowed):
    """Tomita-7, 0*1*0*1*: label ``ny`` in the last block of 1s, else ``yy``."""

    name: ClassVar[str] = "tomita-7"
    summary: ClassVar[str] = "Tomita-7: 0*1*0*1*"
    alphabet: ClassVar[str] = "01"
    pattern: ClassVar[str] = "0*1*0*1*"
    program_name: ClassVar[str | None] = "tomita-7"


@dataclass(frozen=True, kw_only=True)
class BoundedDyck(PublishedLanguage):
    """D_n: brackets ``a``, ``b`` nested at most ``depth`` deep.

    Labels: ``10`` at depth 0 (only a may follow), ``01`` at the full depth, else ``11``.
    """

    depth: int = 2

    name: ClassVar[str] = "bounded-dyck"
    summary: ClassVar[str] = "D_n: brackets nested at most n deep"
    alphabet: ClassVar[str] = "ab"

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

    def published_labels(self) -> Labels:
        """Say which of a and b may follow."""
        table, alive = self.automaton.transitions, self.automaton.live()
        names = ["".join("1" if alive[t] else "0" for t in row) for row in table]
        return by_state(names, self.automaton)

    @property
    def program(self) -> Any | None:
        """The program of the library for this depth, if it has one."""
        return library_program(f"d-{self.depth}")


@dataclass(frozen=True, kw_only=True)
class D2(BoundedDyck):
    """D_2: brackets nested at most 2 deep."""

    depth: int = 2
    name: ClassVar[str] = "d-2"
    summary: ClassVar[str] = "D_2: brackets nested at most 2 deep"


@dataclass(frozen=True, kw_only=True)
class D3(BoundedDyck):
    """D_3: brackets nested at most 3 deep."""

    depth: int = 3
    name: ClassVar[str] = "d-3"
    summary: ClassVar[str] = "D_3: brackets nested at most 3 deep"


@dataclass(frozen=True, kw_only=True)
class D4(BoundedDyck):
    """D_4: brackets nested at most 4 deep."""

    depth: int = 4
    name: ClassVar[str] = "d-4"
    summary: ClassVar[str] = "D_4: brackets nested at most 4 deep"


@dataclass(frozen=True, kw_only=True)
class D12(BoundedDyck):
    """D_12: brackets nested at most 12 deep."""

    depth: int = 12
    name: ClassVar[str] = "d-12"
    summary: ClassVar[str] = "D_12: brackets nested at most 12 deep"


@dataclass(frozen=True, kw_only=True)
class ABCDE(PublishedLanguage):
    """aa*bb*cc*dd*ee*: the label is the next letter in upper case, ``T`` behind e."""

    name: ClassVar[str] = "abcde"
    summary: ClassVar[str] = "aa*bb*cc*dd*ee*"
    alphabet: ClassVar[str] = "abcde"
    pattern: ClassVar[str] = "aa*bb*cc*dd*ee*"
    program_name: ClassVar[str | None] = "abcde"

    def published_labels(self) -> Labels:
        """Name the letter behind the current one."""
        return tuple("BCDET"), np.broadcast_to(np.arange(5), self.automaton.transitions.shape)


@dataclass(frozen=True, kw_only=True)
class ABdBC(PublishedLanguage):
    """{a,b}*d{b,c}*: label ``1101`` before d and ``0110`` from d on (may a, b, c, d follow)."""

    name: ClassVar[str] = "ab-d-bc"
    summary: ClassVar[str] = "{a,b}*d{b,c}*"
    alphabet: ClassVar[str] = "abcd"
    pattern: ClassVar[str] = "(a|b)*d(b|c)*"
    program_name: ClassVar[str | None] = "ab-d-bc"

    def published_labels(self) -> Labels:
        """Say which letters may follow."""
        table, alive = self.automaton.transitions, self.automaton.live()
        names = ["".join("1" if alive[t] else "0" for t in row) for row in table]
        return by_state(names, self.automaton)


@dataclass(frozen=True, kw_only=True)
class ZeroTwos(PublishedLanguage):
    """{0,1,2}*02*: label ``e`` iff the symbol is 2 and the last other symbol is 0, else ``c``.

    By default the final run of 2s has a uniform length, close to the authors' generator (which
    draws prefix and suffix lengths below a maximum); ``long_suffix=false`` draws uniform words,
    in which such runs are short.
    """

    long_suffix: bool = True

    name: ClassVar[str] = "zero-twos"
    summary: ClassVar[str] = "{0,1,2}*02*: the last symbol other than 2 is 0"
    alphabet: ClassVar[str] = "012"
    pattern: ClassVar[str] = "(0|1|2)*02*"

    def published_labels(self) -> Labels:
        """Mark the 2s behind a 0."""
        table = np.zeros(self.automaton.transitions.shape, dtype=np.int64)
        table[self.automaton.accepting, 2] = 1
        return ("c", "e"), table

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
class DepthHierarchy(_Member):
    """L_k: ``k`` alternating blocks of a and b, L_1 = a+, L_2 = a+b+, ...

    Deciding on prefixes whether they are in L_k needs k - 2 layers of counting (Yang et al. 2025).
    """

    blocks: int = 3

    name: ClassVar[str] = "depth-hierarchy"
    summary: ClassVar[str] = "L_k: k alternating blocks of a and b"
    alphabet: ClassVar[str] = "ab"

    def __post_init__(self) -> None:
        if self.blocks < 1:
            raise InputError(f"task {self.name!r}: blocks={self.blocks} must be at least 1.")
        super().__post_init__()

    @cached_property
    def automaton(self) -> DFA:
        """The minimal automaton of the blocks."""
        letters = ["ab"[number % 2] for number in range(self.blocks)]
        return compile_regex("".join(f"{letter}+" for letter in letters), "ab")
