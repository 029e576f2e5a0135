"""Formats with marks, and the problems that they are formats of."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.steps.hinted_copy import MOST_LETTERS
from lengthwise.tasks.vocabulary import SPECIALS

Text = list[str]
DRAWN = 60


@dataclass(frozen=True)
class HintedFormat:
    """A task with marks, and the problem that it is a format of: what is the answer to a prompt?"""

    change: str
    name: Callable[[Task], str | None]
    """The changed task for a given one, by its symbols; None if they do not fit."""
    solve: Callable[[Text], Text | None]
    """The answer to a prompt; None where the format has no such prompts."""


def same_problem(form: HintedFormat, task: Task) -> str | None:
    """Return the changed task if its problem is that of the task, on drawn instances; else None.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> same_problem(FORMATS[0], load_task("repeat-copy"))
        'hinted-copy:letters=ab'
    """
    name = form.name(task)
    if name is None:
        return None
    low = task.min_length
    batch = task.draw(np.random.default_rng(0), low, low + 12, DRAWN)
    for row in range(len(batch.size)):
        read = _read(task, batch, row)
        if read is None or form.solve(read[0]) != read[1]:
            return None
    return name


def _read(task: Task, batch: Batch, row: int) -> tuple[Text, Text] | None:
    """Return prompt and answer without special tokens; None if the task labels instead."""
    size, targets = int(batch.size[row]), batch.targets[row]
    asked = np.flatnonzero(targets[:size] != IGNORE)
    tokens = batch.tokens[row]
    if not len(asked) or not np.array_equal(asked, np.arange(asked[0], size - 1)):
        return None
    if not np.array_equal(targets[asked], tokens[asked + 1]):
        return None
    text = [task.vocabulary.text(int(token)) for token in tokens[:size]]
    cut = int(asked[0]) + 1
    plain = ([s for s in part if s not in SPECIALS] for part in (text[:cut], text[cut:]))
    prompt, answer = plain
    return prompt, answer


def _letters(order: str) -> Callable[[Task], str | None]:
    def name(task: Task) -> str | None:
        symbols = task.vocabulary.symbols
        if len(symbols) > MOST_LETTERS or any(set(s) & set(" ,;=#") for s in symbols):
            return None
        single = all(len(symbol) == 1 for symbol in symbols)
        return f"hinted-copy:letters={('' if single else ' ').join(symbols)}{order}"

    return name


def _sum(prompt: Text) -> Text | None:
    """Add two binary numbers, high bit first, as ``1 0 + 1 =``."""
    text = "".join(prompt)
    first, plus, rest = text.partition("+")
    second, equals, more = rest.partition("=")
    if not plus or not equals or more or not first or not second or set(first + second) - set("01"):
        return None
    return list(f"{int(first, 2) + int(second, 2):b}")


FORMATS = (
    HintedFormat("an index beside every symbol, repeated in the copy", _letters(""), list),
    HintedFormat(
        "an index beside every symbol, repeated in the reversed copy",
        _letters(",order=reversed"),
        lambda prompt: prompt[::-1],
    ),
    HintedFormat(
        "low bits first, and bits of equal weight beside the same index",
        lambda task: "hinted-addition" if set("01+=") <= set(task.vocabulary.symbols) else None,
        _sum,
    ),
)
