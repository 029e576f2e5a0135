"""Copy and Reverse in text: one symbol or many, once or twice (Kazemnejad et al. 2023)."""

import string
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.tasks.algorithmic._sampling import numbers_below
from lengthwise.tasks.batch import first_columns
from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import HOLE, Block
from lengthwise.tasks.reasoning.base import NEXT, SEP, Split, TemplateTask
from lengthwise.tasks.reasoning.extraction import Answer
from lengthwise.tasks.vocabulary import Vocabulary

_PLAIN = string.digits + string.ascii_lowercase + string.ascii_uppercase + "><!#$%&()*+-/;=@^_{|}~"


def symbols(count: int) -> tuple[str, ...]:
    """Return atomic symbols: digits, letters, some punctuation, then ``w0 w1 w2 ...``.

    Example:
        >>> symbols(100)[:3], symbols(100)[-1]
        (('0', '1', '2'), 'w15')
    """
    more = (f"w{number}" for number in range(count - len(_PLAIN)))
    return (*_PLAIN[:count], *more)


@dataclass(frozen=True, kw_only=True)
class Primitive(TemplateTask):
    """A task on a sequence of atomic symbols; ``symbols`` is how many different ones there are."""

    symbols: int = 100

    split: ClassVar[Split] = Split(train=(2, 20), test=(21, 40))
    answer: ClassVar[Answer] = "text"
    joins: ClassVar[tuple[tuple[str, str], ...]] = ()
    phrase: ClassVar[str] = f"Copy: {SEP} {NEXT}"

    def __post_init__(self) -> None:
        if self.symbols < 2:
            raise InputError(f"task {self.name!r}: symbols={self.symbols} must be at least 2.")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The symbols, then the words of the template."""
        return Vocabulary((*symbols(self.symbols), *self.phrase.split()))

    def _repeat(self, symbol: Int[np.ndarray, "b"], count: Int[np.ndarray, "b"]) -> Block:
        """Write each row's symbol as often as its count says."""
        inside = first_columns(count, int(count.max()))
        return np.where(inside, symbol.astype(self.kind)[:, None], self.kind(HOLE))


