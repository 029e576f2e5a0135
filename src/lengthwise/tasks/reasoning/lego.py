"""LEGO: follow a chain of signed variables, in text (Kazemnejad et al. 2023)."""

from dataclasses import dataclass
from string import ascii_lowercase
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Int

from lengthwise.tasks.algorithmic._sampling import distinct
from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import HOLE, Block
from lengthwise.tasks.reasoning.base import Split
from lengthwise.tasks.reasoning.extraction import Answer
from lengthwise.tasks.reasoning.mathematics import SteppedTask
from lengthwise.tasks.reasoning.scratchpad import Markers, Steps

VALUE, SIGN = 26, 28
"""First ids of ``-1 +1`` and of ``- +``."""


class _Chain(NamedTuple):
    """Variables in chain order, their values as 0 for -1 and 1 for +1, and the written order."""

    variable: Int[np.ndarray, "b n"]
    value: Int[np.ndarray, "b n"]
    query: Int[np.ndarray, "b"]
    lengths: Int[np.ndarray, "b"]
    order: Int[np.ndarray, "b n"]


@dataclass(frozen=True, kw_only=True)
class Lego(SteppedTask):
    """``If q = -1, t = - q, c = + t. Then, what is the value of c? The answer is +1.``

    Variables are distinct letters, values independent and uniform, the query lies in the second
    half of the chain. With ``permuted`` the clauses stand in random order.
    """

    permuted: bool = False

    name: ClassVar[str] = "lego-text"
    summary: ClassVar[str] = "follow a chain of signed variables, in text"
    min_length: ClassVar[int] = 2
    split: ClassVar[Split] = Split(train=(4, 8), test=(9, 16))
    answer: ClassVar[Answer] = "word"
    joins: ClassVar[tuple[tuple[str, str], ...]] = (
        (r" ,", ","),
        (r" \. Then", ". Then"),
        (r" \?", "?"),
        (r" \.$", "."),
    )
    symbols: ClassVar[tuple[str, ...]] = (*ascii_lowercase, "-1", "+1", "-", "+")
    phrases: ClassVar[str] = "If = , . Then what is the value of ? The answer"
    wordy: ClassVar[Markers] = Markers.wordy("For variable")

    @property
    def longest(self) -> int:
        """Letters run out."""
        return 26

    def _content(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> _Chain:
        count, width = len(lengths), int(lengths.max())
        variable = distinct(rng, count, 26, width).astype(np.int16, order="F")
        value = blocks.draw_below(rng, 2, (count, width))
        query = rng.integers((lengths + 1) // 2, lengths)
        order = np.broadcast_to(np.arange(width), (count, width))
        if self.permuted:
            keys = np.where(order < lengths[:, None], rng.random((count, width)), 2.0)
            order = np.argsort(keys, axis=1)
        return _Chain(variable, value, query, lengths, order)

    def _longest(self, length: int) -> _Chain:
        chain = np.arange(length, dtype=np.int16)[None]
        one = np.array([length])
        return _Chain(chain, np.zeros_like(chain), one - 1, one, chain)

    def _clauses(self, content: _Chain) -> Block:
        """Write ``v = s u`` for every link, in chain order; the first clause has a value."""
        sign = _signs(content)
        clauses = blocks.blank((*sign.shape, 4), self.kind)
        clauses[..., 0], clauses[..., 1] = content.variable, self.vocabulary.ids["="]
        clauses[..., 2], clauses[:, 1:, 3] = sign, content.variable[:, :-1]
        clauses[:, 0, 3] = VALUE + content.value[:, 0]
        return clauses

    def _listed(self, content: _Chain, present: np.ndarray) -> Block:
        """List clauses in written order; ``present`` (..., clause) is in chain order."""
        order, clauses = content.order, self._clauses(content)
        if not self.permuted:
            items = clauses if present.ndim == 2 else clauses[:, None]
            return blocks.listing(items, present, self.vocabulary.ids[","])
        clauses = np.take_along_axis(clauses, order[:, :, None], axis=1)
        if present.ndim == 3:
            clauses, order = clauses[:, None], order[:, None]
        shown = np.take_along_axis(present, order, axis=-1)
        return blocks.listing(clauses, shown, self.vocabulary.ids[","])

    def _question(self, content: _Chain) -> Block:
        rows = np.arange(len(content.query))
        present = blocks.first_places(content.lengths, content.variable.shape[1])
        return blocks.join(
            self.words("If"),
            self._listed(content, present),
            self.words(". Then, what is the value of"),
            blocks.word(content.variable[rows, content.query]),
            self.words("?"),
        )

    def _answer(self, content: _Chain) -> Block:
        value = content.value[np.arange(len(content.query)), content.query]
        return blocks.join(self.words("The answer is"), blocks.word(VALUE + value), self.words("."))

    def _steps(self, content: _Chain) -> Steps:
        """Walk the chain up to the query."""
        place = np.arange(content.variable.shape[1])
        sign = _signs(content)
        previous = np.roll(content.variable, 1, axis=1)
        known = VALUE + np.roll(content.value, 1, axis=1)
        equals = np.full_like(sign, self.vocabulary.ids["="])
        computed = np.stack([sign, previous, equals, sign, known], axis=-1)
        present = place < content.lengths[:, None]
        return Steps(
            present=place <= content.query[:, None],
            i=blocks.word(content.variable),
            c=blocks.keep(place > 0, computed),
            o=blocks.word(VALUE + content.value),
            r=self._listed(content, present[:, None] & (place > place[:, None])),
        )


def _signs(content: _Chain) -> Int[np.ndarray, "b n"]:
    """Return the sign of every link; the first clause has none."""
    signs = np.full_like(content.value, HOLE)
    signs[:, 1:] = SIGN + (content.value[:, 1:] == content.value[:, :-1])
    return signs
