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
from lengthwise.tasks.steps import marks as marked
from lengthwise.tasks.vocabulary import EOS, SEP, Vocabulary

MOST_LETTERS = 100


@dataclass(frozen=True, kw_only=True)
class HintedCopy(Task):
    """Copy a word whose symbols have indices: ``<bos> #3 a #4 a <sep> #3 a #4 a <eos>``.

    The indices are consecutive from a random start (Zhou et al. 2023); ``order=reversed`` copies
    from the last symbol to the first. Length counts symbols without their indices.
    """

    letters: str = "ab"
    order: Literal["same", "reversed"] = "same"
    marks: int = 100

    name: ClassVar[str] = "hinted-copy"
    summary: ClassVar[str] = "copy a word in which symbols repeat, with an index beside each"
    sizes: ClassVar[tuple[str, ...]] = ("marks",)

    def __post_init__(self) -> None:
        if not 1 <= len(set(self.alphabet)) == len(self.alphabet) <= MOST_LETTERS:
            raise InputError(
                f"task {self.name!r}: letters={self.letters} is not 1 to {MOST_LETTERS} different "
                "symbols, run together or separated by spaces."
            )
        marked.check_marks(self.name, self.marks, self.mark_names, self.alphabet)

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols that are copied."""
        return tuple(self.letters.split() if " " in self.letters else self.letters)

    @property
    def mark_names(self) -> tuple[str, ...]:
        """The indices."""
        return marked.mark_names(marked.INDEX, self.marks)

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
        """Draw independent uniform letters and a start of the indices."""
        width = int(lengths.max())
        word = rng.integers(0, len(self.alphabet), (len(lengths), width))
        hints = marked.draw_marks(rng, lengths, self.marks, order=True) + len(self.alphabet)
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
            "an index occurs once before <sep>, so the letter behind it is the one that is due at "
            "the same index behind <sep>; the next index is the neighbour of the last one, as long "
            "as it occurs"
        )

    @property
    def program(self) -> Any | None:
        """Look the letter up by its index; the next index is the neighbour, if it occurs."""
        return self._program

    @cached_property
    def _program(self) -> Program | None:
        if self.marks > marked.LARGEST:
            return None
        names, after = self.mark_names, exists(Q[SEP])
        outputs: dict[str, Bool] = {
            letter: after & marked.at_mark(names, letter) for letter in self.alphabet
        }
        then = marked.following_index(names if self.order == "same" else names[::-1])
        first = marked.first_mark(names)
        if self.order == "reversed":
            first = {h: prev(Q[h], 2) for h in names}
        letter = after & any_of(Q[a] for a in self.alphabet)
        for h in names:
            outputs[h] = (Q[SEP] & first[h]) | (letter & then[h] if h in then else ~true)
        outputs[EOS] = letter & all_of(~node for node in then.values())
        return Program([], alphabet=(*self.vocabulary.symbols, SEP, EOS), next=outputs)
