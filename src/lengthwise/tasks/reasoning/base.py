"""What the text tasks share: a whitespace tokenizer, templates and the layout without ``<bos>``."""

import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, gapped_batch, small_type
from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import Block
from lengthwise.tasks.reasoning.extraction import Answer, extract
from lengthwise.tasks.vocabulary import Vocabulary

SEP, NEXT = "[SEP]", "[NEXT]"
DIGITS = tuple("0123456789")
_TOKEN = re.compile(r"\[SEP\]|\[NEXT\]|[,.?\[\]]|[^\s,.?\[\]]+")


def tokenize(text: str) -> list[str]:
    """Split at white space; commas, full stops, brackets and ``?`` stand alone.

    Example:
        >>> tokenize("in 6, 7 comp 13.")
        ['in', '6', ',', '7', 'comp', '13', '.']
    """
    return _TOKEN.findall(text)


@dataclass(frozen=True)
class Split:
    """The published length ranges: training (and validation) on one, testing on the other."""

    train: tuple[int, int]
    test: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class TextTask(Task):
    """A prompt and its answer in words, as Kazemnejad et al. (2023) write them.

    The sequence is ``prompt target <eos>`` without ``<bos>``: the constant first word of the
    prompt plays its part. Loss covers the target and ``<eos>``. A subclass draws the *content* of
    a batch (arrays) and writes it as two blocks of words.
    """

    split: ClassVar[Split]
    answer: ClassVar[Answer]
    joins: ClassVar[tuple[tuple[str, str], ...]] = ((r" ,", ","), (r" \.$", "."))
    """Where the published string has no space between two tokens, as regular expressions."""

    @abstractmethod
    def _content(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Any:
        """Draw the content of a batch."""

    @abstractmethod
    def _write(self, content: Any) -> tuple[Block, Block]:
        """Write prompt and target as blocks of words."""

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw contents and lay them out."""
        prompt, target = self._write(self._content(rng, lengths))
        return lay_out(self.vocabulary, prompt, target, lengths)

    @cached_property
    def kind(self) -> type[np.int16] | type[np.int32]:
        """The type in which words are laid out."""
        return small_type(len(self.vocabulary))

    @cached_property
    def _memory(self) -> dict[str, Block]:
        return {}

    def words(self, text: str) -> Block:
        """Return the token ids of a fixed phrase."""
        if text not in self._memory:
            ids = self.vocabulary.encode(tokenize(text))
            self._memory[text] = np.array(ids, dtype=self.kind)
        return self._memory[text]

    def string(self, ids: Iterable[int]) -> str:
        """Write token ids as the published string, stopping at ``<eos>``."""
        symbols = []
        for token in ids:
            if token in (self.vocabulary.eos, self.vocabulary.pad):
                break
            symbols.append(self.vocabulary.text(int(token)))
        text = " ".join(symbols)
        for spaced, joined in self.joins:
            text = re.sub(spaced, joined, text)
        return text

    def strings(self, batch: Batch) -> list[tuple[str, str]]:
        """Return the prompt and the target of every row as published strings."""
        start = np.argmax(batch.supervised, axis=1) + 1
        return [
            (self.string(row[:cut]), self.string(row[cut:]))
            for row, cut in zip(batch.tokens, start, strict=True)
        ]

    def render(self, batch: Batch) -> list[str]:
        """Write each row as text; the target stands behind an arrow."""
        return [f"{prompt}  ->  {target}" for prompt, target in self.strings(batch)]

    def answered(self, written: Sequence[int], target: Sequence[int]) -> bool:
        """Compare the final answers by the published rules, which read the whole text."""
        return self.correct(self.string(written), self.string(target))

    def correct(self, generated: str, target: str) -> bool:
        """Compare the final answers of two targets by the published rules."""
        given, wanted = extract(generated, self.answer), extract(target, self.answer)
        return given is not None and given == wanted


@dataclass(frozen=True, kw_only=True)
class TemplateTask(TextTask):
    """A text task that knows which of its contents take the most words."""

    @abstractmethod
    def _longest(self, length: int) -> Any:
        """Return a batch of contents among which one needs the most tokens of all."""

    def max_tokens(self, length: int) -> int:
        """Write the longest content and count."""
        top = int(self.possible_lengths(0, length)[-1])
        prompt, target = self._write(self._longest(top))
        rows = max(len(prompt), len(target))
        return int(lay_out(self.vocabulary, prompt, target, np.full(rows, top)).size.max())


def lay_out(
    vocabulary: Vocabulary, prompt: Block, target: Block, lengths: Int[np.ndarray, "b"]
) -> Batch:
    """Put ``prompt target <eos>`` side by side, supervised from the prompt's last word on."""
    end = np.array([vocabulary.eos], dtype=small_type(len(vocabulary)))
    row = blocks.join(prompt, target, end, wide=True)
    return gapped_batch(vocabulary, row, row != blocks.HOLE, prompt.shape[1], lengths)
