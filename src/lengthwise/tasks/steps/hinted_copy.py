"""Copy with marks: a word in which symbols repeat, each beside an index."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.crasp.embedding import Q, all_of, any_of, exists, prev, true
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, sequence_batch
from lengthwise.tasks.reasoning.copying import symbols
from lengthwise.tasks.steps import marks as marked
from lengthwise.tasks.vocabulary import EOS, SEP, Vocabulary

MOST_LETTERS = 100
MOST_SYMBOLS = 10_000
LARGEST_TABLE = 2_000
"""Programs are not written for more pairs of a mark and a symbol."""


@dataclass(frozen=True, kw_only=True)
class HintedCopy(Task):
    """Copy a word whose symbols have indices: ``<bos> #3 a #4 a <sep> #3 a #4 a <eos>``.

    The indices are consecutive from a random start (Zhou et al. 2023); with ``hints=signpost`` they
    are any distinct marks. ``order=reversed`` copies from the last symbol to the first. Length
    counts symbols without their marks. ``symbols`` is how many there are, instead of ``letters``.
    """

    letters: str = "ab"
    symbols: int = 0
    order: Literal["same", "reversed"] = "same"
    hints: Literal["index", "signpost"] = "index"
    marks: int = 100

    name: ClassVar[str] = "hinted-copy"
    summary: ClassVar[str] = "copy a word in which symbols repeat, with an index beside each"
    sizes: ClassVar[tuple[str, ...]] = ("marks", "symbols")

    def __post_init__(self) -> None:
        if self.symbols and not 2 <= self.symbols <= MOST_SYMBOLS:
            raise InputError(
                f"task {self.name!r}: symbols={self.symbols} is not 2..{MOST_SYMBOLS}."
            )
        if (
            not self.symbols
            and not 1 <= len(set(self.alphabet)) == len(self.alphabet) <= MOST_LETTERS
        ):
            raise InputError(
                f"task {self.name!r}: letters={self.letters} is not 1 to {MOST_LETTERS} different "
                "symbols, run together or separated by spaces."
            )
        marked.check_marks(self.name, self.marks, self.mark_names, self.alphabet)

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols that are copied."""
        if self.symbols:
            return symbols(self.symbols)
        return tuple(self.letters.split() if " " in self.letters else self.letters)

    @property
    def mark_names(self) -> tuple[str, ...]:
        """The marks."""
        kind = marked.INDEX if self.hints == "index" else marked.SIGNPOST
        return marked.mark_names(kind, self.marks)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Letters and indices."""
        return Vocabulary((*self.alphabet, *self.mark_names))

    @property
    def longest(self) -> int:
        """Marks run out."""
        return self.marks

    def max_tokens(self, length: int) -> int:
        """Every symbol twice with its index, and three special tokens."""
        return 4 * min(length, self.marks) + 3

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw independent uniform letters and the marks."""
        width = int(lengths.max())
        word = rng.integers(0, len(self.alphabet), (len(lengths), width))
        ordered = self.hints == "index"
        hints = marked.draw_marks(rng, lengths, self.marks, order=ordered) + len(self.alphabet)
        prompt = np.stack([hints, word], axis=2)
        answer = prompt
        if self.order == "reversed":
            back = np.maximum(lengths[:, None] - 1 - np.arange(width), 0)
            answer = np.take_along_axis(prompt, back[:, :, None], axis=1)
        flat = prompt.reshape(len(lengths), -1), answer.reshape(len(lengths), -1)
        return sequence_batch(self.vocabulary, flat[0], 2 * lengths, flat[1], 2 * lengths, lengths)

    def answered(self, written: Sequence[int], target: Sequence[int]) -> bool:
        """Compare the copied symbols; the indices are steps."""
        return self._copied(written) == self._copied(target)

    def _copied(self, text: Sequence[int]) -> list[int]:
        vocabulary, text = self.vocabulary, list(text)
        behind = text[text.index(vocabulary.sep) + 1 :] if vocabulary.sep in text else []
        kept = {*range(len(self.alphabet)), vocabulary.eos}
        return [token for token in behind if token in kept]

    @property
    def reason(self) -> str:
        """Why the program writes every instance."""
        return (
            "a mark occurs once before <sep>, so the letter behind it is the one that is due at "
            "the same mark behind <sep>; the next mark is the neighbour of the last one in the "
            "input, as long as there is one"
        )

    @property
    def program(self) -> Any | None:
        """Look the letter up by its mark; the next mark is the neighbour, if it occurs."""
        return self._program

    @cached_property
    def _program(self) -> Program | None:
        if self.marks > marked.LARGEST or self.marks * len(self.alphabet) > LARGEST_TABLE:
            return None
        names, after = self.mark_names, exists(Q[SEP])
        outputs: dict[str, Bool] = {
            letter: after & marked.at_mark(names, letter) for letter in self.alphabet
        }
        back = self.order == "reversed"
        if self.hints == "index":
            then = marked.following_index(names[::-1] if back else names)
        else:
            then = (marked.preceding_signpost if back else marked.following_signpost)(names)
        first = marked.first_mark(names)
        if back:
            first = {h: prev(Q[h], 2) for h in names}
        letter = after & any_of(Q[a] for a in self.alphabet)
        for h in names:
            outputs[h] = (Q[SEP] & first[h]) | (letter & then[h] if h in then else ~true)
        outputs[EOS] = letter & all_of(~node for node in then.values())
        return Program([], alphabet=(*self.vocabulary.symbols, SEP, EOS), next=outputs)
