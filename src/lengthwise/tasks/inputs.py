"""A user's own sequence as a batch, to look at or to complete."""

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.reasoning.base import TextTask, tokenize
from lengthwise.tasks.text.modelling import TextModelling


def read_input(task: Task, text: str) -> Batch:
    """Read one sequence: symbols with spaces between, or without if all are single characters.

    ``<bos>``, ``<sep>`` and ``<eos>`` may be written out; a first ``<bos>`` is added where the
    task's own sequences have one. Nothing is supervised. The length is the number of symbols.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> batch = read_input(load_task("parity"), "0110 <sep>")
        >>> batch.tokens.tolist(), batch.length.tolist()
        ([[4, 0, 1, 1, 0, 5]], [4])
    """
    ids = _ids(task, text)
    if not ids:
        raise InputError("--input: the sequence is empty.")
    if _begins(task) and ids[0] != task.vocabulary.bos:
        ids = [task.vocabulary.bos, *ids]
    ordinary = sum(number < len(task.vocabulary.symbols) for number in ids)
    tokens = np.array([ids], dtype=np.int64)
    sizes = np.array([len(ids)])
    return Batch(tokens, np.full_like(tokens, IGNORE), np.array([max(1, ordinary)]), sizes)


def _ids(task: Task, text: str) -> list[int]:
    if isinstance(task, TextModelling):
        return task.encoder.encode(text.encode()).tolist()
    if isinstance(task, TextTask):
        return task.vocabulary.encode(tokenize(text))
    known = task.vocabulary.ids
    words: list[str] = []
    for word in text.split():
        apart = word not in known and all(letter in known for letter in word)
        words.extend(word if apart else [word])
    return task.vocabulary.encode(words)


def _begins(task: Task) -> bool:
    """Say whether the task's own sequences begin with ``<bos>``."""
    if isinstance(task, TextTask | TextModelling):
        return isinstance(task, TextModelling)
    shortest = task.first_lengths(1)
    return int(task.sample(np.random.default_rng(0), shortest).tokens[0, 0]) == task.vocabulary.bos


def symbols(task: Task, batch: Batch, row: int = 0) -> list[str]:
    """Return a row's symbols, without padding."""
    ids = batch.tokens[row, : batch.size[row]]
    return [task.vocabulary.text(int(number)) for number in ids]
