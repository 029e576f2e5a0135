"""Instances of a task as words: prompt and answer, or a word with one label per letter."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.crasp.writing.examples import AskedTexts
from lengthwise.predict.skewed import skewed_generators
from lengthwise.tasks.batch import Batch
from lengthwise.tasks.following import examples_of

IGNORE = -100

Text = tuple[str, ...]


@dataclass(frozen=True)
class Drawn:
    """Some instances of one or more lengths.

    For tasks that answer (``continues``: the answer is the rest of the text, and one prompt has one
    answer) these are prompts and answers; for tasks that label letters (``labels``) whole words and
    the labels asked for.
    """

    prompts: list[Text]
    answers: list[Text]
    lengths: list[int]
    labels: bool
    continues: bool
    places: list[list[int]]
    """Where labels are asked for, counted in the word."""

    def table(self) -> dict[Text, Text] | None:
        """Return the answer of each prompt; None unless every prompt has exactly one."""
        if not self.continues:
            return None
        known: dict[Text, Text] = {}
        for prompt, answer in zip(self.prompts, self.answers, strict=True):
            if known.setdefault(prompt, answer) != answer:
                return None
        return known


def draw(task: Any, low: int, high: int, count: int, seed: int = 0) -> Drawn:
    """Draw instances with lengths in a range.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> found = draw(load_task("repeat-copy"), 2, 2, 4)
        >>> found.answers[0][:2] == found.prompts[0]
        True
    """
    return read_batch(task, task.draw(np.random.default_rng(seed), low, high, count))


def draw_rare(task: Any, low: int, high: int, count: int, seed: int) -> list[Drawn]:
    """Draw instances that are rare, some of each kind."""
    return [read_batch(task, batch) for batch in _rare_batches(task, low, high, count, seed)]


def distinct_rows(batch: Batch) -> tuple[Batch, np.ndarray]:
    """Return the different rows of a batch, and how often each was drawn."""
    both = np.concatenate([batch.tokens, batch.targets, batch.size[:, None]], axis=1)
    _, first, counts = np.unique(both, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first)
    return batch.rows(first[order]), counts[order]


def seen_all(counts: np.ndarray) -> bool:
    """Whether hardly any row was drawn only once: then hardly any was not drawn at all."""
    return 20 * int((counts == 1).sum()) <= len(counts)


def read_batch(task: Any, batch: Batch) -> Drawn:
    """Read a batch as prompts and answers, or as words with labels."""
    asked = [
        np.flatnonzero(row[:n] != IGNORE) for row, n in zip(batch.targets, batch.size, strict=True)
    ]
    labels = any(len(a) and a[-1] == n - 1 for a, n in zip(asked, batch.size, strict=True))
    vocabulary = task.vocabulary
    prompts: list[Text] = []
    answers: list[Text] = []
    for row, tokens in enumerate(batch.tokens):
        first = int(asked[row][0]) if len(asked[row]) else int(batch.size[row]) - 1
        start = int(tokens[0] == vocabulary.bos)
        end = int(batch.size[row]) if labels else first + int(tokens[first] != vocabulary.sep)
        prompts.append(tuple(vocabulary.text(int(t)) for t in tokens[start:end]))
        answers.append(tuple(vocabulary.text(int(batch.targets[row, t])) for t in asked[row]))
    continues = not labels and all(
        _continues(batch.tokens[row], batch.targets[row], asked[row], int(batch.size[row]))
        for row in range(len(asked))
    )
    first = int(bool((batch.tokens[:, 0] == vocabulary.bos).all()))
    places = [(row - first).tolist() for row in asked]
    return Drawn(prompts, answers, batch.length.tolist(), labels, continues, places)


def draw_examples(
    task: Any, low: int, high: int, count: int, seed: int, *, bos: bool = False
) -> AskedTexts:
    """Draw instances with lengths in a range, half of them as the task does, half of them rare.

    Rare ones come from the task's own sampler with a skewed generator; a sampler that fails with
    one is asked for ordinary instances only.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> len(draw_examples(load_task("repeat-copy"), 2, 4, 20, 0).texts)
        20
    """
    usual = task.draw(np.random.default_rng(seed), low, high, count - count // 2)
    found = examples_of(task, usual, bos=bos)
    for batch in _rare_batches(task, low, high, count // 2, seed):
        found = found.joined(examples_of(task, batch, bos=bos))
    return found


def _rare_batches(task: Any, low: int, high: int, count: int, seed: int) -> Iterator[Batch]:
    rng = np.random.default_rng([seed, 7])
    modes = list(skewed_generators(seed))
    for number, (_, skewed) in enumerate(modes):
        size = count // len(modes) + (number < count % len(modes))
        if not size:
            continue
        lengths = task.draw_lengths(rng, low, high, size)
        try:
            yield task.sample(skewed, lengths)
        except (ArithmeticError, LookupError, TypeError, ValueError):  # of the sampler, not ours
            yield task.sample(rng, lengths)


def _continues(tokens: np.ndarray, targets: np.ndarray, asked: np.ndarray, size: int) -> bool:
    """Whether the asked positions are the last ones and ask for the tokens that follow."""
    if not len(asked) or not np.array_equal(asked, np.arange(asked[0], size - 1)):
        return False
    return np.array_equal(targets[asked], tokens[asked + 1])
