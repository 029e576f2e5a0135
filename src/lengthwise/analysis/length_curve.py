"""A finished model at any lengths: measured once, kept with its run, and how far it reaches.

Instances of a length are a pure function of task, seed and length, so that a longer range, a second
call and a search all see the same instances.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.core.seeds import Stream, generator
from lengthwise.records.accuracy import AccuracyByLength, pool
from lengthwise.records.spec import Metric
from lengthwise.runs.evaluations import Question, keep, known
from lengthwise.subjects.any_model import Model
from lengthwise.tasks import TASKS
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch

KEPT_AFTER = 16
"""Lengths that are measured before they are kept: what an interruption costs at most."""

Listener = Callable[[int, AccuracyByLength], None]


@dataclass(frozen=True)
class MeasuredReach:
    """The longest length that was measured at or above a line, and the shortest below it."""

    line: float
    length: int | None
    below: int | None
    refused: str = ""
    """Why the model takes no longer input, if that ended the search."""


class LengthCurve:
    """The accuracy of a model on a task, measured where it is asked for."""

    def __init__(
        self,
        model: Model,
        task: Component,
        *,
        metric: Metric = "exact",
        instances: int = 100,
        seed: int = 0,
        again: bool = False,
        listener: Listener = lambda length, found: None,
    ) -> None:
        self.model, self.instances, self.seed = model, instances, seed
        self.metric: Metric = metric
        self.task = model.prepared(task.build(TASKS, Task), metric)
        self.listener = listener
        self.question = Question(
            weights=model.weights,
            task=task,
            metric=metric,
            seed=seed,
            instances=instances,
            asked=model.prompting,
        )
        kept = None
        if model.folder is not None and not again:
            kept = known(model.folder, self.question)
        self.found: dict[int, AccuracyByLength] = (
            {} if kept is None else {n: kept.between(n, n) for n in kept.total}
        )
        self.read = len(self.found)
        """Lengths that were kept before."""

    def over(self, low: int, high: int) -> AccuracyByLength:
        """Return the accuracy at every possible length of a range, measuring what is missing."""
        lengths = [int(n) for n in self.task.check_range(low, high)]
        if lengths[-1] not in self.found:
            self._at(lengths[-1], self._measure(lengths[-1]))  # what is too long is refused first
        missing = [n for n in lengths if n not in self.found]
        for number, length in enumerate(missing, start=1):
            self._at(length, self._measure(length))
            if number % KEPT_AFTER == 0:
                self.save()
        self.save()
        part = pool(self.found[n] for n in lengths)
        return AccuracyByLength(low=low, high=high, correct=part.correct, total=part.total)

    def reach(self, line: float, low: int, high: int) -> MeasuredReach:
        """Find the longest length at or above a line: double from ``low``, then halve the gap.

        Accuracy is taken to fall with length: lengths in between are not all measured.
        """
        lengths = [int(n) for n in self.task.check_range(low, high)]
        good, bad, refused, step = -1, len(lengths), "", 0
        while step < len(lengths):  # lengths[good] is above the line, lengths[bad] is not
            holds, problem = self._holds(lengths[step], line)
            if not holds:
                bad, refused = step, problem
                break
            good = step
            wanted = 2 * max(1, lengths[step])
            following = next((i for i, n in enumerate(lengths) if n >= wanted), len(lengths) - 1)
            step = following if following > step else len(lengths)
        while bad - good > 1 and bad < len(lengths):
            middle = (good + bad) // 2
            holds, problem = self._holds(lengths[middle], line)
            good, bad = (middle, bad) if holds else (good, middle)
            refused = refused if holds else problem
        self.save()
        if refused and good < 0:
            raise InputError(refused)
        return MeasuredReach(
            line,
            lengths[good] if good >= 0 else None,
            lengths[bad] if bad < len(lengths) else None,
            refused,
        )

    def measured(self) -> AccuracyByLength:
        """Return everything that is known, of the store or measured now."""
        return pool(self.found[n] for n in sorted(self.found))

    def save(self) -> None:
        """Keep what was measured in the folder of the run, if there is one."""
        if self.model.folder is not None and self.found:
            keep(self.model.folder, self.question, self.measured())

    def _holds(self, length: int, line: float) -> tuple[bool, str]:
        """Whether a length is at or above the line; with the reason if the model refuses it."""
        if length not in self.found:
            try:
                self._at(length, self._measure(length))
            except InputError as error:
                return False, str(error)
        return self.found[length].accuracy >= line, ""

    def _at(self, length: int, found: AccuracyByLength) -> None:
        self.found[length] = found
        self.listener(length, found)

    def instances_of(self, length: int) -> Batch:
        """Return the instances of a length."""
        rng = generator(self.seed, Stream.EVALUATION, length)
        return self.task.sample(rng, np.full(self.instances, length))

    def _measure(self, length: int) -> AccuracyByLength:
        try:
            batch = self.instances_of(length)
            right = self.model.right(self.task, batch, self.metric)
        except InputError as error:
            raise InputError(f"length {length}: {error}") from None
        tried = len(batch.length)
        return AccuracyByLength(
            low=length, high=length, correct={length: int(right.sum())}, total={length: tried}
        )


def ranges(
    found: AccuracyByLength, trained: int | None, most: int = 12
) -> Iterable[AccuracyByLength]:
    """Cut a curve into rows for a table; none holds trained and longer lengths together.

    Example:
        >>> one = AccuracyByLength(low=1, high=4, correct={}, total={n: 1 for n in range(1, 5)})
        >>> [part.name for part in ranges(one, trained=1, most=2)]
        ['1-1', '2-3', '4-4']
    """
    lengths = found.lengths
    width = -(-len(lengths) // most)
    inside = [n for n in lengths if trained is not None and n <= trained]
    for part in (inside, lengths[len(inside) :]):
        for start in range(0, len(part), width):
            group = part[start : start + width]
            yield found.between(group[0], group[-1])
