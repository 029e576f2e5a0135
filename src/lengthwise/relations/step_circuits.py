"""Step-by-step tasks declared by their layout, with gates and the ideal relation derived.

A declaration says which fields the prompt has and which symbol each slot of the one operator reads
at step ``t``. Positions, gates, the ideal position relation and its formula, the scale hint and the
tokens all follow from it. Three layouts (our reconstruction of "aligned to scale 20" in Chen, Liang
and Lin 2025, arXiv 2510.04130):

* ``aligned``: operand fields right-padded to ``reference + 2`` symbols, then ``=``; natural output
  and an end token. The width must exceed the largest scale, else the end step of a full-length
  instance has no padding argument.
* ``zero``: operands filled with 0 to ``reference`` symbols; every output is written, no end token.
  Here too a reference above the largest scale avoids one edge step that is idle below full width.
* ``unaligned``: natural lengths; the relation needs the scale as a hint.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from lengthwise.core.errors import InputError, unknown
from lengthwise.relations.formulas import SlotFormula
from lengthwise.relations.gates import ABSENT, Gate, IntArray, Wiring
from lengthwise.relations.operators import Operands
from lengthwise.relations.symbols import (
    BEGIN,
    END,
    EQUALS,
    NOTHING,
    PAD,
    VOCABULARY,
    ZERO,
)

Layout = Literal["aligned", "zero", "unaligned"]
LAYOUTS: tuple[Layout, ...] = ("aligned", "zero", "unaligned")


@dataclass(frozen=True)
class Field:
    """One operand of the prompt: ``long`` (grows with the scale) or a single symbol.

    ``separator`` is the token written before it; digits are drawn from ``low`` to ``high``.
    """

    name: str
    separator: int | None = None
    long: bool = True
    low: int = 0
    high: int = 9


@dataclass(frozen=True)
class Slot:
    """What one argument reads at step ``t``: ``field[t + offset]``, ``field[fixed]``, or itself.

    ``Slot()`` is the current token; ``Slot("a", -1)`` the previous digit of ``a``;
    ``Slot("b", fixed=1)`` the first digit of ``b`` at every step.
    """

    field: str | None = None
    offset: int = 0
    fixed: int | None = None


@dataclass(frozen=True)
class StepCircuit:
    """A step-by-step task in one layout: tokens, gates and ideal relation at every scale.

    Example:
        57 + 68 = 125, low digit first; slots are a_t, b_t, a_{t-1}, b_{t-1} and the last output.

        >>> from lengthwise.relations.library import circuit
        >>> addition = circuit("addition", layout="unaligned")
        >>> addition.gates(2)[1]
        Gate(query=8, operator='addition', arguments=(3, 6, 2, 5, 8))
        >>> addition.relation(8, np.arange(1, 9), 2).tolist()
        [0, 3, 1, 0, 4, 2, 0, 5]
    """

    name: str
    fields: tuple[Field, ...]
    slots: tuple[Slot, ...]
    answer: Callable[[Operands], IntArray] = field(repr=False)
    operator: Callable[[IntArray], IntArray] = field(repr=False)
    extra_outputs: int = 0
    fill_left: bool = False
    symmetric: tuple[Sequence[int], ...] = ()
    layout: Layout = "aligned"
    reference: int = 20

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS:
            raise unknown("layout", self.layout, LAYOUTS)
        if self.reference < 1:
            raise InputError(f"reference is {self.reference}; it must be at least 1.")

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Return the tokens, in code order."""
        return VOCABULARY

    @property
    def uses_scale(self) -> bool:
        """Return whether the relation needs the scale hint (the unaligned layout does)."""
        return self.layout == "unaligned"

    @property
    def values(self) -> int:
        """Return the number of relation values: one per slot and 0 for irrelevant keys."""
        return len(self.slots) + 1

    def in_layout(self, layout: Layout, reference: int | None = None) -> "StepCircuit":
        """Return the same task in another layout (and for another largest scale)."""
        return replace(self, layout=layout, reference=reference or self.reference)

    # --- positions ---------------------------------------------------------------------------

    def width(self, scale: IntArray | int | None = None) -> IntArray:
        """Return the width of the long fields at ``scale``."""
        if self.layout == "unaligned":
            if scale is None:
                raise InputError(
                    f"{self.name}: the relation of the unaligned layout needs the scale."
                )
            return np.asarray(scale)
        return np.asarray(self.reference + 2 * (self.layout == "aligned"))

    def start(self, name: str) -> tuple[int, int]:
        """Return ``(c, m)``: the field's first symbol is at position ``c + m * width``."""
        constant, slope = 2, 0
        for part in self.fields:
            constant += part.separator is not None
            if part.name == name:
                return constant, slope
            constant, slope = constant + (not part.long), slope + part.long
        raise unknown("field", name, [part.name for part in self.fields])

    def equals(self) -> tuple[int, int]:
        """Return ``(c, m)``: the ``=`` token is at position ``c + m * width``."""
        last = self.fields[-1]
        constant, slope = self.start(last.name)
        return constant + (not last.long), slope + last.long

    def prompt_length(self, scale: int) -> int:
        """Return the number of tokens up to and including ``=``."""
        return int(_at(self.equals(), self.width(scale)))

    def steps(self, scale: int) -> int:
        """Return the number of generated tokens, the end token included."""
        self._check_scale(scale)
        if self.layout == "zero":
            return self.reference + self.extra_outputs
        return scale + self.extra_outputs + 1

    def length(self, scale: int) -> int:
        """Return the number of tokens of a whole sequence."""
        return self.prompt_length(scale) + self.steps(scale)

    def _check_scale(self, scale: int) -> None:
        if scale < 1:
            raise InputError(f"{self.name}: scale {scale}; scales count from 1.")
        if self.layout != "unaligned" and scale > self.reference:
            raise InputError(
                f"{self.name}: scale {scale} does not fit the {self.layout} layout, "
                f"which is built for scales up to {self.reference} (its reference)."
            )

    # --- gates -------------------------------------------------------------------------------

    def _argument(self, slot: Slot, query: IntArray, width: IntArray) -> IntArray:
        """Return the position that ``slot`` reads at ``query``, :data:`ABSENT` where none is."""
        if slot.field is None:
            return query
        step = query - _at(self.equals(), width) + 1
        index = step + slot.offset if slot.fixed is None else np.full_like(step, slot.fixed)
        part = next(part for part in self.fields if part.name == slot.field)
        present = (index >= 1) & (index <= (width if part.long else 1))
        return np.where(present, _at(self.start(slot.field), width) + index - 1, ABSENT)

    def wiring(self, scale: int) -> Wiring:
        """Return the gates of ``scale`` as arrays; in the zero layout idle gates are inactive."""
        width = self.width(scale)
        query = self.prompt_length(scale) + np.arange(self.steps(scale), dtype=np.int64)
        arguments = np.stack([self._argument(s, query, width) for s in self.slots], axis=1)
        return Wiring(
            scale=scale,
            query=query,
            operator=np.zeros(len(query), dtype=np.int64),
            arguments=arguments,
            names=(self.name,),
            arity=(len(self.slots),),
            active=self._active(scale),
        )

    def _active(self, scale: int) -> npt.NDArray[np.bool_]:
        """Return which steps read a drawn digit of a long field, rather than filling zeros."""
        steps = np.arange(1, self.steps(scale) + 1)
        if self.layout != "zero":
            return np.ones(len(steps), dtype=bool)
        offsets = [s.offset for s in self.slots if s.field is not None and s.fixed is None]
        indices = np.stack([steps + offset for offset in offsets])
        if self.fill_left:
            indices = self.reference + 1 - indices
        return np.any((indices >= 1) & (indices <= scale), axis=0)

    def gates(self, scale: int) -> tuple[Gate, ...]:
        """Return one gate per generated token of an instance of size ``scale``."""
        wiring = self.wiring(scale)
        rows = zip(wiring.query.tolist(), wiring.arguments.tolist(), strict=True)
        return tuple(Gate(q, self.name, tuple(p or None for p in row)) for q, row in rows)

    # --- the ideal relation ------------------------------------------------------------------

    def relation(
        self,
        query: IntArray | int,
        key: IntArray | int,
        scale: IntArray | int | None = None,
        *,
        null: bool = True,
    ) -> IntArray:
        """Return the slot that token ``key`` fills for the token after ``query``, else 0.

        All three arguments broadcast, so one call serves a batch of mixed scales. ``null`` gives
        the value of an absent argument to the begin token (position 1), which then acts as the
        null token; a token that fills two slots gets the higher one. Both rules are our choices.

        Example:
            Parity with steps, aligned: 1 iff ``j = i - W``, 2 iff ``j = i``.

            >>> from lengthwise.relations.library import circuit
            >>> parity = circuit("parity", reference=4)
            >>> parity.relation(9, np.arange(1, 10)).tolist()
            [0, 0, 1, 0, 0, 0, 0, 0, 2]
        """
        query, key = np.asarray(query, dtype=np.int64), np.asarray(key, dtype=np.int64)
        width = self.width(scale)
        generating = query >= _at(self.equals(), width)
        value = np.zeros(np.broadcast_shapes(query.shape, key.shape, width.shape), dtype=np.int64)
        for number, slot in enumerate(self.slots, 1):
            position = self._argument(slot, query + 0 * width, width)
            if null:
                position = np.where(position == ABSENT, 1, position)
            value = np.where(generating & (key == position), number, value)
        return value

    def formulas(self) -> tuple[SlotFormula, ...]:
        """Return the relation as one readable condition per slot."""
        symbol = {"aligned": "W", "zero": "N", "unaligned": "n"}[self.layout]
        return tuple(self._formula(slot, symbol) for slot in self.slots)

    def _formula(self, slot: Slot, symbol: str) -> SlotFormula:
        if slot.field is None:
            return SlotFormula(1, 0, 0, symbol)
        constant, slope = self.start(slot.field)
        if slot.fixed is not None:
            return SlotFormula(0, slope, constant + slot.fixed - 1, symbol)
        equals_constant, equals_slope = self.equals()
        shift = constant + slot.offset - equals_constant
        condition = f"step t >= {1 - slot.offset}" if slot.offset < 0 else ""
        return SlotFormula(1, slope - equals_slope, shift, symbol, condition)

    def aligned_positions(self, scale: int) -> IntArray:
        """Return sigma_n: for each token of the unaligned sequence, its aligned position.

        Feeding these in place of positions turns any encoding into its scale-hint version.

        Example:
            >>> from lengthwise.relations.library import circuit
            >>> circuit("copy", reference=5).aligned_positions(2).tolist()
            [1, 2, 3, 9, 10, 11, 12]
        """
        natural, aligned = self.in_layout("unaligned"), self.in_layout("aligned")
        wide = aligned.width()
        positions = [1]
        for part in self.fields:
            first = int(_at(self.start(part.name), wide))
            positions += [first - 1] if part.separator is not None else []
            positions += range(first, first + (scale if part.long else 1))
        first = int(_at(self.equals(), wide))
        positions += range(first, first + natural.steps(scale) + 1)
        return np.array(positions, dtype=np.int64)

    # --- tokens ------------------------------------------------------------------------------

    def draw(self, scale: int, rng: np.random.Generator, count: int) -> dict[str, IntArray]:
        """Draw uniform operand digits for ``count`` instances; leading zeros are allowed."""
        return {
            part.name: rng.integers(part.low, part.high + 1, (count, scale if part.long else 1))
            for part in self.fields
        }

    def encode(self, operands: Operands) -> IntArray:
        """Return the token codes ``(count, length)`` of whole sequences for given digits.

        Example:
            >>> from lengthwise.relations.library import circuit
            >>> from lengthwise.relations.symbols import text
            >>> product = circuit("multiplication", layout="unaligned")
            >>> digits = {"b": np.array([[7]]), "a": np.array([[8, 4, 3]])}
            >>> text(product.encode(digits)[0])
            '< 7 * 8 4 3 = 6 3 4 2 >'
        """
        scale = next(operands[part.name].shape[1] for part in self.fields if part.long)
        self._check_scale(scale)
        if self.layout == "zero":
            operands = {p.name: self._zero_filled(p, operands[p.name]) for p in self.fields}
        count = len(operands[self.fields[0].name])
        columns = [_constant(BEGIN, count)]
        for part in self.fields:
            if part.separator is not None:
                columns.append(_constant(part.separator, count))
            columns.append(operands[part.name] + ZERO)
            if part.long and self.layout == "aligned":
                padding = int(self.width()) - scale
                columns.append(np.full((count, padding), PAD, dtype=np.int64))
        columns += [_constant(EQUALS, count), self.answer(operands) + ZERO]
        if self.layout != "zero":
            columns.append(_constant(END, count))
        return np.concatenate(columns, axis=1)

    def _zero_filled(self, part: Field, digits: IntArray) -> IntArray:
        missing = self.reference - digits.shape[1] if part.long else 0
        sides = (missing, 0) if self.fill_left else (0, missing)
        return np.pad(digits, ((0, 0), sides))

    def sample(self, scale: int, rng: np.random.Generator, count: int) -> IntArray:
        """Draw ``count`` whole sequences of one scale as token codes ``(count, length)``."""
        return self.encode(self.draw(scale, rng, count))

    def run(self, tokens: IntArray, scale: int) -> IntArray:
        """Write the outputs again, gate by gate, from the prompts of ``tokens`` alone."""
        written = np.asarray(tokens).copy()
        written[:, self.prompt_length(scale) :] = PAD
        padded = np.concatenate([_constant(NOTHING, len(written)), written], axis=1)
        wiring = self.wiring(scale)
        for query, arguments in zip(wiring.query, wiring.arguments, strict=True):
            padded[:, query + 1] = self.operator(padded[:, arguments])
        return padded[:, 1:]


def _at(line: tuple[int, int], width: IntArray) -> IntArray:
    return line[0] + line[1] * width


def _constant(code: int, count: int) -> IntArray:
    return np.full((count, 1), code, dtype=np.int64)
