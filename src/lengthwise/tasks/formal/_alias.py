"""Draw from many small distributions in constant time: alias tables with integer weights.

Every row of weights becomes equal columns, each shared by at most two outcomes (Walker 1977, swept
in order of weight as by Hübschle-Schneider and Sanders 2022). With integer weights that add up to
``columns * capacity`` the tables are exact.
"""

import numpy as np
from jaxtyping import Int


def alias_tables(
    weights: Int[np.ndarray, "r k"], capacity: int
) -> tuple[Int[np.ndarray, "r k"], Int[np.ndarray, "r k"]]:
    """Return thresholds and aliases of each column.

    Draw a column and a number below ``capacity``: the outcome is the column's own if the number is
    below its threshold, else its alias. All rows are filled at once, a column in each step: what a
    light outcome leaves free goes to the current heavy one, and a heavy one that has become light
    hands its rest to the next.

    Example:
        >>> threshold, alias = alias_tables(np.array([[1, 7]]), 4)
        >>> threshold.tolist(), alias[0, 0].tolist()  # the second column is never left
        ([[1, 4]], 1)
    """
    rows, columns = weights.shape
    every = np.arange(rows)
    order = np.argsort(weights, axis=1, kind="stable")
    light, heavy = np.zeros(rows, dtype=np.int64), np.full(rows, columns - 1)
    at_heavy = order[:, -1].copy()
    rest = weights[every, at_heavy].copy()
    threshold = np.empty(weights.shape, dtype=np.int64)
    alias = np.empty(weights.shape, dtype=np.int64)
    for _ in range(columns):
        give = rest > capacity  # the light outcome's column has room for the heavy one
        at_light, following = order[every, light], np.maximum(heavy - 1, 0)
        at_following = order[every, following]
        column = np.where(give, at_light, at_heavy)
        own = np.where(give, weights[every, at_light], rest)
        threshold[every, column] = own
        alias[every, column] = np.where(give, at_heavy, at_following)
        rest = np.where(give, rest, weights[every, at_following]) - (capacity - own)
        at_heavy = np.where(give, at_heavy, at_following)
        light, heavy = light + give, np.where(give, heavy, following)
    return threshold, alias
