"""PCFG SET: nested string functions in prefix notation (Hupkes et al. 2020)."""

from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Int

from lengthwise.errors import InputError
from lengthwise.tasks.reasoning import _blocks as blocks
from lengthwise.tasks.reasoning._blocks import HOLE, Block
from lengthwise.tasks.reasoning.base import SEP, Split, TextTask
from lengthwise.tasks.reasoning.extraction import Answer
from lengthwise.tasks.vocabulary import Vocabulary

UNARY = ("copy", "reverse", "shift", "echo", "swap_first_last", "repeat")
BINARY = ("append", "prepend", "remove_first", "remove_second")
FUNCTIONS = UNARY + BINARY
SYMBOLS = tuple(f"{letter}{number}" for letter in ascii_uppercase for number in range(1, 21))
STRING = len(FUNCTIONS)
"""The kind of a node that is a string."""

FUNCTION_SHARES = (
    *(1.5, 12.8, 19.4, 18.8, 13.2, 10.3, 6.6, 5.1),
    *(3232, 2296, 1738, 1175, 811, 631, 411, 271, 225, 154, 103, 68, 67, 46, 34, 18, 28),
    *(5, 6, 5, 2, 4, 0, 2, 0, 0, 1),
)
"""How often 1, 2, .. 8 functions occur (percent), and how many test samples have 9, 10, .. 35."""
STRING_SHARES = np.array([16.0, 30.0, 27.5, 27.0])
"""How often strings have 2, 3, 4 and 5 symbols."""

# length of a result = own + one * (length of the first argument) + two * (of the second)
_OWN = np.array([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
_ONE = np.array([1, 1, 1, 1, 1, 2, 1, 1, 0, 1, 0])
_TWO = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0])
_ARITY = np.array([1] * len(UNARY) + [2] * len(BINARY) + [0])


class _Trees(NamedTuple):
    """Nodes in prefix order: kind (-1 beyond the end), second child, result length, string."""

    kind: Int[np.ndarray, "b m"]
    second: Int[np.ndarray, "b m"]
    size: Int[np.ndarray, "b m"]
    string: Int[np.ndarray, "b m 5"]