@dataclass(frozen=True, kw_only=True)
class CopySingle(Primitive):
    """Copy V1: one symbol ``n`` times, a counting task: ``Copy: k k k [SEP] k k k``.

    The published symbol ranges over the first 6,052 of their list, one instance each.
    """

    symbols: int = 6052

    name: ClassVar[str] = "copy-v1-text"
    summary: ClassVar[str] = "copy a symbol that repeats n times, in text"
    times: ClassVar[int] = 1

    def _content(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> tuple[np.ndarray, np.ndarray]:
        return rng.integers(0, self.symbols, len(lengths), dtype=np.int32), lengths

    def _longest(self, length: int) -> tuple[np.ndarray, np.ndarray]:
        return np.array([0]), np.array([length])

    def _write(self, content: tuple[np.ndarray, np.ndarray]) -> tuple[Block, Block]:
        symbol, count = content
        source = self._repeat(symbol, count)
        prompt = blocks.join(self.words("Copy:"), source, self.words(SEP), wide=True)
        return prompt, self._repeat(symbol, self.times * count)


@dataclass(frozen=True, kw_only=True)
class CopySingleTwice(CopySingle):
    """Copy V1 2x: one symbol ``n`` times becomes ``2n`` times, without a delimiter."""

    name: ClassVar[str] = "copy-v1-2x-text"
    summary: ClassVar[str] = "write a symbol that repeats n times 2n times, in text"
    times: ClassVar[int] = 2


@dataclass(frozen=True, kw_only=True)
class CopyReplace(Primitive):
    """Copy V2: write another symbol as often: ``Replace q with 4 in q q [SEP] 4 4``."""

    symbols: int = 78

    name: ClassVar[str] = "copy-v2-text"
    summary: ClassVar[str] = "replace a repeated symbol by another, in text"
    phrase: ClassVar[str] = f"Replace with in {SEP}"

    def _content(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw an ordered pair of distinct symbols."""
        old = rng.integers(0, self.symbols, len(lengths), dtype=np.int32)
        new = rng.integers(0, self.symbols - 1, len(lengths), dtype=np.int32)
        return old, new + (new >= old), lengths

    def _longest(self, length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.array([0]), np.array([1]), np.array([length])

    def _write(self, content: tuple[np.ndarray, np.ndarray, np.ndarray]) -> tuple[Block, Block]:
        old, new, count = content
        prompt = blocks.join(
            self.words("Replace"),
            blocks.word(old.astype(self.kind)),
            self.words("with"),
            blocks.word(new.astype(self.kind)),
            self.words("in"),
            self._repeat(old, count),
            self.words(SEP),
            wide=True,
        )
        return prompt, self._repeat(new, count)


@dataclass(frozen=True, kw_only=True)
class CopyMany(Primitive):
    """Copy V3: independent uniform symbols: ``Copy: a 9 Z a [SEP] a 9 Z a``."""

    name: ClassVar[str] = "copy-v3-text"
    summary: ClassVar[str] = "copy symbols that may repeat, in text"
    verb: ClassVar[str] = "Copy:"
    backwards: ClassVar[tuple[bool, ...]] = (False,)
    """For each time the sequence is written, whether it is reversed."""

    def _content(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> tuple[np.ndarray, np.ndarray]:
        shape = (len(lengths), int(lengths.max()))
        if self.symbols <= 256:
            return numbers_below(rng, self.symbols, shape), lengths
        return rng.integers(0, self.symbols, shape, dtype=np.int32), lengths

    def _longest(self, length: int) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((1, length), dtype=np.int32), np.array([length])

    def _write(self, content: tuple[np.ndarray, np.ndarray]) -> tuple[Block, Block]:
        drawn, lengths = content
        inside = first_columns(lengths, drawn.shape[1])
        source = np.where(inside, drawn.astype(self.kind, copy=False), self.kind(HOLE))
        prompt = blocks.join(self.words(self.verb), source, self.words(SEP), wide=True)
        target = []
        for number, backward in enumerate(self.backwards):
            target += [self.words(NEXT)] if number else []
            target.append(source[:, ::-1] if backward else source)
        return prompt, blocks.join(*target, wide=True)


@dataclass(frozen=True, kw_only=True)
class CopyManyTwice(CopyMany):
    """Copy V3 2x: the sequence, ``[NEXT]``, the sequence again."""

    name: ClassVar[str] = "copy-v3-2x-text"
    summary: ClassVar[str] = "copy symbols twice, in text"
    backwards: ClassVar[tuple[bool, ...]] = (False, False)


@dataclass(frozen=True, kw_only=True)
class Reverse(CopyMany):
    """Reverse V1: ``Reverse: a 9 Z [SEP] Z 9 a``."""

    name: ClassVar[str] = "reverse-v1-text"
    summary: ClassVar[str] = "reverse symbols that may repeat, in text"
    phrase: ClassVar[str] = f"Reverse: {SEP} {NEXT}"
    verb: ClassVar[str] = "Reverse:"
    backwards: ClassVar[tuple[bool, ...]] = (True,)


@dataclass(frozen=True, kw_only=True)
class ReverseTwice(Reverse):
    """Reverse V1 2x: ``Reverse: a 9 Z [SEP] Z 9 a [NEXT] Z 9 a``."""

    name: ClassVar[str] = "reverse-v1-2x-text"
    summary: ClassVar[str] = "reverse symbols and write the result twice, in text"
    backwards: ClassVar[tuple[bool, ...]] = (True, True)


@dataclass(frozen=True, kw_only=True)
class ReverseBack(Reverse):
    """Reverse V2: reverse, then reverse again: ``Reverse: a 9 Z [SEP] Z 9 a [NEXT] a 9 Z``."""

    name: ClassVar[str] = "reverse-v2-text"
    summary: ClassVar[str] = "reverse symbols, then reverse again, in text"
    backwards: ClassVar[tuple[bool, ...]] = (True, False)
