"""Draw uniformly random words of a regular language, several symbols at a time.

From a state with ``l`` symbols to go, a block of symbols has a probability that is a ratio of two
path counts. The counts are exact integers; each draw compares 48 random bits with the cumulative
probabilities. All rows of a batch take their next block in one binary search.
"""

from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int

from lengthwise.theory.automata.dfa import DFA

_BITS = 48
_ONE = 1 << _BITS
_CELLS = 2_000_000
"""Largest table of cumulative probabilities that is built for longer blocks."""
_BLOCKS = 256
_GUIDE = 12
"""How many of the random bits the guide table looks at."""
_MANY = 256
"""From how many rows on the guide is faster than searching."""


class PathSampler:
    """Uniform words of given lengths of a regular language, with the states they pass.

    ``codes`` gives one number for each symbol and the state behind it, ``state * symbols +
    symbol``, and -1 beyond a word's end; ``draw`` takes it apart.

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
        self._build()

    @cached_property
    def exist(self) -> Bool[np.ndarray, "n"]:
        """Mark the lengths of which the language has words."""
        return np.array([row[self.dfa.initial] > 0 for row in self.counts])

    def draw(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> tuple[Int[np.ndarray, "b n"], Int[np.ndarray, "b n"]]:
        """Draw words, and the state after each symbol; both are -1 beyond a word's length."""
        codes = self.codes(rng, lengths)
        words, states = codes % self.dfa.symbols, codes // self.dfa.symbols
        words[codes < 0] = -1
        return words, states

    def codes(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> Int[np.ndarray, "b n"]:
        """Draw words as codes of symbol and state."""
        steps = -(-int(lengths.max(initial=0)) // self.block)
        bits = rng.integers(0, _ONE, (steps, len(lengths)))
        top = bits >> (_BITS - _GUIDE)
        guided = len(lengths) >= _MANY and self._guide is not None
        context = self._first[lengths]
        chosen = np.empty((steps, len(lengths)), dtype=np.int64)
        for step in range(steps):
            if guided:
                row = self._guided(context, top[step], bits[step])
            else:
                row = self._bounds.searchsorted((context << _BITS) + bits[step], side="right")
            chosen[step] = row
            context = self._next[row]
        return self._spell(chosen.T, lengths)

    def _guided(
        self, context: np.ndarray, top: np.ndarray, bits: np.ndarray
    ) -> Int[np.ndarray, "b"]:
        """Look up the chosen block by the first bits; search where they do not settle it."""
        assert self._guide is not None
        row = self._guide[(context << _GUIDE) + top]
        unsure = np.flatnonzero(row < 0)
        key = (context[unsure] << _BITS) + bits[unsure]
        row[unsure] = self._bounds.searchsorted(key, side="right")
        return row

    @cached_property
    def _guide(self) -> Int[np.ndarray, "g"] | None:
        """The block chosen by the first bits of a draw in each context, -1 where several may be."""
        contexts = len(self._bounds) // self.dfa.symbols**self.block
        if contexts << _GUIDE > 2 * _CELLS:
            return None
        edge = np.arange((contexts << _GUIDE) + 1) << (_BITS - _GUIDE)
        first = self._bounds.searchsorted(edge[:-1], side="right")
        last = self._bounds.searchsorted(edge[1:] - 1, side="right")
        return np.where(first == last, first, -1)

    def _spell(
        self, chosen: Int[np.ndarray, "b s"], lengths: Int[np.ndarray, "b"]
    ) -> Int[np.ndarray, "b n"]:
        """Turn chosen blocks into codes; a short first block is right-aligned."""
        width = int(lengths.max(initial=0))
        column = np.arange(chosen.shape[1] * self.block)
        start = -lengths % self.block
        inside = (column >= start[:, None]) & (column < (start + lengths)[:, None])
        codes = np.full((len(lengths), width), -1, dtype=np.int32)
        spelled = self._codes[self._spelling[chosen]].reshape(len(lengths), -1)
        codes[np.arange(width) < lengths[:, None]] = spelled[inside]
        return codes

    # ---- tables --------------------------------------------------------------------------

    def _block_size(self) -> int:
        """Choose how many symbols to draw at once, within the memory limit."""
        size = 1
        while size < 16:
            blocks = self.dfa.symbols ** (size + 1)
            contexts = (self.longest // (size + 1) + 1) * self.dfa.states + self.longest
            if blocks > _BLOCKS or blocks * contexts > _CELLS:
                break
            size += 1
        return size

    def _build(self) -> None:
        """Lay out one row of cumulative probabilities per context.

        Context ``m * states + q`` is state ``q`` with ``m`` whole blocks to go; behind these
        comes one context for each length, whose first block may be short.
        """
        states, size, symbols = self.dfa.states, self.block, self.dfa.symbols
        whole = self.longest // size + 1
        tables = [_Blocks(self.dfa, part, size) for part in range(1, size + 1)]
        offset = np.cumsum([0, *(states * symbols**part for part in range(1, size + 1))])
        shape = (whole * states + self.longest + 1, symbols**size)
        self._bounds = np.full(shape, _ONE, dtype=np.int64)
        self._next, self._spelling = np.zeros((2, *shape), dtype=np.int64)
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
        self._bounds += np.arange(shape[0])[:, None] << _BITS
        self._bounds, self._next = self._bounds.ravel(), self._next.ravel()
        self._spelling = self._spelling.ravel()
        self._codes = np.concatenate([table.codes for table in tables])

    def _fill(
        self, rows: slice, blocks: "_Blocks", left: int, sources: np.ndarray, offset: int
    ) -> None:
        """Write the contexts of some source states with ``left`` symbols to go."""
        cells = blocks.target.shape[1]
        self._bounds[rows, :cells] = self._cumulative(blocks, left, sources)
        rest = (left - blocks.size) // self.block * self.dfa.states
        self._next[rows, :cells] = rest + blocks.target[sources]
        self._spelling[rows, :cells] = offset + sources[:, None] * cells + np.arange(cells)

    def _cumulative(
        self, blocks: "_Blocks", left: int, sources: np.ndarray
    ) -> Int[np.ndarray, "s w"]:
        """Return cumulative probabilities of the blocks from each source state, in 48 bits."""
        totals, after = self.counts[left], self.counts[left - blocks.size]
        ratio = np.zeros((len(sources), self.dfa.states))
        for index, source in enumerate(sources.tolist()):
            if totals[source]:
                reached = np.unique(blocks.target[source]).tolist()
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
        self.codes = codes.reshape(-1, width)


def _continuations(dfa: DFA, longest: int) -> list[list[int]]:
    """Count accepted continuations by number of symbols to go and state, exactly."""
    rows = dfa.transitions.tolist()
    counts = [[int(final) for final in dfa.accepting]]
    for _ in range(longest):
        before = counts[-1]
        counts.append([sum(before[target] for target in row) for row in rows])
    return counts
