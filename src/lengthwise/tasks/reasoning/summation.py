"""Sum of digits modulo 10 and parity of bits, in text (Kazemnejad et al. 2023)."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import Block
from lengthwise.tasks.reasoning.base import DIGITS, SEP, Split
from lengthwise.tasks.reasoning.extraction import Answer
from lengthwise.tasks.reasoning.mathematics import SteppedTask
from lengthwise.tasks.reasoning.scratchpad import Markers, Steps


class _Row(NamedTuple):
    """Numbers of a row, zero where there is none, and the modulus of their sum."""

    value: Int[np.ndarray, "b n"]
    present: Bool[np.ndarray, "b n"]
    modulus: int

    @property
    def total(self) -> Int[np.ndarray, "b"]:
        """The sum of each row."""
        return np.add.reduce(self.value, axis=1, dtype=self.value.dtype) % self.modulus

    @property
    def running(self) -> Int[np.ndarray, "b n"]:
        """The sum after each number."""
        return blocks.running_sum(self.value) % self.modulus

    @property
    def before(self) -> Int[np.ndarray, "b n"]:
        """The sum before each number."""
        return np.pad(self.running[:, :-1], ((0, 0), (1, 0)))

    @property
    def later(self) -> Bool[np.ndarray, "b s n"]:
        """Mark the numbers that come after each step."""
        place = np.arange(self.value.shape[1])
        return self.present[:, None] & (place > place[:, None])


def _row(drawn: Int[np.ndarray, "b n"], lengths: Int[np.ndarray, "b"], modulus: int) -> _Row:
    present = blocks.first_places(lengths, drawn.shape[1])
    return _Row((drawn * present).astype(np.int16), present, modulus)


@dataclass(frozen=True, kw_only=True)
class Summation(SteppedTask):
    """``Compute: 3 + 8 + 6 .[SEP] The answer is 7 .`` with numbers uniform in 1..9, modulo 10."""

    name: ClassVar[str] = "summation-text"
    summary: ClassVar[str] = "sum numbers from 1 to 9 modulo 10, in text"
    split: ClassVar[Split] = Split(train=(2, 8), test=(9, 16))
    answer: ClassVar[Answer] = "number"
    joins: ClassVar[tuple[tuple[str, str], ...]] = ((r" ,", ","), (r" \[SEP\]", "[SEP]"))
    symbols: ClassVar[tuple[str, ...]] = (*DIGITS, "+")
    phrases: ClassVar[str] = f"Compute: . {SEP} The answer is sum = sum:"
    wordy: ClassVar[Markers] = Markers.wordy("For number")
    whole: ClassVar[str] = "% 10"

    def _content(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> _Row:
        drawn = 1 + blocks.draw_below(rng, 9, (len(lengths), int(lengths.max())))
        return _row(drawn, lengths, 10)

    def _longest(self, length: int) -> _Row:
        return _row(np.full((1, length), 9), np.array([length]), 10)

    def _question(self, content: _Row) -> Block:
        listed = blocks.listing(
            blocks.word(content.value), content.present, self.symbols.index("+")
        )
        return blocks.join(self.words("Compute:"), listed, self.words(f". {SEP}"))

    def _answer(self, content: _Row) -> Block:
        total = blocks.word(content.total)
        return blocks.join(self.words("The answer is"), total, self.words("."))

    def _steps(self, content: _Row) -> Steps:
        """Add one number after the other; the running sum is kept modulo 10."""
        value, old = blocks.word(content.value), blocks.word(content.before)
        reached = blocks.digits(content.value + content.before, 2)
        plus = self.symbols.index("+")
        return Steps(
            present=content.present,
            i=value,
            c=blocks.join(
                value, self.words("+ sum ="), value, self.words("+"), old, self.words("=")
            ),
            o=reached,
            v=blocks.join(
                self.words("sum:"),
                reached,
                self.words("=" if self.stripped else "% 10 ="),
                blocks.word(content.running),
            ),
            r=blocks.listing(value[:, None], content.later, plus),
        )


@dataclass(frozen=True, kw_only=True)
class ParityText(SteppedTask):
    """``Is the number of 1's even in the sequence [ 1, 0, 1, 1 ] ? The answer is No.``

    Bits are independent and uniform. Lengths 4-8 hold only 496 different inputs.
    """

    name: ClassVar[str] = "parity-text"
    summary: ClassVar[str] = "is the number of ones even, in text"
    split: ClassVar[Split] = Split(train=(4, 8), test=(9, 16))
    answer: ClassVar[Answer] = "word"
    symbols: ClassVar[tuple[str, ...]] = ("0", "1", ",", "Yes", "No")
    phrases: ClassVar[str] = (
        "Is the number of 1's even in sequence [ ] ? The answer is . ** par = par:"
    )
    wordy: ClassVar[Markers] = Markers.wordy("For bit")

    def _content(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> _Row:
        drawn = blocks.draw_below(rng, 2, (len(lengths), int(lengths.max())))
        return _row(drawn, lengths, 2)

    def _longest(self, length: int) -> _Row:
        return _row(np.ones((1, length), dtype=np.int32), np.array([length]), 2)

    def _bits(self, value: Block, present: Bool[np.ndarray, "..."]) -> Block:
        listed = blocks.listing(value, present, self.symbols.index(","))
        return blocks.join(self.words("["), listed, self.words("]"))

    def _question(self, content: _Row) -> Block:
        return blocks.join(
            self.words("Is the number of 1's even in the sequence"),
            self._bits(blocks.word(content.value), content.present),
            self.words("?"),
        )

    def _answer(self, content: _Row) -> Block:
        verdict = self.symbols.index("Yes") + content.total
        return blocks.join(self.words("The answer is"), blocks.word(verdict), self.words("."))

    def _steps(self, content: _Row) -> Steps:
        """Exclusive-or one bit after the other; it is written ``**``."""
        bit, old, new = (blocks.word(x) for x in (content.value, content.before, content.running))
        return Steps(
            present=content.present,
            i=bit,
            c=blocks.join(bit, self.words("** par ="), bit, self.words("**"), old),
            o=new,
            v=blocks.join(self.words("par:"), new),
            r=self._bits(bit[:, None], content.later),
        )
