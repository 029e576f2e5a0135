"""Finite data: any task restricted to instances drawn once, and the published data sets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from jaxtyping import Int

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.tasks import TASKS
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.derived import DerivedTask

_CHUNK = 4096
_IDLE = 50
"""Chunks without anything new after which a set counts as complete."""


@dataclass(frozen=True, kw_only=True)
class FixedSet(DerivedTask):
    """Another task on ``size`` instances drawn once: ``fixed:addition-text;size=100000``.

    Each range of lengths has its own set, a function of the task, the range and ``seed``; batches
    draw from it with replacement. Lengths are balanced as evenly as the task's own distribution of
    lengths allows (with those held out, exactly uniform where that is uniform).

    ``held`` further instances of each set, 15% unless said otherwise, are never trained on: what is
    measured at the training lengths is measured on these. With ``distinct`` no instance occurs
    twice, neither among those nor between the two parts; lengths are then drawn as often as new
    instances of them are found, and a range that has fewer instances gives all it has.
    """

    size: int = 100_000
    seed: int = 9842497
    held: int = -1
    distinct: bool = False

    name: ClassVar[str] = "fixed"
    summary: ClassVar[str] = "any task on a finite set of instances: fixed:sort-text;size=1000"
    example: ClassVar[str] = "fixed:addition-text;size=1000"

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError(f"task 'fixed': size={self.size} must be at least 1.")
        if self.held < -1 or self.held == 0:
            raise InputError(f"task 'fixed': held={self.held} must be at least 1.")
        if self.seed < 0:
            raise InputError(f"task 'fixed': seed={self.seed} must not be negative.")
        super().__post_init__()
        _ = self.inner  # a mistake in its name shows now

    def instances(self, low: int, high: int) -> Batch:
        """Return the instances that are trained on, for a range of lengths."""
        return self._parts(low, high)[0]

    def held_out(self, low: int, high: int) -> Batch:
        """Return the instances of a range that are never trained on."""
        return self._parts(low, high)[1]

    def _parts(self, low: int, high: int) -> tuple[Batch, Batch]:
        self.check_range(low, high)
        whole = _instances(self, type(self.inner), self._digest, low, high)
        most = len(whole.size)
        cut = most * self.size // self.count
        return whole.rows(np.arange(cut)), whole.rows(np.arange(cut, most))

    @property
    def count(self) -> int:
        """Instances of a range, trained on or held out."""
        return self.size + (max(1, int(0.15 * self.size)) if self.held < 0 else self.held)

    @cached_property
    def _digest(self) -> str | None:
        return Component.parse(self.task, TASKS).digest

    def draw(self, rng: np.random.Generator, low: int, high: int, count: int) -> Batch:
        """Pick instances of the range's set, with replacement."""
        whole = self.instances(low, high)
        return _pick(whole, rng.integers(0, len(whole.size), count))

    def draw_test(
        self, rng: np.random.Generator, low: int, high: int, count: int, *, trained: bool
    ) -> Batch:
        """Pick instances without replacement, at the training lengths only those held out."""
        parts = [self.held_out(low, high)]
        if not trained:
            parts.append(self.instances(low, high))
        whole = stack(parts, self.vocabulary.pad)
        return _pick(whole, rng.permutation(len(whole.size))[:count])

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Pick an instance of each length from the set of that one length."""
        picked = np.zeros_like(lengths)
        sets, offset = [], 0
        for length in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == length)
            part = self.instances(length, length)
            picked[rows] = offset + rng.integers(0, len(part.size), len(rows))
            offset += len(part.size)
            sets.append(part)
        return _pick(stack(sets, self.vocabulary.pad), picked)

    def render(self, batch: Batch) -> list[str]:
        """As for the inner task."""
        return self.inner.render(batch)

    def answered(self, written: Sequence[int], target: Sequence[int]) -> bool:
        """As for the inner task."""
        return self.inner.answered(written, target)

    @property
    def language(self) -> Any | None:
        """As for the inner task."""
        return self.inner.language

    @property
    def answers(self) -> RegularAnswers | None:
        """As for the inner task."""
        return self.inner.answers

    @property
    def program(self) -> Any | None:
        """As for the inner task."""
        return self.inner.program

    @property
    def relation(self) -> Any | None:
        """As for the inner task."""
        return self.inner.relation

    @property
    def circuit(self) -> Any | None:
        """As for the inner task."""
        return self.inner.circuit


class PublishedData(NamedTuple):
    """Train, validation and test as in the recipe of Kazemnejad et al. (2023)."""

    train: Batch
    validation: Batch
    test: Batch


def published_data(
    task: Task,
    train: tuple[int, int],
    test: tuple[int, int],
    *,
    size: int = 100_000,
    test_size: int = 10_000,
    seed: int = 9842497,
) -> PublishedData:
    """Build fixed data by the published recipe.

    Every training length gets ``int(1.15 * size / lengths)`` instances; all are shuffled, the
    first ``size`` are for training, the rest for validation. Every test length gets
    ``int(test_size / lengths)``. For addition the bins are the task's own distribution of lengths
    (all pairs of operand sizes). The instances are ours: the authors' random stream and symbols
    depend on their tokenizer.

    Example:
        >>> from lengthwise.tasks import TASKS, load_task, read_by
        >>> data = published_data(load_task("parity-text"), (4, 8), (9, 16), size=1000)
        >>> len(data.train.size), len(data.validation.size)
        (1000, 150)
    """
    rng = np.random.default_rng(seed)
    bins = len(task.check_range(*train))
    known = _balanced(task, rng, *train, count=int(1.15 * size / bins) * bins)
    order = rng.permutation(len(known.size))
    tested = len(task.check_range(*test))
    unseen = _balanced(task, rng, *test, count=int(test_size / tested) * tested)
    every = np.arange(len(unseen.size))
    return PublishedData(
        _pick(known, order[:size]), _pick(known, order[size:]), _pick(unseen, every)
    )


def _balanced(task: Task, rng: np.random.Generator, low: int, high: int, count: int) -> Batch:
    """Draw ``count`` instances whose lengths are spread evenly, or as the task draws them."""
    possible = task.check_range(low, high)
    if type(task).draw_lengths is Task.draw_lengths:
        lengths = np.resize(possible, count)
    else:
        lengths = task.draw_lengths(rng, low, high, count)
    parts = [task.sample(rng, lengths[at : at + _CHUNK]) for at in range(0, count, _CHUNK)]
    return stack(parts, task.vocabulary.pad)


def _distinct(task: Task, rng: np.random.Generator, low: int, high: int, count: int) -> Batch:
    """Draw instances until there are so many different ones, or hardly any new one comes."""
    seen: set[bytes] = set()
    parts: list[Batch] = []
    idle = 0
    while len(seen) < count and idle < _IDLE:
        drawn = task.sample(rng, task.draw_lengths(rng, low, high, _CHUNK))
        keys = [row[:size].tobytes() for row, size in zip(drawn.tokens, drawn.size, strict=True)]
        new = [i for i, key in enumerate(keys) if key not in seen and not seen.add(key)]
        new = new[: count - sum(len(part.size) for part in parts)]
        idle = 0 if new else idle + 1
        if new:
            parts.append(drawn.rows(np.array(new)))
    whole = stack(parts, task.vocabulary.pad)
    return whole.rows(rng.permutation(len(whole.size)))


def stack(parts: list[Batch], pad: int) -> Batch:
    """Put batches of different widths under each other, with tokens of 32 bits to save memory."""
    width = max(part.tokens.shape[1] for part in parts)
    kind = np.int32
    return Batch(
        tokens=np.concatenate([_wide(part.tokens.astype(kind), width, pad) for part in parts]),
        targets=np.concatenate([_wide(part.targets.astype(kind), width, IGNORE) for part in parts]),
        length=np.concatenate([part.length for part in parts]),
        size=np.concatenate([part.size for part in parts]),
    )


def _pick(whole: Batch, index: Int[np.ndarray, "b"]) -> Batch:
    """Select rows, with tokens of 64 bits as in every other batch."""
    rows = whole.rows(index)
    return replace(rows, tokens=rows.tokens.astype(np.int64), targets=rows.targets.astype(np.int64))


def _wide(rows: np.ndarray, width: int, value: int) -> np.ndarray:
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=value)


@lru_cache(maxsize=128)
def _instances(task: FixedSet, kind: type[Task], digest: str | None, low: int, high: int) -> Batch:
    """Draw the set once; ``kind`` and ``digest`` differ when a file of the task was edited."""
    del kind, digest
    rng = np.random.default_rng([task.seed, low, high])
    if task.distinct:
        return _distinct(task.inner, rng, low, high, task.count)
    whole = _balanced(task.inner, rng, low, high, count=task.count)
    return whole.rows(rng.permutation(len(whole.size)))
