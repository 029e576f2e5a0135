"""Counting and drawing the words of a language by length, exactly.

A word of length n is drawn symbol by symbol: from state q with l symbols to go, symbol s has
probability N(l-1, q·s) / N(l, q), where N counts accepted continuations. The N are exact integers
of any size; the draw compares 32 random bits with the first 32 bits of the cumulative
probabilities and asks for more bits only in the rare cell that contains a boundary, so the
result is exactly uniform although it is vectorised.
"""

import numpy as np
from numpy.typing import NDArray

from lengthwise.core.errors import InputError


class WordTable:
    """Exact numbers of accepted continuations, by number of symbols to go and state.

    Example:
        >>> table = WordTable(np.array([[1, 0], [0, 1]]), 0, np.array([True, False]))
        >>> [table.count(n) for n in range(4)]
        [1, 1, 2, 4]
    """

    def __init__(
        self,
        transitions: NDArray[np.int32],
        initial: int,
        accepting: NDArray[np.bool_],
        bits: int = 32,
    ) -> None:
        self.transitions, self.initial = transitions, initial
        self.bits = bits
        self._rows = transitions.tolist()
        self._counts: list[list[int]] = [[int(final) for final in accepting]]
        self._bounds = np.zeros((1, *transitions.shape), dtype=np.int64)

    def count(self, length: int) -> int:
        """Count the accepted words of one length."""
        if length < 0:
            raise InputError(f"length {length}; lengths are 0 or more.")
        self._grow(length)
        return self._counts[length][self.initial]

    def sample(
        self, rng: "np.random.Generator", lengths: NDArray[np.int64], pad: int
    ) -> NDArray[np.int64]:
        """Draw one word per length; see ``DFA.sample``."""
        self._require_words(lengths)
        longest = int(lengths.max(initial=0))
        words = np.full((len(lengths), longest), pad, dtype=np.int64)
        states = np.full(len(lengths), self.initial, dtype=np.int64)
        for time in range(longest):
            active = np.flatnonzero(lengths > time)
            left = lengths[active] - time
            chosen = self._choose(rng, states[active], left)
            words[active, time] = chosen
            states[active] = self.transitions[states[active], chosen]
        return words

    def _choose(
        self, rng: "np.random.Generator", states: NDArray[np.int64], left: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Draw the next symbol for words in ``states`` with ``left`` symbols to go."""
        draws = rng.integers(0, 1 << self.bits, size=len(states), dtype=np.int64)
        bounds = self._bounds[left, states]
        chosen = (bounds <= draws[:, None]).sum(axis=1)
        unsure = np.flatnonzero((bounds == draws[:, None]).any(axis=1))
        for index in unsure:
            chosen[index] = self._settle(rng, int(draws[index]), states[index], int(left[index]))
        return chosen

    def _settle(self, rng: "np.random.Generator", draw: int, state: int, left: int) -> int:
        """Extend the random bits until no cumulative boundary lies inside their cell."""
        total = self._counts[left][state]
        sums = np.cumsum([self._counts[left - 1][t] for t in self._rows[state]], dtype=object)
        bits = self.bits
        while True:
            low, high = draw * total, (draw + 1) * total  # the cell [low, high) / (2^bits total)
            below = sum(int(bound << bits <= low) for bound in sums)
            if below == sum(int(bound << bits < high) for bound in sums):
                return below
            draw = (draw << 32) | int(rng.integers(0, 1 << 32))
            bits += 32

    def _grow(self, length: int) -> None:
        fresh: list[NDArray[np.int64]] = []
        while len(self._counts) <= length:
            before = self._counts[-1]
            terms = [[before[target] for target in row] for row in self._rows]
            self._counts.append([sum(row) for row in terms])
            fresh.append(self._thresholds(terms, self._counts[-1]))
        if fresh:
            self._bounds = np.concatenate([self._bounds, np.stack(fresh)])

    def _thresholds(self, terms: list[list[int]], totals: list[int]) -> NDArray[np.int64]:
        """Give the first bits of the cumulative probabilities of each state's symbols."""
        bounds = np.zeros(self.transitions.shape, dtype=np.int64)
        for state, (row, total) in enumerate(zip(terms, totals, strict=True)):
            running = 0
            for symbol, term in enumerate(row):
                running += term
                bounds[state, symbol] = (running << self.bits) // total if total else 0
        return bounds

    def _require_words(self, lengths: NDArray[np.int64]) -> None:
        self._grow(int(lengths.max(initial=0)))
        for length in np.unique(lengths).tolist():
            if self.count(length) == 0:
                near = [n for n in range(max(0, length - 5), length + 6) if self.count(n)]
                hint = f"nearby lengths with words: {near}" if near else "no nearby length has any"
                raise InputError(f"the language has no word of length {length}; {hint}.")
