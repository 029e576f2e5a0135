"""Selection tasks: one output, the first, middle or last symbol of ``x_1 .. x_n =``.

Named by Chen, Liang and Lin (2025, arXiv 2510.04130), who learn their relations; the layout without
a begin token is our reconstruction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lengthwise.core.errors import InputError, unknown
from lengthwise.relations.formulas import SlotFormula
from lengthwise.relations.gates import Gate, IntArray, Wiring
from lengthwise.relations.symbols import BEGIN, EQUALS, VOCABULARY, ZERO

_FORMULAS = {
    # which: (formula in the query position i, with b = 1 if there is a begin token)
    "first": lambda b: SlotFormula(0, 0, 1 + b),
    "middle": lambda b: SlotFormula(1, 0, b, divisor=2),
    "last": lambda b: SlotFormula(1, 0, -1),
}


@dataclass(frozen=True)
class SelectCircuit:
    """Select one symbol; the relation needs no scale, for the query tells it.

    Example:
        ``3 1 4 1 5 =`` selects 4, at position 3 = floor(6 / 2).

        >>> SelectCircuit("middle").gates(5)
        (Gate(query=6, operator='select', arguments=(3,)),)
    """

    which: Literal["first", "middle", "last"]
    begin: bool = False
    symmetric: tuple[Sequence[int], ...] = ()

    def __post_init__(self) -> None:
        if self.which not in _FORMULAS:
            raise unknown("selection", self.which, _FORMULAS)

    @property
    def name(self) -> str:
        """Return ``select-first``, ``select-middle`` or ``select-last``."""
        return f"select-{self.which}"

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Return the tokens, in code order."""
        return VOCABULARY

    @property
    def uses_scale(self) -> bool:
        """Return False: the relation is a function of query and key."""
        return False

    @property
    def values(self) -> int:
        """Return the number of relation values: 1 for the selected key, 0 for all others."""
        return 2

    def prompt_length(self, scale: int) -> int:
        """Return the number of tokens up to and including ``=``."""
        return scale + 1 + self.begin

    def steps(self, scale: int) -> int:
        """Return the number of generated tokens: one."""
        if scale < 1:
            raise InputError(f"{self.name}: scale {scale}; scales count from 1.")
        return 1

    def length(self, scale: int) -> int:
        """Return the number of tokens of a whole sequence."""
        return self.prompt_length(scale) + self.steps(scale)

    def formulas(self) -> tuple[SlotFormula, ...]:
        """Return the relation as one readable condition."""
        return (_FORMULAS[self.which](int(self.begin)),)

    def wiring(self, scale: int) -> Wiring:
        """Return the one gate of ``scale`` as arrays."""
        self.steps(scale)
        query = np.array([self.prompt_length(scale)], dtype=np.int64)
        position = self.formulas()[0].position(query, np.array([scale]))
        zero, one = np.zeros(1, dtype=np.int64), np.ones(1, dtype=bool)
        return Wiring(scale, query, zero, position[:, None], ("select",), (1,), one)

    def gates(self, scale: int) -> tuple[Gate, ...]:
        """Return the one gate of ``scale``."""
        wiring = self.wiring(scale)
        return (Gate(int(wiring.query[0]), "select", (int(wiring.arguments[0, 0]),)),)

    def relation(
        self,
        query: IntArray | int,
        key: IntArray | int,
        scale: IntArray | int | None = None,
        *,
        null: bool = True,
    ) -> IntArray:
        """Return 1 where ``key`` is selected at ``query``, else 0; broadcasts.

        With ``scale`` only the ``=`` token is a query; without, every position is treated as one.

        Example:
            >>> SelectCircuit("last").relation(6, np.arange(1, 7)).tolist()
            [0, 0, 0, 0, 1, 0]
        """
        query, key = np.asarray(query, dtype=np.int64), np.asarray(key, dtype=np.int64)
        chosen = (key == self.formulas()[0].position(query, query)) & (key <= query)
        if scale is not None:
            chosen = chosen & (query == np.asarray(scale) + 1 + self.begin)
        return chosen.astype(np.int64)

    def sample(self, scale: int, rng: np.random.Generator, count: int) -> IntArray:
        """Draw ``count`` whole sequences of one scale as token codes ``(count, length)``."""
        digits = rng.integers(0, 10, (count, scale)) + ZERO
        first = [np.full((count, 1), BEGIN)] if self.begin else []
        prompt = np.concatenate([*first, digits, np.full((count, 1), EQUALS)], axis=1)
        position = int(self.wiring(scale).arguments[0, 0])
        return np.concatenate([prompt, prompt[:, position - 1 : position]], axis=1)

    def operator(self, slots: IntArray) -> IntArray:
        """Return the selected symbol itself."""
        return slots[:, 0]
