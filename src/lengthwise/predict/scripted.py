"""A task's own sampler as an oracle: which prompt to make is told through its random generator.

A task only draws. But a sampler is a function of what its generator gives it, and many samplers put
the letters of the prompt in the order in which they are drawn:

    script   0 1 1 0      rng.integers(0, 2, 4) -> 0 1 1 0      prompt a b b a      answer y

So prompts can be asked for one by one, and what is known about functions serves for tasks. Every
prompt that comes back is compared with the one that was asked for; a sampler that makes anything
else of a script, or whose layout depends on more than the length, is no oracle.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.languages.asked import Asked
from lengthwise.predict.instances import IGNORE, read_batch
from lengthwise.predict.skewed import WIDEST

ROWS = 256
"""Prompts that are made at once."""
FIRST, LATER = 6, 11
"""Which of the possible lengths are looked at for the layout."""
NAMES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


class NoOracleError(Exception):
    """The sampler does not make the prompts that are asked for."""


class ScriptedGenerator(np.random.Generator):
    """A generator that gives the codes of a script where letters are drawn.

    Draws of another range, and with ``arrays`` all single ones, are the smallest value, or with
    ``high`` the largest: coins and places that the sampler draws beside the letters.

    Example:
        >>> rng = ScriptedGenerator(np.array([1, 0, 2]), 3)
        >>> rng.integers(0, 3, 2).tolist(), int(rng.integers(0, 9)), rng.integers(0, 3, 1).tolist()
        ([1, 0], 0, [2])
    """

    def __init__(
        self, script: np.ndarray, width: int, *, arrays: bool = True, high: bool = False
    ) -> None:
        super().__init__(np.random.PCG64(0))
        self._script, self._at, self._width = script, 0, width
        self._arrays, self._high = arrays, high
        self._left = 64 + 4 * len(script)  # samplers that draw until something fits must end
        self.seen: Counter[tuple[int, bool]] = Counter()

    def integers(self, low: Any, high: Any = None, *args: Any, **options: Any) -> Any:
        """Give the next codes of the script, or the edge of another range."""
        drawn = super().integers(low, high, *args, **options)
        least, most = (0, low) if high is None else (low, high)
        self._left -= 1
        if self._left < 0 or np.ndim(least) or np.ndim(most):
            return drawn
        width = int(most) - int(least) + bool(options.get("endpoint"))
        single = np.ndim(drawn) == 0
        self.seen[width, single] += int(np.size(drawn))
        if width == self._width and not (single and self._arrays):
            codes = self._next(int(np.size(drawn))).reshape(np.shape(drawn))
        elif width <= WIDEST:
            codes = np.full(np.shape(drawn), width - 1 if self._high else 0)
        else:
            return drawn
        result = (codes + int(least)).astype(np.asarray(drawn).dtype)
        return type(drawn)(result.item()) if single else result

    def _next(self, size: int) -> np.ndarray:
        found = self._script[self._at : self._at + size]
        self._at += size
        return np.pad(found, (0, size - len(found)))

    def random(self, *args: Any, **options: Any) -> Any:
        """Give single numbers near 0, or near 1; arrays are drawn."""
        drawn = super().random(*args, **options)
        self._left -= 1
        return drawn if np.ndim(drawn) or self._left < 0 else 0.999 if self._high else 0.0

    def choice(self, a: Any, *args: Any, **options: Any) -> Any:
        """Choose with replacement by the script; other choices are drawn."""
        plain = len(args) <= 1 and set(options) <= {"size", "replace"}
        if not plain or not options.get("replace", True):
            return super().choice(a, *args, **options)
        items = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        return items[self.integers(0, len(items), args[0] if args else options.get("size"))]


@dataclass(frozen=True)
class _Layout:
    """What a prompt of one length looks like: its tokens, and where the script's letters stand."""

    tokens: np.ndarray
    free: np.ndarray


