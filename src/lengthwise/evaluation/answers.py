"""Final answers: what a model writes behind a prompt, judged by the task's own rule.

Where an answer stands at the end of a longer output (a scratchpad), the output may differ from the
one that was trained and still end in the right answer, so it has to be generated; Kazemnejad et al.
(2023) score this way. Where the answer is the whole output this equals `evaluation.exact`, which
needs one forward pass and no generation.
"""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Bool, Int

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Decoder
from lengthwise.models.generation import generate
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch

TOKENS_AT_ONCE = 16_384
"""Tokens, prompts and outputs together, whose keys and values are kept at once."""


def answers(model: Decoder, task: Task, batch: Batch) -> Bool[np.ndarray, "b"]:
    """Say for each row whether the model writes the right answer behind the prompt.

    Example:
        >>> from lengthwise.models.config import ModelConfig
        >>> from lengthwise.positions.nope import NoPE
        >>> from lengthwise.tasks import load_task
        >>> task = load_task("parity-text:scratchpad=minimal")
        >>> model = Decoder(ModelConfig(), len(task.vocabulary), NoPE(), context=99)
        >>> answers(model, task, task.sample(np.random.default_rng(0), np.array([3, 2]))).tolist()
        [False, False]
    """
    return np.array(
        [
            task.answered(row, batch.tokens[number, : batch.size[number]].tolist())
            for number, row in enumerate(written(model, task, batch))
        ]
    )


def written(model: Decoder, task: Task, batch: Batch) -> list[list[int]]:
    """Return each row's prompt with what the model writes behind it, most likely token first.

    A row ends with ``<eos>``, or when it has as many tokens as the task needs for its length; where
    the task writes no ``<eos>``, it ends with its target. Tokens behind the prompt that are not
    asked for are given: the model reads them instead of what it would write.
    """
    check_written(task, batch)
    prompts = np.argmax(batch.supervised, axis=1) + 1  # the first target follows the prompt
    closed = batch.tokens[np.arange(len(prompts)), batch.size - 1] == task.vocabulary.eos
    needed = {int(n): task.max_tokens(int(n)) for n in np.unique(batch.length[closed])}
    room = [needed.get(int(n), 0) for n in batch.length]
    ends = np.where(closed, np.maximum(room, batch.size), batch.size)
    rows: list[list[int]] = [[]] * len(ends)
    was_training = model.training
    model.eval()
    for index in _chunks(prompts, ends, alike=model.encoding.sees_end):
        made = _continue(model, task, batch.rows(index), prompts[index], ends[index])
        for number, row in zip(index.tolist(), made, strict=True):
            rows[number] = row
    model.train(was_training)
    return rows


def check_written(task: Task, batch: Batch) -> None:
    """Refuse a task that asks for anything but the next token."""
    follows = np.full_like(batch.tokens, IGNORE)
    follows[:, :-1] = batch.tokens[:, 1:]
    follows[np.arange(len(batch.size)), batch.size - 1] = IGNORE
    asked = batch.supervised
    if not (asked.any() and (batch.targets == np.where(asked, follows, IGNORE)).all()):
        raise InputError(
            f"metric answer: task {task.name!r} does not write its answer behind a prompt; "
            "use metric exact."
        )


def check_generated(task: Task, batch: Batch) -> None:
    """Refuse a task whose targets are labels along the way rather than what is written next."""
    if not is_generated(batch):
        raise InputError(
            f"metric answer: task {task.name!r} does not write its answer behind a prompt; "
            "use metric exact."
        )


def check_writes(task: Task, batch: Batch) -> None:
    """Refuse to put a task that labels what was read to a model that only writes."""
    if not is_generated(batch):
        raise InputError(
            f"task {task.name!r} labels what was read, and a pretrained model only writes; "
            "use a task that writes its answer, for a language "
            "'regex:(ab)*;supervision=recognition'."
        )


def is_generated(batch: Batch) -> bool:
    """Whether what is asked is what is written next, from the end of the prompt on."""
    follows = np.full_like(batch.tokens, IGNORE)
    follows[:, :-1] = batch.tokens[:, 1:]
    column, last = np.arange(batch.tokens.shape[1]), batch.size[:, None] - 1
    output = (column >= np.argmax(batch.supervised, axis=1)[:, None]) & (column < last)
    asked = np.where(output, follows, IGNORE)
    return bool(batch.supervised.any() and (batch.targets == asked).all())


def _continue(
    model: Decoder,
    task: Task,
    rows: Batch,
    prompts: Int[np.ndarray, "b"],
    ends: Int[np.ndarray, "b"],
) -> list[list[int]]:
    device = model.embedding.weight.device
    capacity = int(prompts.max() + (ends - prompts).max())
    places = model.encoding.positions(rows.size, None)
    if places is not None:  # those of teacher forcing; what is longer repeats the last
        places = places[:, np.minimum(np.arange(capacity), places.shape[1] - 1)]
    given = _given(rows, prompts, int((ends - prompts).max()))
    made = generate(
        model,
        torch.from_numpy(np.ascontiguousarray(rows.tokens[:, : int(prompts.max())])).to(device),
        torch.from_numpy(prompts).to(device),
        steps=torch.from_numpy(ends - prompts).to(device),
        stop=task.vocabulary.eos,
        scale=torch.from_numpy(rows.length).to(device),
        positions=None if places is None else torch.from_numpy(places).to(device),
        given=None if given is None else torch.from_numpy(given).to(device),
    )
    found: list[list[int]] = []
    for number, output in enumerate(made.tolist()):
        output = output[: int(ends[number] - prompts[number])]
        if task.vocabulary.eos in output:
            output = output[: output.index(task.vocabulary.eos) + 1]
        found.append([*rows.tokens[number, : prompts[number]].tolist(), *output])
    return found


def _given(rows: Batch, prompts: Int[np.ndarray, "b"], steps: int) -> Int[np.ndarray, "b s"] | None:
    """Return the tokens behind prompts that are not asked for, -1 elsewhere; None if all are.

    Step k writes the token at column prompts + k, which is asked for one column before.
    """
    place = prompts[:, None] + np.arange(steps)
    inside = place < rows.size[:, None]
    column = np.minimum(place, rows.tokens.shape[1] - 1)
    asked = np.take_along_axis(rows.supervised, column - 1, axis=1)
    given = np.where(inside & ~asked, np.take_along_axis(rows.tokens, column, axis=1), -1)
    return given if (given >= 0).any() else None


def _chunks(
    prompts: Int[np.ndarray, "b"], ends: Int[np.ndarray, "b"], *, alike: bool
) -> Iterator[Int[np.ndarray, "n"]]:
    """Split rows into chunks of similar prompts, or of equal ones if they must be alike."""
    order = np.lexsort((ends, prompts))
    start = 0
    while start < len(order):
        width = np.maximum.accumulate(ends[order[start:]])
        fits = width * np.arange(1, len(width) + 1) <= TOKENS_AT_ONCE
        if alike:
            fits &= prompts[order[start:]] == prompts[order[start]]
        end = start + max(1, int(np.argmin(fits)) if not fits.all() else len(fits))
        yield order[start:end]
        start = end
