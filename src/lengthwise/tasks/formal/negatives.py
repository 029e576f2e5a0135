"""Words outside a language, by small edits of words inside it."""

import numpy as np
from jaxtyping import Bool, Int

from lengthwise.languages.dfa import DFA

ATTEMPTS = 4
"""How often an edit that stayed inside the language is made again before giving up."""


def corrupt(
    rng: np.random.Generator,
    dfa: DFA,
    words: Int[np.ndarray, "b n"],
    others: Int[np.ndarray, "b n"],
    edit: Bool[np.ndarray, "b"],
) -> Int[np.ndarray, "b n"]:
    """Return rejected words of the same lengths.

    Where ``edit`` holds, one symbol of the accepted word is replaced, or two are exchanged, and the
    result is checked; after a few failures, and everywhere else, ``others`` is used: rejected words
    drawn uniformly. Negative entries are padding.
    """
    result = others.copy()
    todo = np.flatnonzero(edit & (words >= 0).any(axis=1))
    for _ in range(ATTEMPTS):
        if not len(todo):
            break
        changed = _edit_once(rng, dfa.symbols, words[todo])
        rejected = ~dfa.accepting[dfa.run(changed)[:, -1]]
        result[todo[rejected]] = changed[rejected]
        todo = todo[~rejected]
    return result


def _edit_once(
    rng: np.random.Generator, symbols: int, words: Int[np.ndarray, "b n"]
) -> Int[np.ndarray, "b n"]:
    """Replace one symbol by another, or exchange the symbols of two places."""
    changed, rows = words.copy(), np.arange(len(words))
    size = (words >= 0).sum(axis=1)
    first, second = rng.integers(0, size), rng.integers(0, size)
    other = (words[rows, first] + rng.integers(1, max(symbols, 2), len(words))) % symbols
    replace = rng.random(len(words)) < 0.5
    changed[rows, first] = np.where(replace, other, words[rows, second])
    changed[rows, second] = np.where(replace, changed[rows, second], words[rows, first])
    return changed
