"""Coarsest congruence of an automaton with outputs: Hopcroft's algorithm on integer arrays."""

import numpy as np
from numpy.typing import NDArray


def coarsest_congruence(
    transitions: NDArray[np.int32], colours: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return a class number per state: states with equal colours after every word are together.

    Classes are numbered by their first state. Runs in ``O(symbols * states * log states)``
    (Hopcroft 1971, "An n log n algorithm for minimizing states in a finite automaton").

    Example:
        >>> t = np.array([[1], [0], [1]], dtype=np.int32)  # 0 and 2 behave alike
        >>> coarsest_congruence(t, np.array([1, 0, 1])).tolist()
        [0, 1, 0]
    """
    states, symbols = transitions.shape
    blocks = _group(colours)
    if len(blocks) == 1:  # nothing to tell apart
        return np.zeros(states, dtype=np.int32)
    owner = [0] * states
    for number, block in enumerate(blocks):
        for state in block:
            owner[state] = number
    order, start = _preimages(transitions)
    pending = [(number, symbol) for number in range(len(blocks)) for symbol in range(symbols)]
    while pending:
        number, symbol = pending.pop()
        base = symbol * states
        touched: dict[int, set[int]] = {}
        for state in blocks[number]:
            index = base + state
            for source in order[start[index] : start[index + 1]]:
                touched.setdefault(owner[source], set()).add(source)
        for other, hit in touched.items():
            if len(hit) < len(blocks[other]):
                _split(blocks, owner, other, hit, symbols, pending)
    return _number_by_first_state(owner)


def _split(
    blocks: list[set[int]],
    owner: list[int],
    other: int,
    hit: set[int],
    symbols: int,
    pending: list[tuple[int, int]],
) -> None:
    """Cut ``hit`` out of block ``other`` and schedule the smaller half as splitter."""
    rest = blocks[other]
    small = hit if 2 * len(hit) <= len(rest) else rest - hit
    rest -= small
    new = len(blocks)
    blocks.append(small)
    for state in small:
        owner[state] = new
    # If `other` still waits, now both halves do; otherwise the smaller half is enough.
    pending.extend((new, symbol) for symbol in range(symbols))


def _group(colours: NDArray[np.int64]) -> list[set[int]]:
    groups: dict[int, set[int]] = {}
    for state, colour in enumerate(colours.tolist()):
        groups.setdefault(colour, set()).add(state)
    return list(groups.values())


def _preimages(transitions: NDArray[np.int32]) -> tuple[list[int], list[int]]:
    """List the sources of (symbol, target), for every symbol and target, in one flat array."""
    states, symbols = transitions.shape
    keys = (np.arange(symbols, dtype=np.int64)[None, :] * states + transitions).T.ravel()
    order = np.argsort(keys, kind="stable")
    counts = np.bincount(keys, minlength=states * symbols)
    start = np.concatenate([[0], np.cumsum(counts)])
    return (order % states).tolist(), start.tolist()


def _number_by_first_state(owner: list[int]) -> NDArray[np.int32]:
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(block, len(numbers)) for block in owner], dtype=np.int32)
