"""Evaluate a polynomial modulo 10, in text (Kazemnejad et al. 2023)."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import Block
from lengthwise.tasks.reasoning.base import DIGITS
from lengthwise.tasks.reasoning.extraction import Answer
from lengthwise.tasks.reasoning.mathematics import SteppedTask
from lengthwise.tasks.reasoning.scratchpad import Markers, Steps

MINUS, PLUS = 10, 11
TWO, THREE = np.int16(2), np.int16(3)
_POWERS = (np.arange(-2, 3)[:, None] ** np.arange(4)).astype(np.int16)
"""x ** e by x + 2 and e."""


class _Polynomial(NamedTuple):
    x: Int[np.ndarray, "b"]
    coefficient: Int[np.ndarray, "b n"]
    exponent: Int[np.ndarray, "b n"]
    present: Bool[np.ndarray, "b n"]

    @property
    def power(self) -> Int[np.ndarray, "b n"]:
        return _POWERS[self.x[:, None] + TWO, self.exponent]

    @property
    def value(self) -> Int[np.ndarray, "b n"]:
        return self.coefficient * self.power * self.present

    @property
    def running(self) -> Int[np.ndarray, "b n"]:
        """The sum modulo 10 after each term."""
        return blocks.running_sum(self.value) % 10


@dataclass(frozen=True, kw_only=True)
class Polynomial(SteppedTask):
    """``Evaluate at x = 2 in 3 * x ** 1 + - 1 * x ** 3 ? The answer is 8.``

    Coefficients are uniform in -3..3, exponents in 0..3, x in -2..2; the answer is the value
    modulo 10. Length counts terms.
    """

    name: ClassVar[str] = "polynomial-text"
    summary: ClassVar[str] = "evaluate a polynomial modulo 10, in text"
    answer: ClassVar[Answer] = "number"
    symbols: ClassVar[tuple[str, ...]] = (*DIGITS, "-", "+")
    phrases: ClassVar[str] = "Evaluate at x = in * ** ? The answer is . sum:"
    wordy: ClassVar[Markers] = Markers.wordy("For term")
    whole: ClassVar[str] = "( ) % 10"

    def _content(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> _Polynomial:
        shape = (len(lengths), int(lengths.max()))
        return _Polynomial(
            x=blocks.draw_below(rng, 5, shape[:1]) - TWO,
            coefficient=blocks.draw_below(rng, 7, shape) - THREE,
            exponent=blocks.draw_below(rng, 4, shape),
            present=blocks.first_places(lengths, shape[1]),
        )

    def _longest(self, length: int) -> _Polynomial:
        """Negative coefficients cost a sign wherever they are repeated; try what else may."""
        x = np.array([-2, -2, 2, 2], dtype=np.int16)
        exponent = np.array([2, 3, 2, 3], dtype=np.int16)
        terms = np.broadcast_to(exponent[:, None], (4, length))
        return _Polynomial(x, np.full_like(terms, -3), terms, np.ones(terms.shape, dtype=bool))

    def _terms(self, content: _Polynomial) -> Block:
        return blocks.join(
            blocks.signed(content.coefficient, 1, MINUS),
            self.words("* x **"),
            blocks.word(content.exponent),
        )

    def _question(self, content: _Polynomial) -> Block:
        return blocks.join(
            self.words("Evaluate at x ="),
            blocks.signed(content.x, 1, MINUS),
            self.words("in"),
            blocks.listing(self._terms(content), content.present, PLUS),
            self.words("?"),
        )

    def _answer(self, content: _Polynomial) -> Block:
        total = np.add.reduce(content.value, axis=1, dtype=np.int16) % 10
        return blocks.join(self.words("The answer is"), blocks.word(total), self.words("."))

    def _steps(self, content: _Polynomial) -> Steps:
        """Evaluate one term after the other, keeping the sum modulo 10."""
        terms, count = self._terms(content), content.present.shape[1]
        value = blocks.signed(content.value, 2, MINUS)
        coefficient = blocks.signed(content.coefficient, 1, MINUS)
        old = np.pad(content.running[:, :-1], ((0, 0), (1, 0)))
        later = np.arange(count) > np.arange(count)[:, None]
        return Steps(
            present=content.present,
            i=terms,
            c=blocks.join(
                coefficient,
                self.words("*"),
                blocks.signed(content.x, 1, MINUS)[:, None],
                self.words("**"),
                blocks.word(content.exponent),
                self.words("="),
                coefficient,
                self.words("*"),
                blocks.signed(content.power, 1, MINUS),
            ),
            o=value,
            v=blocks.join(
                self.words("sum:" if self.stripped else "sum: ("),
                blocks.word(old),
                self.words("+"),
                value,
                self.words("=" if self.stripped else ") % 10 ="),
                blocks.word(content.running),
            ),
            r=blocks.listing(terms[:, None], content.present[:, None] & later, PLUS),
        )
