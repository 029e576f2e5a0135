"""A task in the tokens of a pretrained model, behind worked examples: a task like any other.

tokens    [beginning] example 1 ... example k   instance: prompt | answer
targets                                                          ^^^^^^^^
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.core.seeds import Stream, generator
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.text.spelling import TokenSpelling
from lengthwise.tasks.vocabulary import BOS, EOS, PAD, SEP, Vocabulary


@dataclass(frozen=True)
class TokenVocabulary(Vocabulary):
    """The tokens of another tokenizer, under the names that a task asks for."""

    spelling: TokenSpelling | None = None

    def __len__(self) -> int:
        return self._known.tokenizer.size

    @property
    def _known(self) -> TokenSpelling:
        assert self.spelling is not None
        return self.spelling

    @property
    def bos(self) -> int:
        """The token that begins an instance, or -1 if there is none."""
        return self._known.ids.get(BOS, -1)

    @property
    def sep(self) -> int:
        """The token between prompt and answer."""
        return self._known.ids[SEP]

    @property
    def eos(self) -> int:
        """The token at the end of an instance."""
        return self._known.ids[EOS]

    @property
    def pad(self) -> int:
        """The filler, which nobody reads."""
        return self._known.ids.get(PAD, 0)

    def text(self, token: int) -> str:
        """Return the symbol of a token, or the token's own name."""
        return self._known.symbols.get(token) or self._known.tokenizer.name(token)


@dataclass(frozen=True, kw_only=True)
class PromptedTask(Task):
    """Another task, as a pretrained model is asked it."""

    inner: Task
    spelling: TokenSpelling
    shots: int = 0
    shown: tuple[int, int] = (1, 1)
    """The lengths of the examples."""
    seed: int = 0
    context: int | None = None
    """The most tokens that the model can take, if there is a limit."""

    name: ClassVar[str] = "prompted"
    summary: ClassVar[str] = "a task in the tokens of a pretrained model"

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The tokens of the model."""
        return TokenVocabulary((), self.spelling)

    @property
    def longest(self) -> int | None:
        """As the task itself."""
        return self.inner.longest

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """As the task itself."""
        return self.inner.possible_lengths(low, high)

    def max_tokens(self, length: int) -> int:
        """The examples and the instance; never more than the model takes."""
        most = len(self.prefix) + self.inner.max_tokens(length)
        return most if self.context is None else min(most, self.context)

    @cached_property
    def examples(self) -> list[list[str]]:
        """The symbols of the worked examples, the same for every instance."""
        if not self.shots:
            return []
        rng = generator(self.seed, Stream.EXAMPLES)
        return self._symbols(self.inner.draw(rng, *self.shown, self.shots))

    @cached_property
    def prefix(self) -> list[int]:
        """The tokens before every instance."""
        start = [] if self.spelling.own else self.spelling.tokenizer.beginning
        return start + [token for row in self.spelling.tokens(self.examples) for token in row]

    def prompt(self, batch: Batch, row: int = 0) -> str:
        """Return the text of one row of one of the task's batches, answer included."""
        symbols = [symbol for example in self.examples for symbol in example]
        told = batch.tokens[row, len(self.prefix) : batch.size[row]].tolist()
        return self.spelling.text([*symbols, *(self.spelling.symbols[t] for t in told)])

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw instances of the task and put them behind the examples."""
        batch = self.inner.sample(rng, lengths)
        rows = self._symbols(batch)
        tokens = [[*self.prefix, *row] for row in self.spelling.tokens(rows)]
        if self.examples:  # where the examples end, nothing is joined either
            self.spelling.tokens([[*self.examples[-1], *rows[0]]])
        sizes = np.array([len(row) for row in tokens])
        asked = [int(np.count_nonzero(row)) for row in batch.supervised]
        return _padded(tokens, asked, batch.length, sizes, self.vocabulary.pad)

    def check_size(self, batch: Batch) -> None:
        """Refuse instances that are longer than the model takes; nothing is cut."""
        most = int(batch.size.max())
        if self.context is not None and most > self.context:
            raise InputError(
                f"{most:,} tokens, {len(self.prefix):,} of them before the instance, and the model "
                f"takes {self.context:,}; nothing is cut: use fewer --shots or shorter lengths."
            )

    def answered(self, written: Sequence[int], target: Sequence[int]) -> bool:
        """Judge the instance by the task's own rule; a token that is no symbol is wrong."""
        rows = [self._back(row[len(self.prefix) :]) for row in (written, target)]
        return None not in rows and self.inner.answered(*rows)  # type: ignore[arg-type]

    def _back(self, tokens: Sequence[int]) -> list[int] | None:
        """Return tokens as the task's own, or None where one has no symbol."""
        symbols = [self.spelling.symbols.get(token) for token in tokens]
        if None in symbols:
            return None
        begins = [] if self.spelling.own or not self._begins else [BOS]
        return self.inner.vocabulary.encode([*begins, *symbols])  # type: ignore[list-item]

    @cached_property
    def _begins(self) -> bool:
        """Whether the task's own instances begin with ``<bos>``."""
        shortest = self.inner.first_lengths(1)
        first = self.inner.sample(np.random.default_rng(0), shortest).tokens[0, 0]
        return int(first) == self.inner.vocabulary.bos

    def _symbols(self, batch: Batch) -> list[list[str]]:
        """Return the symbols of each row that are written."""
        text = self.inner.vocabulary.text
        rows = [
            [text(int(token)) for token in tokens[:size]]
            for tokens, size in zip(batch.tokens, batch.size, strict=True)
        ]
        if self.spelling.own:
            return rows
        return [row[1:] if row[0] == BOS else row for row in rows]

    @property
    def language(self) -> Any | None:
        """As the task itself."""
        return self.inner.language


def _padded(
    rows: list[list[int]],
    asked: list[int],
    length: Int[np.ndarray, "b"],
    sizes: Int[np.ndarray, "b"],
    pad: int,
) -> Batch:
    """Lay out rows; the last ``asked`` tokens of each are what a model has to write."""
    tokens = np.full((len(rows), int(sizes.max())), pad, dtype=np.int64)
    targets = np.full_like(tokens, IGNORE)
    for number, (row, count) in enumerate(zip(rows, asked, strict=True)):
        tokens[number, : len(row)] = row
        targets[number, len(row) - 1 - count : len(row) - 1] = row[len(row) - count :]
    return Batch(tokens=tokens, targets=targets, length=length, size=sizes)
