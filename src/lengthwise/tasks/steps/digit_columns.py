"""Sums and products digit by digit: operands side by side, low digit first, the result in between.

    1 1 [0] 1 0 [0] 0 1 [1] <sep> [0] <eos>       011 + 101, low bit first: 3 + 5 = 8, and no carry

A digit of the result follows from its column and the carry, and the carry from the column before
and the digit that was written there. So five symbols give every digit away, at any length.
"""

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.crasp.embedding import Q, all_of, any_of, prev
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Bool
from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import FREE
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.steps.interleaved_steps import bracketed
from lengthwise.tasks.vocabulary import EOS, SEP, Vocabulary

LARGEST_BASE = 10
Node = tuple[str, int, int, int]
"""Kind, carry, the factor of a product (-1 before it is read), and the digit read or due."""


@dataclass(frozen=True, kw_only=True)
class DigitColumns(Task):
    """Add two numbers or multiply by a digit: ``<bos> 7 8 [6] 7 4 [3] 7 3 [4] <sep> [2] [<eos>]``.

    That is 7 times 348 = 2436, low digit first; the factor stands in every column. In a sum the two
    digits of a column are those of the operands, the shorter one filled with zeros. Behind the last
    column the carry is written. The length counts columns.
    """

    operation: Literal["sum", "times"] = "sum"
    base: int = 2

    name: ClassVar[str] = "columns"
    summary: ClassVar[str] = "add or multiply digit by digit, the result between the operands"

    def __post_init__(self) -> None:
        if not 2 <= self.base <= LARGEST_BASE:
            raise InputError(f"task {self.name!r}: base={self.base} is not in 2..{LARGEST_BASE}.")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The digits."""
        return Vocabulary(tuple(map(str, range(self.base))))

    def max_tokens(self, length: int) -> int:
        """Three digits a column, the carry, and three special tokens."""
        return 3 * length + 4

    def carried(self, one: int, two: int, carry: int) -> tuple[int, int]:
        """Return the next carry and the digit of one column."""
        return divmod((one + two if self.operation == "sum" else one * two) + carry, self.base)

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Draw independent uniform digits; where a sum has a shorter operand, zeros behind it."""
        rows, width = len(lengths), int(lengths.max())
        one, two = rng.integers(0, self.base, (2, rows, width))
        if self.operation == "times":
            one = np.repeat(rng.integers(1, self.base, (rows, 1)), width, axis=1)
        else:
            shorter = np.arange(width) >= rng.integers(1, lengths + 1)[:, None]
            one[shorter & (rng.random((rows, 1)) < 0.5)] = 0
        tokens = np.full((rows, 3 * width + 4), self.vocabulary.pad)
        targets = np.full_like(tokens, IGNORE)
        tokens[:, 0] = self.vocabulary.bos
        carry = np.zeros(rows, dtype=np.int64)
        for place in range(width):
            here = np.flatnonzero(place < lengths)
            value = one[here, place], two[here, place]
            carry[here], digit = self.carried(*value, carry[here])  # type: ignore[arg-type]
            at = 3 * place + 1
            tokens[here, at], tokens[here, at + 1] = value
            tokens[here, at + 2] = targets[here, at + 1] = digit
        every, end = np.arange(rows), 3 * lengths + 1
        tokens[every, end] = self.vocabulary.sep
        tokens[every, end + 1] = targets[every, end] = carry
        tokens[every, end + 2] = targets[every, end + 1] = self.vocabulary.eos
        return Batch(tokens=tokens, targets=targets, length=lengths, size=end + 3)

    def render(self, batch: Batch) -> list[str]:
        """Write each row; what the model writes stands in brackets."""
        return bracketed(self, batch)

    @property
    def answers(self) -> RegularAnswers:
        """What is asked at every symbol: a digit of the result, the carry, ``<eos>``, nothing."""
        return self._answers

    @cached_property
    def _answers(self) -> RegularAnswers:
        names = (*self.vocabulary.symbols, EOS)
        start: Node = ("column", 0, -1, 0)
        nodes: dict[Node, int] = {start: 0}
        queue = deque(nodes)
        rows: list[list[int]] = []
        while queue:
            node = queue.popleft()
            targets = [self._move(node, symbol) for symbol in range(self.base + 1)]
            for target in targets:
                if target not in nodes:
                    nodes[target] = len(nodes)
                    queue.append(target)
            rows.append([nodes[target] for target in targets])
        due = {"due": lambda node: node[3], "sep": lambda node: node[1], "end": lambda _: self.base}
        asked = [due[node[0]](node) if node[0] in due else FREE for node in nodes]
        dfa = DFA((*self.vocabulary.symbols, SEP), rows, 0, [node[0] == "end" for node in nodes])
        table = np.broadcast_to(np.array(asked)[:, None], dfa.transitions.shape)
        return RegularAnswers(dfa, names, table, "labels")

    def _move(self, node: Node, symbol: int) -> Node:
        """Follow one symbol; ``base`` stands for ``<sep>``."""
        kind, carry, factor, digit = node
        times = self.operation == "times"
        if kind == "column" and symbol == self.base:
            return ("sep", carry, 0, 0) if factor >= 0 or not times else DEAD
        if kind == "column" and not (times and (symbol == 0 or factor not in (-1, symbol))):
            return ("second", carry, symbol if times else 0, symbol)
        if kind == "second" and symbol < self.base:
            new, due = self.carried(digit, symbol, carry)
            return ("due", new, factor, due)
        if (kind, digit) == ("due", symbol):
            return ("column", carry, factor, 0)
        return ("end", 0, 0, 0) if (kind, carry) == ("sep", symbol) else DEAD

    @property
    def program(self) -> Any | None:
        """Find the carry by the column before, the digit by the carry and the column."""
        return self._program

    @cached_property
    def _program(self) -> Program:
        digits = self.vocabulary.symbols
        carries = {back: self._carries(back) for back in (1, 2)}
        cases: dict[str, list[Bool]] = {digit: [] for digit in digits}
        last = prev(Q[SEP])
        for carry, holds in carries[2].items():
            for one, two in np.ndindex(self.base, self.base):
                if self.operation == "times" and carry and carry >= one:
                    continue  # a carry is less than the factor
                new = digits[self.carried(one, two, carry)[1]]
                cases[new].append(holds & prev(Q[digits[one]]) & Q[digits[two]] & ~last)
        for carry, holds in carries[1].items():
            cases[digits[carry]].append(Q[SEP] & holds)
        outputs = {name: any_of(found) for name, found in cases.items()} | {EOS: last & ~Q[SEP]}
        return Program([], alphabet=(*digits, SEP, EOS), next=outputs)

    def _carries(self, back: int) -> dict[int, Bool]:
        """Say which carry follows from the column whose result stands ``back`` symbols ago."""
        digits = self.vocabulary.symbols
        found: dict[int, list[Bool]] = {}
        for one, two, carry in np.ndindex(self.base, self.base, self.base):
            if carry > (1 if self.operation == "sum" else max(one - 1, 0)):
                continue
            new, digit = self.carried(one, two, carry)
            if new:
                places = prev(Q[digits[one]], back + 2), prev(Q[digits[two]], back + 1)
                found.setdefault(new, []).append(all_of((*places, prev(Q[digits[digit]], back))))
        some = {carry: any_of(cases) for carry, cases in found.items()}
        return {0: ~any_of(some.values()), **some}


DEAD: Node = ("dead", 0, 0, 0)
