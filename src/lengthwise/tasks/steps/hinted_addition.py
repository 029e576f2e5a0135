"""Addition with marks: low bits first, bits of equal weight beside the same index."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from lengthwise.crasp.embedding import Q, any_of, count, exists, never, prev, true
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch, gapped_batch
from lengthwise.tasks.steps import marks as marked
from lengthwise.tasks.vocabulary import EOS, Vocabulary

PLUS, EQUALS = 2, 3


@dataclass(frozen=True, kw_only=True)
class HintedAddition(Task):
    """Add two binary numbers: ``<bos> #5 1 #6 1 + #5 1 = #5 0 #6 0 #7 1 <eos>`` is 3 + 1 = 4.

    Low bits come first, bits of equal weight have the same index, indices are consecutive from a
    random start (Zhou et al. 2023). The sum has one bit more than the longer operand. The length
    counts the bits of both operands, ``+`` and ``=``, as in the task ``addition``.
    """

    marks: int = 100

    name: ClassVar[str] = "hinted-addition"
    summary: ClassVar[str] = "add two binary numbers, low bit first, with an index beside each bit"
    min_length: ClassVar[int] = 4
    sizes: ClassVar[tuple[str, ...]] = ("marks",)

    def __post_init__(self) -> None:
        marked.check_marks(self.name, self.marks, self.mark_names, ("0", "1", "+", "="))

    @property
    def mark_names(self) -> tuple[str, ...]:
        """The indices."""
        return marked.mark_names(marked.INDEX, self.marks)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Two bits, plus, equals and the indices."""
        return Vocabulary(("0", "1", "+", "=", *self.mark_names))

    @property
    def longest(self) -> int:
        """The sum of a long operand and one bit needs an index for each of its bits."""
        return self.marks + 2

    def max_tokens(self, length: int) -> int:
        """Bits with indices: of both operands, and of the sum; and four symbols."""
        return 2 * (length - 2) + 2 * (length - 2) + 4

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw operands as the task ``addition`` does, add, and write low bits first."""
        first = rng.integers(1, lengths - 2)
        second = lengths - 2 - first
        size = np.maximum(first, second) + 1
        width = int(size.max())
        u, v = (self._operand(rng, count, width) for count in (first, second))
        total = _sum(u, v)
        hints = marked.draw_marks(rng, size, self.marks, order=True) + 4
        vocabulary, one = self.vocabulary, np.ones((len(lengths), 1), dtype=np.int64)
        place = np.arange(width)
        parts: list[tuple[np.ndarray, np.ndarray]] = [(vocabulary.bos * one, one.astype(bool))]
        for bits, shown, symbol in ((u, first, PLUS), (v, second, EQUALS), (total, size, None)):
            cells = np.stack([hints, bits], axis=2).reshape(len(lengths), -1)
            parts.append((cells, np.repeat(place < shown[:, None], 2, axis=1)))
            end = vocabulary.eos if symbol is None else symbol
            parts.append((end * one, one.astype(bool)))
        cells = np.concatenate([part for part, _ in parts], axis=1)
        written = np.concatenate([part for _, part in parts], axis=1)
        return gapped_batch(vocabulary, cells, written, 4 * width + 3, lengths)

    def _operand(
        self, rng: np.random.Generator, size: Int[np.ndarray, "b"], width: int
    ) -> Int[np.ndarray, "b w"]:
        """Draw bits, low first; the top bit is 1 if there are several."""
        bits = rng.integers(0, 2, (len(size), width))
        bits[np.arange(width) >= size[:, None]] = 0
        several = np.flatnonzero(size > 1)
        bits[several, size[several] - 1] = 1
        return bits

    def answered(self, written: Sequence[int], target: Sequence[int]) -> bool:
        """Compare the bits of the sum; the indices are steps."""
        return self._bits(written) == self._bits(target)

    def _bits(self, text: Sequence[int]) -> list[int]:
        text = list(text)
        behind = text[text.index(EQUALS) + 1 :] if EQUALS in text else []
        return [token for token in behind if token in (0, 1, self.vocabulary.eos)]

    @property
    def reason(self) -> str:
        """Why the program writes every instance."""
        return (
            "an index occurs at most once in each operand, so the bits that it marks are found (a "
            "missing one counts as 0); behind the equals sign the symbol before an index is the "
            "bit of the sum one weight lower; with the two bits of that weight it gives the carry: "
            "both are 1, or one is and the sum has 0"
        )

    @property
    def program(self) -> Any | None:
        """Look both bits up by their index, and the carry by the index before."""
        return self._program

    @cached_property
    def _program(self) -> Program | None:
        if self.marks > marked.LARGEST:
            return None
        names = self.mark_names
        one, before, behind = Q["1"], never(Q["+"]), exists(Q["+"])
        u = [exists(one & prev(Q[h]) & before) for h in names]
        v = [exists(one & prev(Q[h]) & behind & never(Q["="])) for h in names]
        odd = any_of(Q[h] & _differ(a, b) for h, a, b in zip(names, u, v, strict=True))
        both = any_of(Q[h] & a & b for h, a, b in zip(names[1:], u, v, strict=False))
        single = any_of(Q[h] & _differ(a, b) for h, a, b in zip(names[1:], u, v, strict=False))
        carry = ~prev(Q["="]) & (both | (single & prev(Q["0"])))
        after = exists(Q["="])
        mark = after & any_of(Q[h] for h in names)
        bit = after & (Q["0"] | Q["1"])
        bit_is_one = _differ(odd, carry)
        outputs: dict[str, Bool] = {"1": mark & bit_is_one, "0": mark & ~bit_is_one}
        first = marked.first_mark(names)
        more = {h: prev(Q[h]) & (count(Q[h]) >= 2) for h in names}  # it marks a bit of an operand
        for number, h in enumerate(names):
            then = bit & more[names[number - 1]] if number else ~true
            outputs[h] = (Q["="] & first[h]) | then
        outputs[EOS] = bit & any_of(prev(Q[h]) & ~more[h] for h in names)
        return Program([], alphabet=(*self.vocabulary.symbols, EOS), next=outputs)


def _differ(one: Bool, two: Bool) -> Bool:
    return (one & ~two) | (~one & two)


def _sum(u: Int[np.ndarray, "b w"], v: Int[np.ndarray, "b w"]) -> Int[np.ndarray, "b w"]:
    """Add bits, low first."""
    total, carry = np.empty_like(u), np.zeros(len(u), dtype=np.int64)
    for place in range(u.shape[1]):
        here = u[:, place] + v[:, place] + carry
        total[:, place], carry = here % 2, here // 2
    return total
