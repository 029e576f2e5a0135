"""Addition of decimal numbers in text (Kazemnejad et al. 2023)."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Int

from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import HOLE, Block
from lengthwise.tasks.reasoning.extraction import Answer
from lengthwise.tasks.reasoning.mathematics import SteppedTask
from lengthwise.tasks.reasoning.scratchpad import Markers, Steps


class _Sum(NamedTuple):
    """Digits low first, zero beyond the operand; digits of the sum and the carry into each."""

    first: Int[np.ndarray, "b m"]
    second: Int[np.ndarray, "b m"]
    sizes: Int[np.ndarray, "2 b"]
    total: Int[np.ndarray, "b m1"]
    carry: Int[np.ndarray, "b m1"]


@dataclass(frozen=True, kw_only=True)
class AdditionText(SteppedTask):
    """``Compute 8 7 + 6 5 ? The answer is 1 5 2.``

    Operands have p and q digits, every pair (p, q) equally likely; the length is ``max(p, q)``, so
    longer lengths are more frequent. Operands of several digits never start with 0.
    """

    name: ClassVar[str] = "addition-text"
    summary: ClassVar[str] = "add two decimal numbers, in text"
    answer: ClassVar[Answer] = "number"
    symbols: ClassVar[tuple[str, ...]] = tuple(str(number) for number in range(20))
    phrases: ClassVar[str] = "Compute + ? The answer is . = carry carry: ,"
    wordy: ClassVar[Markers] = Markers.wordy("For digits")
    whole: ClassVar[str] = "( ) % //"

    def draw_lengths(
        self, rng: np.random.Generator, low: int, high: int, count: int
    ) -> Int[np.ndarray, "b"]:
        """Draw lengths as uniform pairs of operand sizes give them."""
        possible = self.check_range(low, high)
        first, last = int(possible[0]), int(possible[-1])
        pair = rng.integers((first - 1) ** 2, last**2, count)  # n^2 pairs have a maximum up to n
        return 1 + np.sqrt(pair).astype(np.int64)

    def _content(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> _Sum:
        """Draw a pair of sizes with the wanted maximum, then digits."""
        pairs = 2 * lengths - 1  # of sizes with this maximum
        pair = (rng.random(len(lengths)) * pairs).astype(np.int64)
        sizes = np.empty((2, len(lengths)), dtype=np.int64)
        np.minimum(pair + 1, lengths, out=sizes[0])
        np.minimum(pairs - pair, lengths, out=sizes[1])
        width = int(lengths.max())
        both = sizes.ravel()
        drawn = blocks.draw_below(rng, 10, (len(both), width))
        drawn *= blocks.first_places(both, width)
        several = np.flatnonzero(both > 1)
        digits = drawn.T.reshape(-1, copy=False)  # rows lie side by side
        digits[(both[several] - 1) * len(both) + several] = 1 + blocks.draw_below(
            rng, 9, several.shape
        )
        return _add(drawn[: len(lengths)], drawn[len(lengths) :], sizes)

    def _longest(self, length: int) -> _Sum:
        nines = np.full((1, length), 9, dtype=np.int16)
        return _add(nines, nines, np.full((2, 1), length))

    def _question(self, content: _Sum) -> Block:
        return blocks.join(
            self.words("Compute"),
            _high_first(content.first, content.sizes[0]),
            self.words("+"),
            _high_first(content.second, content.sizes[1]),
            self.words("?"),
        )

    def _answer(self, content: _Sum) -> Block:
        longest = np.maximum(content.sizes[0], content.sizes[1])  # leading digits are not 0
        rows = np.arange(len(longest))
        size = longest + content.carry.T.ravel().take(longest * len(rows) + rows)
        return blocks.join(
            self.words("The answer is"), _high_first(content.total, size), self.words(".")
        )

    def _steps(self, content: _Sum) -> Steps:
        """Go from the low digit up; a last step is added when a carry remains."""
        first, second = (np.pad(x, ((0, 0), (0, 1))) for x in (content.first, content.second))
        longest = content.sizes.max(axis=0)[:, None]
        step = np.arange(first.shape[1])
        present = (step < longest) | ((step == longest) & (content.carry > 0))
        word, total = blocks.word, first + second + content.carry
        return Steps(
            present=present,
            i=blocks.join(word(first), self.words(","), word(second)),
            c=self._computation(first, second, content.carry),
            o=word(total % 10),
            v=blocks.join(
                self.words("carry:"),
                *(() if self.stripped else (word(total), self.words("// 10 ="))),
                word(total // 10),
            ),
            r=blocks.join(
                _rest(content.first, content.sizes[0], longest),
                self.words("+"),
                _rest(content.second, content.sizes[1], longest),
            ),
        )

    def _computation(
        self,
        first: Int[np.ndarray, "b s"],
        second: Int[np.ndarray, "b s"],
        carry: Int[np.ndarray, "b s"],
    ) -> Block:
        """Write ``6 + 7 + carry = 13 + 0 = 13``, or all of it modulo 10."""
        opening, closing = ("", "") if self.stripped else ("(", ") % 10")
        word, both = blocks.word, first + second
        return blocks.join(
            self.words(opening),
            word(first),
            self.words("+"),
            word(second),
            self.words(f"+ carry {closing} = {opening}"),
            word(both),
            self.words("+"),
            word(carry),
            self.words(f"{closing} ="),
            word(both + carry),
            self.words("" if self.stripped else "% 10"),
        )


def _add(
    first: Int[np.ndarray, "b m"], second: Int[np.ndarray, "b m"], sizes: Int[np.ndarray, "2 b"]
) -> _Sum:
    shape = (len(first), first.shape[1] + 1)
    total, carry = blocks.blank(shape, first.dtype), blocks.blank(shape, first.dtype)
    np.add(first, second, out=total[:, :-1])
    total[:, -1], carry[:, 0] = 0, 0
    for place in range(shape[1]):
        digit = total[:, place]
        digit += carry[:, place]
        if place + 1 < shape[1]:
            over = carry[:, place + 1]
            np.greater(digit, 9, out=over)
            digit -= over * digit.dtype.type(10)
    return _Sum(first, second, sizes, total, carry)


def _high_first(low_first: Int[np.ndarray, "b m"], size: Int[np.ndarray, "b"]) -> Block:
    """Write digits stored low digit first as people do."""
    written = blocks.first_places(size, low_first.shape[1])
    return np.where(written, low_first, low_first.dtype.type(HOLE))[:, ::-1]


def _rest(
    operand: Int[np.ndarray, "b m"], size: Int[np.ndarray, "b"], longest: Int[np.ndarray, "b 1"]
) -> Block:
    """Write what is left of an operand after each step: (rows, steps, digits).

    An exhausted operand prints 0 while the other one goes on, and nothing at the end.
    """
    width = operand.shape[1]
    place, step = np.arange(width)[::-1], np.arange(width + 1)[:, None]
    own = size[:, None, None]
    digit = (place > step) & (place < own)
    zero = (place == step + 1) & (own <= place) & (place < longest[:, :, None])
    return np.where(digit | zero, operand[:, None, ::-1], operand.dtype.type(HOLE))