class PromptOracle(Asked):
    """Words whose prompts have one first token of the answer; words of lengths without are none.

    A word is the prompt without what stands in every prompt of its length. ``whole`` says that
    every word from some length on has a prompt, with the same tokens before and behind it.
    """

    def __init__(self, task: Any, width: int, *, arrays: bool, high: bool) -> None:
        super().__init__(None, NAMES[:width])
        self._task, self._width = task, width
        self._arrays, self._high = arrays, high
        self._layouts: dict[int, _Layout] = {}
        possible = task.possible_lengths(task.min_length, 200).tolist()
        one, two = possible[min(FIRST, len(possible) - 2)], possible[min(LATER, len(possible) - 1)]
        self._ids = self._codes(one)
        sizes = [len(self._layout(n).free) for n in (one, two)]
        self._slope, rest = divmod(sizes[1] - sizes[0], two - one)
        if rest or self._slope < 1:
            raise NoOracleError
        self._shift = sizes[0] - self._slope * one
        self.whole = self._slope == 1 and set(range(possible[0], 200)) <= set(possible)
        around = {_around(self._layout(n)) for n in (one, two)}
        self.whole = self.whole and len(around) == 1 and around.pop()[1] == 0
        self.token = -1
        self.tokens = self._first_tokens((one, two))

    @classmethod
    def of(cls, task: Any) -> "PromptOracle | None":
        """Return an oracle if the sampler can be told what to draw, else None."""
        possible = task.possible_lengths(task.min_length, 200).tolist()
        if task.longest is not None or len(possible) < 2:
            return None
        one_answer = read_batch(task, task.draw(np.random.default_rng(0), 0, possible[3], 200))
        if one_answer.labels or one_answer.table() is None:
            return None
        for width, arrays in _widths(task, possible[min(FIRST, len(possible) - 1)]):
            for high in (False, True):
                try:
                    return cls(task, width, arrays=arrays, high=high)
                except (NoOracleError, ArithmeticError, LookupError, TypeError, ValueError):
                    continue  # of the sampler: it does not take this script
        return None

    def asking(self, token: str) -> "PromptOracle":
        """Ask from now on whether the answer begins with a token; what was asked is forgotten."""
        self.token = self._task.vocabulary.ids.get(token, self._task.vocabulary.eos)
        self.complete, self.tables, self.others = -1, [], {}
        return self

    def answers(self, words: Sequence[str]) -> list[bool]:
        """Make the prompts, batches of one length each."""
        found: dict[str, bool] = {}
        by_length: dict[int, list[str]] = {}
        for word in words:
            by_length.setdefault(len(word), []).append(word)
        for size, same in by_length.items():
            length = self._length(size)
            for begin in range(0, len(same), ROWS):
                part = same[begin : begin + ROWS]
                first = [-1] * len(part) if length is None else self._made(length, part).tolist()
                found |= {w: code == self.token for w, code in zip(part, first, strict=True)}
        return [found[word] for word in words]

    def prompt(self, word: str) -> str:
        """Return the prompt that a word stands for, as text."""
        length = self._length(len(word))
        if length is None:
            return word
        layout = self._layout(length)
        tokens = layout.tokens.copy()
        tokens[layout.free] = self._ids[[NAMES.index(c) for c in word]]
        return " ".join(self._task.vocabulary.text(int(t)) for t in tokens)

    def _length(self, size: int) -> int | None:
        length, rest = divmod(size - self._shift, self._slope)
        if rest or not len(self._task.possible_lengths(length, length)):
            return None
        return length

    def _sample(self, length: int, script: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return prompts up to the first question, and what is asked there."""
        rng = ScriptedGenerator(script.ravel(), self._width, arrays=self._arrays, high=self._high)
        batch = self._task.sample(rng, np.full(len(script), length))
        asked = batch.targets != IGNORE
        first = asked.argmax(axis=1)
        if not asked.any(axis=1).all() or (first != first[0]).any():
            raise NoOracleError
        end = int(first[0])
        return batch.tokens[:, : end + 1], batch.targets[:, end]

    def _codes(self, length: int) -> np.ndarray:
        """Return the token of each code: what fills a prompt whose script has one code only."""
        size = 4 * length + 16  # longer than any script that a prompt of this length takes
        rows = np.stack(
            [self._sample(length, np.full((1, size), k))[0][0] for k in range(self._width)]
        )
        free = np.flatnonzero((rows != rows[0]).any(axis=0))
        if not len(free) or (rows[:, free] != rows[:, free[:1]]).any():
            raise NoOracleError
        ids = rows[:, free[0]]
        if len(set(ids.tolist())) < self._width:
            raise NoOracleError
        return ids

    def _layout(self, length: int) -> _Layout:
        """Return the layout of prompts of a length, read off two scripts."""
        if length not in self._layouts:
            size = 4 * length + 16
            zero, one = (self._sample(length, np.full((1, size), k))[0][0] for k in (0, 1))
            if zero.shape != one.shape:
                raise NoOracleError
            free = np.flatnonzero(zero != one)
            self._layouts[length] = _Layout(zero, free)
        return self._layouts[length]

    def _made(self, length: int, words: Sequence[str]) -> np.ndarray:
        """Return the first token of the answers to prompts, each compared with its word."""
        layout = self._layout(length)
        script = np.array([[NAMES.index(c) for c in word] for word in words], dtype=np.int64)
        script = script.reshape(len(words), -1)
        if script.shape[1] != len(layout.free):
            raise NoOracleError
        wanted = np.repeat(layout.tokens[None], len(words), axis=0)
        wanted[:, layout.free] = self._ids[script]
        made, first = self._sample(length, script)
        if not np.array_equal(made, wanted):
            raise NoOracleError
        return first

    def _first_tokens(self, lengths: Sequence[int]) -> tuple[str, ...]:
        """Return the tokens with which answers begin, the most frequent first, on random words."""
        rng, seen = np.random.default_rng(0), Counter[int]()
        for length in lengths:
            size = len(self._layout(length).free)
            rows = rng.integers(self._width, size=(64, size))
            seen.update(self._made(length, ["".join(NAMES[c] for c in row) for row in rows]))
        return tuple(self._task.vocabulary.text(int(token)) for token, _ in seen.most_common())


def _around(layout: _Layout) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
    """Return what stands before the letters of a script, how much between them, what behind."""
    begin, end = int(layout.free[0]), int(layout.free[-1]) + 1
    before, behind = layout.tokens[:begin], layout.tokens[end:]
    return tuple(before.tolist()), end - begin - len(layout.free), tuple(behind.tolist())


def _widths(task: Any, length: int) -> list[tuple[int, bool]]:
    """Return the ranges from which a sampler draws, the most used first; True: in arrays."""
    rng = ScriptedGenerator(np.zeros(0, dtype=np.int64), 0)
    try:
        task.sample(rng, np.array([length]))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return []
    return [
        (width, not single)
        for (width, single), _ in rng.seen.most_common()
        if 2 <= width <= len(NAMES)
    ][:3]