@dataclass(frozen=True, kw_only=True)
class Pcfg(TextTask):
    """``Solve: shift prepend K10 R1 K12 , E12 F16[SEP] F16 K10 R1 K12 E12``; length = functions.

    Functions are uniform and independent, the tree is uniform among those with the same numbers of
    unary and binary functions, strings have 2 to 5 of 520 symbols. This reproduces the published
    shares of functions and string lengths, not the corpus itself. Instances whose result has
    more than ``longest_result`` symbols are drawn again.
    """

    longest_result: int = 736

    name: ClassVar[str] = "pcfg"
    summary: ClassVar[str] = "nested string functions, in text"
    split: ClassVar[Split] = Split(train=(1, 8), test=(9, 35))
    answer: ClassVar[Answer] = "text"
    joins: ClassVar[tuple[tuple[str, str], ...]] = ((r" \[SEP\]", "[SEP]"),)

    def __post_init__(self) -> None:
        if self.longest_result < 100:
            raise InputError("task 'pcfg': longest_result must be at least 100.")

    @property
    def longest(self) -> int:
        """The most functions in the published corpus."""
        return 35

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """520 symbols, ten functions, the comma and the words of the template."""
        return Vocabulary((*SYMBOLS, *FUNCTIONS, ",", "Solve:", SEP))

    def draw_lengths(
        self, rng: np.random.Generator, low: int, high: int, count: int
    ) -> Int[np.ndarray, "b"]:
        """Draw numbers of functions with their published shares, inside the range."""
        possible = self.check_range(low, high)
        share = np.array(FUNCTION_SHARES)
        share[8:] *= (100 - share[:8].sum()) / share[8:].sum()
        weight = share[possible - 1]
        if not weight.sum():
            return np.full(count, possible[0])
        share = np.cumsum(weight) / weight.sum()
        return possible[np.searchsorted(share, rng.random(count), side="right")]

    def max_tokens(self, length: int) -> int:
        """Bound the prompt by binary functions only and the result by doubling."""
        top = min(length, self.longest)
        result = min(self.longest_result, 5 * 2**top)
        return 2 * top + 5 * (top + 1) + 3 + result

    def _content(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> _Trees:
        """Draw trees; those with too long a result are drawn again."""
        trees = _draw(rng, lengths)
        while len(todo := np.flatnonzero(trees.size[:, 0] > self.longest_result)):
            fresh = _draw(rng, lengths[todo])
            width = fresh.kind.shape[1]
            if width > trees.kind.shape[1]:
                trees = _Trees(*(_widen(part, width) for part in trees))
            for old, new in zip(trees, fresh, strict=True):
                old[todo] = HOLE
                old[todo, :width] = new
        return trees

    def _write(self, content: _Trees) -> tuple[Block, Block]:
        rows, nodes = np.nonzero(content.second > 0)
        node = np.empty((*content.kind.shape, 7), dtype=self.kind)  # comma, function, string
        node[..., 0] = HOLE
        node[rows, content.second[rows, nodes], 0] = len(SYMBOLS) + len(FUNCTIONS)
        is_function = (content.kind >= 0) & (content.kind < STRING)
        node[..., 1] = np.where(is_function, len(SYMBOLS) + content.kind, HOLE)
        node[..., 2:] = content.string
        line = blocks.in_line(node)
        prompt = blocks.join(self.words("Solve:"), line, self.words(SEP), wide=True)
        return prompt, _evaluate(content)


def _widen(part: np.ndarray, width: int) -> np.ndarray:
    extra = [(0, 0), (0, width - part.shape[1]), *[(0, 0)] * (part.ndim - 2)]
    return np.pad(part, extra, constant_values=HOLE)


def _draw(rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> _Trees:
    kind = _shapes(rng, lengths)
    count, width = kind.shape
    share = np.cumsum(STRING_SHARES) / STRING_SHARES.sum()
    drawn = 2 + np.searchsorted(share, rng.random((count, width)), side="right")
    drawn = np.where(kind == STRING, drawn, 0)
    string = np.full((count, width, 5), HOLE, dtype=np.int16)
    written = np.arange(5) < drawn[..., None]
    string[written] = rng.integers(0, len(SYMBOLS), np.count_nonzero(written), dtype=np.int16)
    second = _second_children(kind)
    return _Trees(kind, second, _sizes(kind, second, drawn), string)


def _shapes(rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Int[np.ndarray, "b m"]:
    """Draw trees with n functions as kinds in prefix order.

    A random arrangement of the nodes has exactly one rotation that is a prefix expression (the
    cycle lemma), so that rotation is uniform among the expressions with these nodes.
    """
    column = np.arange(int(lengths.max()))
    function = rng.integers(0, len(FUNCTIONS), (len(lengths), len(column)))
    function[column >= lengths[:, None]] = HOLE
    total = lengths + (function >= len(UNARY)).sum(axis=1) + 1
    place = np.arange(int(total.max()))
    kind = np.full((len(lengths), len(place)), STRING)
    kind[:, : len(column)] = np.where(function < 0, STRING, function)
    keys = np.where(place < total[:, None], rng.random(kind.shape), 2.0)
    kind = np.take_along_axis(kind, np.argsort(keys, axis=1), axis=1)
    height = np.cumsum(_ARITY[kind] - 1, axis=1)
    height[place >= total[:, None]] = len(place)
    turn = np.argmin(height, axis=1)[:, None] + 1
    kind = np.take_along_axis(kind, (place + turn) % total[:, None], axis=1)
    return np.where(place < total[:, None], kind, HOLE)


def _second_children(kind: Int[np.ndarray, "b m"]) -> Int[np.ndarray, "b m"]:
    """Find where the second argument of each binary function begins, else 0."""
    width = kind.shape[1]
    height = np.cumsum(np.where(kind < 0, 0, _ARITY[kind] - 1), axis=1, dtype=np.int16)
    rows, node = np.nonzero((kind >= len(UNARY)) & (kind < STRING))
    later = np.arange(width) > node[:, None]
    closed = (height[rows] == height[rows, node][:, None] - 1) & later
    second = np.zeros_like(kind)
    second[rows, node] = np.argmax(closed, axis=1) + 1
    return second


def _sizes(
    kind: Int[np.ndarray, "b m"], second: Int[np.ndarray, "b m"], strings: Int[np.ndarray, "b m"]
) -> Int[np.ndarray, "b m"]:
    """Return the length of every node's result, from the last node to the first."""
    own, one, two = _OWN[kind] + strings, _ONE[kind], _TWO[kind]
    size = np.zeros((kind.shape[1] + 1, len(kind)), dtype=np.int64)
    rows = np.arange(len(kind))
    for node in range(kind.shape[1] - 1, -1, -1):
        size[node] = own[:, node] + one[:, node] * size[node + 1]
        size[node] += two[:, node] * size[second[:, node], rows]
    return size[:-1].T.copy()


def _evaluate(trees: _Trees) -> Block:
    """Follow every symbol of the result back to the string it comes from."""
    result = np.full((len(trees.kind), int(trees.size[:, 0].max())), HOLE, dtype=np.int16)
    rows, index = np.nonzero(np.arange(result.shape[1]) < trees.size[:, :1])
    place, node = np.arange(len(rows)), np.zeros_like(rows)
    source = np.zeros_like(rows)
    at_row, at_index = rows, index
    while len(place):
        kind = trees.kind[at_row, node]
        done = kind == STRING
        source[place[done]] = trees.string[at_row[done], node[done], at_index[done]]
        open_ = ~done
        place, at_row, node, at_index, kind = (
            part[open_] for part in (place, at_row, node, at_index, kind)
        )
        second = trees.second[at_row, node]
        node, at_index = _step(trees, at_row, node, second, kind, at_index)
    result[rows, index] = source
    return result


def _step(
    trees: _Trees,
    row: np.ndarray,
    node: np.ndarray,
    second: np.ndarray,
    kind: np.ndarray,
    i: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Say which symbol of which argument is symbol ``i`` of a function's result."""
    first_child = node + 1
    first, other = trees.size[row, first_child], trees.size[row, second]
    swapped = np.where(i == 0, first - 1, np.where(i == first - 1, 0, i))
    shifted = np.where(i == first - 1, 0, i + 1)
    append_second, prepend_first = i >= first, i >= other
    index = np.choose(
        kind,
        [
            i,
            first - 1 - i,
            shifted,
            np.minimum(i, first - 1),
            swapped,
            np.where(i < first, i, i - first),
            np.where(append_second, i - first, i),
            np.where(prepend_first, i - other, i),
            i,
            i,
        ],
    )
    to_second = (kind == 8) | ((kind == 6) & append_second) | ((kind == 7) & ~prepend_first)
    return np.where(to_second, second, first_child), index
