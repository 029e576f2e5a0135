"""Rare instances on purpose: a random generator that draws few letters, runs and near ties.

A task's sampler computes answers from what it draws. Given a generator whose draws are within the
ranges that were asked for but far from uniform, it makes instances that are true to the task and
that uniform draws hardly ever make: one letter only, sorted letters, blocks that repeat, as many of
each letter. After a number of calls draws are uniform again, so that samplers which draw until
something fits come to an end.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

CALLS = 300
"""Calls that are skewed, unless said otherwise."""
WIDEST = 1_000
"""Integers from larger ranges may be meant to be distinct; they are left alone."""

MODES = ("few", "one", "sorted", "falling", "blocks", "even", "rare")


class SkewedGenerator(np.random.Generator):
    """A generator whose first draws follow a mode.

    Example:
        >>> rng = SkewedGenerator(0, "sorted")
        >>> draws = rng.integers(0, 5, (2, 6))
        >>> bool((np.diff(draws, axis=1) >= 0).all())
        True
    """

    def __init__(self, seed: int, mode: str, calls: int = CALLS) -> None:
        super().__init__(np.random.PCG64([seed, MODES.index(mode)]))
        self._own = np.random.default_rng([seed, MODES.index(mode), 1])
        self._mode, self._calls, self._most = mode, 0, calls
        self._pick = self._own.random(2)

    def integers(self, low: Any, high: Any = None, *args: Any, **options: Any) -> Any:
        """Draw integers of the range, skewed."""
        drawn = super().integers(low, high, *args, **options)
        least, most = (0, low) if high is None else (low, high)
        if not (self._going() and np.ndim(least) == 0 and np.ndim(most) == 0):
            return drawn
        width = int(most) - int(least) + bool(options.get("endpoint"))
        if not 1 < width <= WIDEST:
            return drawn
        codes = self._codes(np.asarray(drawn) - least, width)
        result = (codes + least).astype(np.asarray(drawn).dtype)
        return result if np.ndim(drawn) else type(drawn)(result.item())

    def random(self, *args: Any, **options: Any) -> Any:
        """Draw numbers between 0 and 1, skewed and still distinct."""
        drawn = super().random(*args, **options)
        if not (self._going() and np.ndim(drawn)) or options.get("out") is not None:
            return drawn
        codes = self._codes((np.asarray(drawn) * 64).astype(np.int64), 64)
        return (codes + drawn) / 64.0

    def choice(self, a: Any, *args: Any, **options: Any) -> Any:
        """Choose with replacement by skewed numbers; other choices are left alone."""
        plain = len(args) <= 1 and set(options) <= {"size", "replace"}
        if not plain or not options.get("replace", True):
            return super().choice(a, *args, **options)
        items = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        size = args[0] if args else options.get("size")
        return items[self.integers(0, len(items), size)]

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Leave the order as it is, in some modes."""
        if self._mode in ("sorted", "blocks") and self._going():
            return np.arange(x) if np.ndim(x) == 0 else np.array(x)
        return super().permutation(x, axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Leave the order as it is, in some modes."""
        if not (self._mode in ("sorted", "blocks") and self._going()):
            super().shuffle(x, axis)

    def permuted(self, x: Any, *, axis: Any = None, out: Any = None) -> Any:
        """Leave the order as it is, in some modes."""
        if self._mode in ("sorted", "blocks") and out is None and self._going():
            return np.array(x)
        return super().permuted(x, axis=axis, out=out)

    def _going(self) -> bool:
        self._calls += 1
        return self._calls <= self._most

    def _codes(self, drawn: np.ndarray, width: int) -> np.ndarray:
        """Rearrange or replace draws from ``range(width)`` row by row."""
        if self._mode in ("few", "one", "rare"):
            chosen = (self._pick * width).astype(np.int64) % width
            if chosen[0] == chosen[1]:
                chosen[1] = (chosen[0] + 1) % width
            share = {"few": 0.5, "one": 1.0, "rare": 0.93}[self._mode]
            first = self._own.random(drawn.shape) < share
            return np.where(first, chosen[0], chosen[1])
        if drawn.ndim == 0 or drawn.shape[-1] < 2:
            return drawn
        if self._mode in ("sorted", "falling"):
            ordered = np.sort(drawn, axis=-1)
            return ordered if self._mode == "sorted" else ordered[..., ::-1]
        length = drawn.shape[-1]
        if self._mode == "blocks":
            period = int(self._own.integers(1, 4))
            return drawn[..., np.arange(length) % min(period, length)]
        start = self._own.integers(0, width, drawn.shape[:-1])[..., None]
        even = (np.arange(length) + start) % min(width, 2 + int(self._own.integers(0, width)))
        return self._own.permuted(np.broadcast_to(even, drawn.shape), axis=-1)


def skewed_generators(seed: int, rounds: int = 2) -> Iterator[tuple[str, SkewedGenerator]]:
    """Yield generators of every mode, with different letters in each round."""
    for round_ in range(rounds):
        for mode in MODES:
            yield mode, SkewedGenerator(1_000 * seed + round_, mode)
