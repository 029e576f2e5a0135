"""Words with long stretches of few letters: what uniform words hardly ever have.

    a b b a | c c c c c c | b d b       three segments, each over a random set of letters

A language that needs to remember something over any distance is asked for a distance of two or
three by uniform words, whatever their length. Here a word is cut into one to three segments at
random places, each with a random set of letters, so that everything can be far away.
"""

import numpy as np
from jaxtyping import Bool, Int

from lengthwise.languages.dfa import DFA

MOST = 3


def completable(dfa: DFA, longest: int) -> Bool[np.ndarray, "n q"]:
    """Mark from which states a word of the language can be finished in exactly n letters.

    Example:
        >>> completable(DFA("a", [[1], [0]], 0, [True, False]), 2).tolist()
        [[True, False], [False, True], [True, False]]
    """
    rows = [dfa.accepting]
    for _ in range(longest):
        rows.append(np.asarray(rows[-1][dfa.transitions].any(axis=1)))
    return np.array(rows)


def segmented(
    rng: np.random.Generator,
    dfa: DFA,
    finish: Bool[np.ndarray, "m q"],
    lengths: Int[np.ndarray, "b"],
) -> Int[np.ndarray, "b n"]:
    """Draw words of the language, -1 behind them; ``finish`` is that of ``completable``.

    A letter is uniform among those of its segment's set with which the word can still be finished,
    among all such letters where the set has none.
    """
    many, longest = len(lengths), int(lengths.max(initial=0))
    word = np.full((many, longest), -1, dtype=np.int64)
    place = np.arange(longest)
    cuts = rng.integers(0, np.maximum(lengths, 1)[:, None], (many, MOST - 1))
    used = np.arange(1, MOST) < rng.integers(1, MOST + 1, many)[:, None]
    segment = ((place[None, :, None] >= cuts[:, None, :]) & used[:, None, :]).sum(axis=2)
    sets = rng.random((many, MOST, dfa.symbols)) < rng.random((many, MOST, 1))
    state, row = np.full(many, dfa.initial), np.arange(many)
    for n in range(longest):
        on = n < lengths
        ahead = dfa.transitions[state]  # one column per letter
        left = np.maximum(lengths - n - 1, 0)
        possible = finish[left[:, None], ahead]
        wanted = possible & sets[row, segment[:, n]]
        allowed = np.where(wanted.any(axis=1, keepdims=True), wanted, possible)
        letter = np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1)
        word[on, n] = letter[on]
        state = np.where(on, ahead[row, letter], state)
    return word
