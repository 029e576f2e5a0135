"""Languages that need counters: brackets, Boolean expressions and equal blocks.

The label after each prefix is the set of symbols that may follow, ``$`` if the word may end
(Bhattamishra et al. 2020). Words of a language with one counter are drawn uniformly through the
automaton that counts as far as the wanted length needs.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, label_batch
from lengthwise.tasks.formal.paths import PathSampler
from lengthwise.tasks.knowledge import blocks_program, counter_program
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class _OneCounter(Task):
    """A language of one counter; the label says whether the counter is zero."""

    @property
    @abstractmethod
    def alphabet(self) -> tuple[str, ...]:
        """The symbols of words."""

    @property
    @abstractmethod
    def label_names(self) -> tuple[str, str]:
        """The label while the counter is positive, and the label at zero."""

    @property
    @abstractmethod
    def steps(self) -> tuple[int, ...]:
        """What each symbol adds to the counter."""

    first: ClassVar[int] = 0
    """The counter before the first symbol."""

    @property
    def program(self) -> Any:
        """Say whether the counter is zero."""
        return counter_program(self.alphabet, self.steps, self.first, self.label_names)

    @abstractmethod
    def _automaton(self, longest: int) -> DFA:
        """Count as far as words of this length need; state 0 is the counter's zero."""

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The alphabet, then the two sets of continuations."""
        return Vocabulary((*self.alphabet, *self.label_names))

    def max_tokens(self, length: int) -> int:
        """A word behind ``<bos>``."""
        return length + 1

    @cached_property
    def _samplers(self) -> dict[str, PathSampler]:
        return {}

    def _sampler(self, longest: int) -> PathSampler:
        """Return a sampler for words up to some length; it grows by doubling."""
        known = self._samplers.get("words")
        if known is None or known.longest < longest:
            size = 64
            while size < longest:
                size *= 2
            known = self._samplers["words"] = PathSampler(self._automaton(size), size)
        return known

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """List the lengths of which there are words."""
        lengths = np.arange(max(low, 1), high + 1)
        return lengths[self._sampler(max(high, 1)).exist[lengths]]

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw uniform words; the states passed are the counter's values."""
        words, counter = self._sampler(int(lengths.max())).draw(rng, lengths)
        label = len(self.alphabet) + (counter == 0)
        return label_batch(self.vocabulary, words, np.where(words < 0, -1, label), lengths)


@dataclass(frozen=True, kw_only=True)
class Dyck1(_OneCounter):
    """Balanced brackets of one kind: ( ) ( ( ) )."""

    name: ClassVar[str] = "dyck-1"
    summary: ClassVar[str] = "balanced brackets of one kind"

    @property
    def alphabet(self) -> tuple[str, ...]:
        """One opening and one closing bracket."""
        return ("(", ")")

    @property
    def steps(self) -> tuple[int, ...]:
        """Up and down."""
        return (1, -1)

    @property
    def label_names(self) -> tuple[str, str]:
        """Inside a bracket both may follow; outside only an opening one, or the end."""
        return "{(,)}", "{(,$}"

    def _automaton(self, longest: int) -> DFA:
        top = longest // 2 + 1  # one more than any word reaches: failure
        rows = [[min(d + 1, top), d - 1 if d else top] for d in range(top)]
        return DFA("()", [*rows, [top, top]], 0, [d == 0 for d in range(top + 1)])


