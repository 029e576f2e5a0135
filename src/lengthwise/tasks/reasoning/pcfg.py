"""PCFG SET: nested string functions in prefix notation (Hupkes et al. 2020)."""

from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
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
    kind = np.ascontiguousarray(kind.T)
    own, one, two = _OWN[kind] + strings.T, _ONE[kind], _TWO[kind]
    nodes, count = kind.shape
    other = count * second.T + np.arange(count)
    size = np.zeros((nodes + 1, count), dtype=np.int64)
    flat = size.ravel()
    for node in range(nodes - 1, -1, -1):
        size[node] = own[node] + one[node] * size[node + 1] + two[node] * flat.take(other[node])
    return size[:-1].T.copy()


def _evaluate(trees: _Trees) -> Block:
    """Follow every symbol of the result back to the string it comes from."""
    count, width = trees.kind.shape
    origin = width * np.arange(count)[:, None]  # nodes of all trees are numbered through
    kinds, sizes, strings = trees.kind.ravel(), trees.size.ravel(), trees.string.ravel()
    seconds = (trees.second + origin).ravel()
    inside = np.arange(int(trees.size[:, 0].max())) < trees.size[:, :1]
    rows, index = np.nonzero(inside)
    node = origin.ravel().take(rows)
    found = np.empty(len(rows), dtype=np.int16)
    place = np.arange(len(rows))
    while len(place):
        kind = kinds.take(node)
        open_ = kind != STRING
        done = ~open_
        found[place[done]] = strings.take(5 * node[done] + index[done])
        place, node, index, kind = place[open_], node[open_], index[open_], kind[open_]
        second = seconds.take(node)
        first_size, second_size = sizes.take(node + 1), sizes.take(second)
        node, index = _step(kind, node + 1, second, first_size, second_size, index)
    result = np.full(inside.shape, HOLE, dtype=np.int16)
    result[inside] = found
    return result


def _step(
    kind: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    first_size: np.ndarray,
    second_size: np.ndarray,
    i: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Say which symbol of which argument is symbol ``i`` of a function's result."""
    last = first_size - 1
    behind_first, behind_second = i - first_size, i - second_size
    wrapped = np.where(behind_first < 0, i, behind_first)
    index = np.choose(
        kind,
        [
            i,
            last - i,
            np.where(i == last, 0, i + 1),
            np.minimum(i, last),
            np.where(i == 0, last, np.where(i == last, 0, i)),
            wrapped,
            wrapped,
            np.where(behind_second < 0, i, behind_second),
            i,
            i,
        ],
    )
    appended = (kind == 6) & (behind_first >= 0)
    to_second = (kind == 8) | appended | ((kind == 7) & (behind_second < 0))
    return np.where(to_second, second, first), index
