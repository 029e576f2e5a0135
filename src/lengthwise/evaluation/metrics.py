"""When a row is right, by name, and how many are at each length."""

from collections import Counter
from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Int

from lengthwise.evaluation.answers import answers, check_written, is_generated, written
from lengthwise.evaluation.exact import correct_rows
from lengthwise.models.decoder import Decoder
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.spec import Metric
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch

Right = Callable[[Decoder, Task, Batch], Bool[np.ndarray, "b"]]

SHORT, DRAWN = 32, 512
"""How many lengths, and how many instances of them, say what a task asks for."""


def exact(model: Decoder, task: Task, batch: Batch) -> Bool[np.ndarray, "b"]:
    """Say which rows are right as a whole, by teacher forcing wherever that is greedy decoding.

    It is not where an encoding sees how long an input is that follows: then rows are generated.
    """
    if not model.encoding.sees_end or not is_generated(batch):
        return correct_rows(model, batch)
    rows = zip(written(model, task, batch), batch.tokens, batch.size, strict=True)
    return np.array([row == tokens[:size].tolist() for row, tokens, size in rows])


METRICS: dict[Metric, Right] = {
    "exact": exact,
    "answer": answers,
    "likelihood": lambda model, task, batch: correct_rows(
        model, batch, among=candidates(task, batch)
    ),
}


def candidates(task: Task, batch: Batch) -> Int[np.ndarray, "c"]:
    """Return the tokens that a task ever asks for: those of short instances and of a batch.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> task = load_task("binary-majority")
        >>> batch = task.sample(np.random.default_rng(0), np.array([3]))
        >>> [task.vocabulary.text(int(token)) for token in candidates(task, batch)]
        ['0', '1', '<eos>']
    """
    short = task.first_lengths(SHORT)
    drawn = task.draw(np.random.default_rng(0), int(short[0]), int(short[-1]), DRAWN)
    asked = [one.targets[one.supervised] for one in (drawn, batch)]
    return np.unique(np.concatenate(asked))


def evaluate(
    model: Decoder, task: Task, batch: Batch, bin_: tuple[int, int], metric: Metric = "exact"
) -> AccuracyByLength:
    """Count the rows of a test set that are right."""
    right = METRICS[metric](model, task, batch)
    correct = Counter(batch.length[right].tolist())
    total = Counter(batch.length.tolist())
    return AccuracyByLength(
        low=bin_[0],
        high=bin_[1],
        correct={n: correct[n] for n in sorted(total)},
        total=dict(sorted(total.items())),
    )


def check_metric(metric: Metric, task: Task, length: tuple[int, int]) -> None:
    """Refuse a metric that a task cannot be measured by."""
    if metric == "answer":
        check_written(task, task.draw(np.random.default_rng(0), *length, 64))