@dataclass(frozen=True, kw_only=True)
class BooleanExpressions(_OneCounter):
    """Boolean-k: expressions in prefix notation with operators of arity 1 to ``arity``.

    ``~ 0``, ``& 1 0``: values 0 and 1, one operator of each arity, as in the released code of
    Bhattamishra et al. (2020), which has arities up to 3. The operator symbols are ours, and so is
    the distribution: words are uniform given their length, theirs grow at random.
    """

    arity: int = 3

    name: ClassVar[str] = "boolean"
    summary: ClassVar[str] = "Boolean expressions in prefix notation"
    operators: ClassVar[str] = "~&@%^"

    def __post_init__(self) -> None:
        if not 1 <= self.arity <= len(self.operators):
            raise InputError(f"task {self.name!r}: arity={self.arity} is not in 1..5.")

    @property
    def alphabet(self) -> tuple[str, ...]:
        """Two values, then the operators in order of arity."""
        return ("0", "1", *self.operators[: self.arity])

    first: ClassVar[int] = 1

    @property
    def steps(self) -> tuple[int, ...]:
        """A value fills one place for an argument; an operator as well, and opens its own."""
        return (-1, -1, *range(self.arity))

    @property
    def label_names(self) -> tuple[str, str]:
        """Anything may follow while arguments are missing; else only the end."""
        return "{" + ",".join(self.alphabet) + "}", "{$}"

    def _automaton(self, longest: int) -> DFA:
        """States count missing arguments; a finished expression takes nothing more."""
        fail = longest + 1
        rows = [[fail] * (2 + self.arity)]
        for missing in range(1, fail):
            more = [min(missing + arity - 1, fail) for arity in range(1, self.arity + 1)]
            rows.append([missing - 1, missing - 1, *more])
        rows.append([fail] * (2 + self.arity))
        return DFA(self.alphabet, rows, 1, [state == 0 for state in range(fail + 1)])


@dataclass(frozen=True, kw_only=True)
class Boolean3(BooleanExpressions):
    """Boolean-3: operators of arity 1, 2 and 3."""

    arity: int = 3
    name: ClassVar[str] = "boolean-3"
    summary: ClassVar[str] = "Boolean expressions with operators of arity 1 to 3"


@dataclass(frozen=True, kw_only=True)
class Boolean5(BooleanExpressions):
    """Boolean-5: operators of arity 1 to 5."""

    arity: int = 5
    name: ClassVar[str] = "boolean-5"
    summary: ClassVar[str] = "Boolean expressions with operators of arity 1 to 5"


@dataclass(frozen=True, kw_only=True)
class EqualBlocks(Task):
    """a^n b^n, or more letters: equally long blocks, one word for each possible length."""

    letters: int = 2

    name: ClassVar[str] = "an-bn"
    summary: ClassVar[str] = "a^n b^n"

    def __post_init__(self) -> None:
        if not 2 <= self.letters <= 26:
            raise InputError(f"task {self.name!r}: letters={self.letters} is not in 2..26.")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The letters; then {a,b}, one forced letter each, and the end."""
        forced = [f"{{{letter}}}" for letter in ascii_lowercase[1 : self.letters]]
        return Vocabulary((*ascii_lowercase[: self.letters], "{a,b}", *forced, "{$}"))

    def max_tokens(self, length: int) -> int:
        """A word behind ``<bos>``."""
        return length + 1

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """List the multiples of the number of letters."""
        first = max(1, -(-low // self.letters))
        return self.letters * np.arange(first, high // self.letters + 1)

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Write the only word of each length."""
        if np.any(lengths % self.letters):
            raise InputError(f"task {self.name!r}: lengths are multiples of {self.letters}.")
        place, each = np.arange(int(lengths.max())), (lengths // self.letters)[:, None]
        inside = place < lengths[:, None]
        words = np.where(inside, place // each, -1)
        # what follows: anything in the block of a, else the letter at the next place
        following = np.where(words == 0, 0, (place + 1) // each)
        return label_batch(
            self.vocabulary, words, np.where(inside, self.letters + following, -1), lengths
        )

    @property
    def program(self) -> Any:
        """Compare the current block with that of a."""
        return blocks_program(self.vocabulary.symbols, self.letters)


@dataclass(frozen=True, kw_only=True)
class ThreeBlocks(EqualBlocks):
    """a^n b^n c^n."""

    letters: int = 3
    name: ClassVar[str] = "an-bn-cn"
    summary: ClassVar[str] = "a^n b^n c^n"


@dataclass(frozen=True, kw_only=True)
class FourBlocks(EqualBlocks):
    """a^n b^n c^n d^n."""

    letters: int = 4
    name: ClassVar[str] = "an-bn-cn-dn"
    summary: ClassVar[str] = "a^n b^n c^n d^n"
