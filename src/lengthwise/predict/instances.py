"""Instances of a task as words: prompt and answer, or a word with one label per letter."""

from dataclasses import dataclass
from typing import Any

import numpy as np

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
    batch = task.draw(np.random.default_rng(seed), low, high, count)
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
    return Drawn(prompts, answers, batch.length.tolist(), labels, continues)


def _continues(tokens: np.ndarray, targets: np.ndarray, asked: np.ndarray, size: int) -> bool:
    """Whether the asked positions are the last ones and ask for the tokens that follow."""
    if not len(asked) or not np.array_equal(asked, np.arange(asked[0], size - 1)):
        return False
    return np.array_equal(targets[asked], tokens[asked + 1])
