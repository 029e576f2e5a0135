"""Draw uniformly random words of a regular language, several symbols at a time.

From a state with ``l`` symbols to go, a block of symbols has a probability that is a ratio of two
path counts. The counts are exact integers; the probabilities are rounded to 48 bits, and alias
tables draw from them in constant time. All rows of a batch take their next block at once.
"""

from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int

from lengthwise.languages.dfa import DFA
from lengthwise.tasks.formal._alias import alias_tables
from lengthwise.tasks.formal._spelling import WIDEST, Spelling

_BITS = 48
_ONE = 1 << _BITS
_CELLS = 2_000_000
"""Largest table that is built for longer blocks."""
_BLOCKS = 256


class PathSampler:
    """Uniform words of given lengths of a regular language, with the states they pass.

    A *code* stands for a symbol and the state behind it, ``state * symbols + symbol``.

    Example:
        >>> dfa = DFA("ab", [[1, 2], [2, 0], [2, 2]], 0, [True, False, False])  # (ab)*
        >>> words, states = PathSampler(dfa, 4).draw(np.random.default_rng(0), np.array([4, 2]))
        >>> words.tolist()
        [[0, 1, 0, 1], [0, 1, -1, -1]]
    """

    def __init__(self, dfa: DFA, longest: int) -> None:
        self.dfa = dfa
        self.longest = longest
        self.block = self._block_size()
        self.counts = _continuations(dfa, longest)
        self._spellings: dict[bytes, Spelling] = {}
        self._build()

    @cached_property
    def exist(self) -> Bool[np.ndarray, "n"]:
        """Mark the lengths of which the language has words."""
        return np.array([row[self.dfa.initial] > 0 for row in self.counts])

    def draw(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> tuple[Int[np.ndarray, "b n"], Int[np.ndarray, "b n"]]:
        """Draw words, and the state after each symbol; both are -1 beyond a word's length."""
        shape = (2, len(lengths), int(lengths.max(initial=0)))
        words, states = np.empty(shape, dtype=np.int64)
        every = np.arange(self.dfa.states * self.dfa.symbols)
        symbol = np.append(every % self.dfa.symbols, -1)
        state = np.append(every // self.dfa.symbols, -1)
        self.fill(rng, lengths, (symbol, words), (state, states))
        return words, states

    def fill(
        self,
        rng: np.random.Generator,
        lengths: Int[np.ndarray, "b"],
        *tables: tuple[Int[np.ndarray, "c"], Int[np.ndarray, "b n"]],
    ) -> None:
        """Draw words and write them into arrays as wide as the longest.

        A table says what to write for every code, and in its last entry what behind a word's end.
        """
        blocks = self._choose(rng, lengths)
        start = -lengths % self.block
        for values, out in tables:
            self._spelling_of(values).write(blocks, start, out)

    def _choose(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> Int[np.ndarray, "s b"]:
        """Draw the blocks of every word, padding behind the last one."""
        steps = -(-int(lengths.max(initial=0)) // self.block)
        bits = rng.integers(0, _ONE, (steps, len(lengths)))
        column, low = bits >> self._capacity_bits, bits & ((1 << self._capacity_bits) - 1)
        cell = np.empty((steps + 1, len(lengths)), dtype=np.int64)
        context = self._first[lengths]
        for step in range(steps):
            own = context + column[step]
            cell[step] = np.where(low[step] < self._threshold[own], own, self._alias[own])
            context = self._next[cell[step]]
        cell[steps] = 0  # nothing to go
        return self._written[cell]

    def _spelling_of(self, values: Int[np.ndarray, "c"]) -> Spelling:
        key = values.tobytes()
        if key not in self._spellings:
            self._spellings[key] = Spelling(values[self._codes])
        return self._spellings[key]

    # ---- tables --------------------------------------------------------------------------

    def _block_size(self) -> int:
        """Choose how many symbols to draw at once, within the memory limit."""
        size = 1
        while size < WIDEST:
            blocks = self.dfa.symbols ** (size + 1)
            contexts = (self.longest // (size + 1) + 1) * self.dfa.states + self.longest
            if blocks > _BLOCKS or blocks * contexts > _CELLS:
                break
            size += 1
        return size

    def _build(self) -> None:
        """Lay out the alias tables, one row per context.

        Context ``m * states + q`` is state ``q`` with ``m`` whole blocks to go; behind these
        comes one context for each length, whose first block may be short. Every row has a power
        of two of columns; ``_next`` and ``_first`` point to the beginnings of rows.
        """
        states, size, symbols = self.dfa.states, self.block, self.dfa.symbols
        whole = self.longest // size + 1
        tables = [_Blocks(self.dfa, part, size) for part in range(1, size + 1)]
        offset = np.cumsum([0, *(states * symbols**part for part in range(1, size + 1))])
        column_bits = (symbols**size - 1).bit_length()
        self._capacity_bits = _BITS - column_bits
        shape = (whole * states + self.longest + 1, 1 << column_bits)
        self._bounds = np.full(shape, _ONE, dtype=np.int64)
        self._next = np.zeros(shape, dtype=np.int64)
        self._written = np.full(shape, offset[-1])  # padding, unless it is filled
        self._next[:states] = np.arange(states)[:, None]  # nothing to go: stay
        for m in range(1, whole):
            rows = slice(m * states, (m + 1) * states)
            self._fill(rows, tables[-1], m * size, np.arange(states), int(offset[-2]))
        for length in range(1, self.longest + 1):
            part = (length - 1) % size + 1
            row, source = whole * states + length, np.array([self.dfa.initial])
            self._fill(slice(row, row + 1), tables[part - 1], length, source, int(offset[part - 1]))
        self._first = whole * states + np.arange(self.longest + 1)
        self._first[0] = self.dfa.initial
        self._finish(shape, tables)

    def _finish(self, shape: tuple[int, int], tables: list["_Blocks"]) -> None:
        """Turn cumulative probabilities into alias tables and rows into flat indices."""
        weights = np.diff(self._bounds, axis=1, prepend=0)
        threshold, alias = alias_tables(weights, 1 << self._capacity_bits)
        alias += np.arange(shape[0])[:, None] * shape[1]
        self._threshold, self._alias = threshold.ravel(), alias.ravel()
        self._first = self._first * shape[1]
        self._next = self._next.ravel() * shape[1]
        self._written = self._written.ravel()
        padding = np.full((1, self.block), self.dfa.states * self.dfa.symbols)
        self._codes = np.concatenate([*(table.codes for table in tables), padding])

    def _fill(
        self, rows: slice, blocks: "_Blocks", left: int, sources: np.ndarray, offset: int
    ) -> None:
        """Write the contexts of some source states with ``left`` symbols to go."""
        cells = blocks.target.shape[1]
        self._bounds[rows, :cells] = self._cumulative(blocks, left, sources)
        rest = (left - blocks.size) // self.block * self.dfa.states
        self._next[rows, :cells] = rest + blocks.target[sources]
        self._written[rows, :cells] = offset + sources[:, None] * cells + np.arange(cells)

    def _cumulative(
        self, blocks: "_Blocks", left: int, sources: np.ndarray
    ) -> Int[np.ndarray, "s w"]:
        """Return cumulative probabilities of the blocks from each source state, in 48 bits."""
        totals, after = self.counts[left], self.counts[left - blocks.size]
        ratio = np.zeros((len(sources), self.dfa.states))
        for index, source in enumerate(sources.tolist()):
            if totals[source]:
                reached = blocks.reached[source]
                ratio[index, reached] = [after[target] / totals[source] for target in reached]
        weight = np.take_along_axis(ratio, blocks.target[sources], axis=1)
        bounds = (np.cumsum(weight, axis=1) * _ONE).astype(np.int64)
        last = weight.shape[1] - 1 - np.argmax(weight[:, ::-1] > 0, axis=1)
        nothing = (weight == 0).all(axis=1, keepdims=True)
        certain = (np.arange(weight.shape[1]) >= last[:, None]) | nothing
        return np.where(certain, _ONE, np.minimum(bounds, _ONE))


class _Blocks:
    """All words of one size from every state: where they lead, and the codes of their symbols.

    ``codes`` has one row per (state, word), right-aligned in ``width`` columns.
    """

    def __init__(self, dfa: DFA, size: int, width: int) -> None:
        self.size = size
        words = np.indices((dfa.symbols,) * size).reshape(size, -1).T
        current = np.broadcast_to(np.arange(dfa.states)[:, None], (dfa.states, len(words)))
        cells = (dfa.states, len(words), width)
        codes = np.zeros(cells, dtype=np.int32)
        for place in range(size):
            current = dfa.transitions[current, words[:, place]]
            codes[:, :, width - size + place] = current * dfa.symbols + words[:, place]
        self.target = current.astype(np.int64)
        self.reached = [sorted(set(row)) for row in self.target.tolist()]
        self.codes = codes.reshape(-1, width)


def _continuations(dfa: DFA, longest: int) -> list[list[int]]:
    """Count accepted continuations by number of symbols to go and state, exactly."""
    columns = dfa.transitions.T.tolist()
    counts = [[int(final) for final in dfa.accepting]]
    for _ in range(longest):
        after = [map(counts[-1].__getitem__, column) for column in columns]
        counts.append(list(map(sum, zip(*after, strict=True))))
    return counts
