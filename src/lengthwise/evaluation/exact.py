"""Exact match by length under teacher forcing.

A sequence is right iff the argmax is right at every supervised position. For answers that are
generated token by token this equals greedy decoding, so one forward pass measures a batch.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Bool, Int

from lengthwise.core.seeds import Stream, generator
from lengthwise.models.decoder import Decoder
from lengthwise.models.supervised import prepare
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch

TOKENS_AT_ONCE = 16_384
"""Tokens per forward pass: enough to keep matrix multiplies busy, small in memory."""
FIRST = 4
"""Answer positions that are read before a row is worth computing in full."""


def test_set(task: Task, seed: int, bin_: tuple[int, int], number: int, instances: int) -> Batch:
    """Draw the fixed test instances of a bin; they depend on seed and bin number alone.

    Bin 0 has the training lengths.
    """
    rng = generator(seed, Stream.TEST_DATA, number)
    return task.draw_test(rng, *bin_, instances, trained=number == 0)


test_set.__test__ = False  # pyright: ignore[reportFunctionMemberAccess]  (not a test)


@torch.inference_mode()
def correct_rows(
    model: Decoder,
    batch: Batch,
    *,
    early_exit: bool = True,
    among: Int[np.ndarray, "c"] | None = None,
) -> Bool[np.ndarray, "b"]:
    """Say for each row whether every supervised position is right.

    With ``among`` only these tokens compete; otherwise the whole vocabulary does.

    While most rows turn out wrong, the first few answer positions are read first and only rows
    that survive them are computed in full; the outcome is the same.
    """
    was_training = model.training
    model.eval()
    right = np.zeros(len(batch.length), dtype=bool)
    done = correct = 0
    for index in _chunks(batch):
        rows = batch.rows(index)
        survivors = np.arange(len(index))
        if early_exit and correct <= done / 2 and rows.supervised.sum() > 4 * FIRST * len(index):
            survivors = np.flatnonzero(_right(model, _beginning(rows), among))
        if len(survivors):
            right[index[survivors]] = _right(model, rows.rows(survivors), among)
        done, correct = done + len(index), correct + int(right[index].sum())
    model.train(was_training)
    return right


def _right(
    model: Decoder, rows: Batch, among: Int[np.ndarray, "c"] | None
) -> Bool[np.ndarray, "b"]:
    device = model.embedding.weight.device
    inputs = prepare(rows, device, places=model.encoding.positions(rows.size, None))
    logits = inputs.logits(model)
    if among is None:
        said = logits.argmax(dim=-1)
    else:
        tokens = torch.from_numpy(among).to(device)
        said = tokens[logits[:, tokens].argmax(dim=-1)]
    wrong = (said != inputs.targets).cpu().numpy()
    row_of = np.repeat(np.arange(len(rows.length)), rows.supervised.sum(axis=1))
    return np.bincount(row_of, weights=wrong, minlength=len(rows.length)) == 0


def _beginning(rows: Batch) -> Batch:
    """Supervise the first answer positions only; what lies behind them is then not computed."""
    early = np.cumsum(rows.supervised, axis=1) <= FIRST
    return replace(rows, targets=np.where(early, rows.targets, IGNORE))


def _chunks(batch: Batch) -> Iterator[np.ndarray]:
    """Split rows into chunks of similar size, so that little is padding."""
    order = np.argsort(batch.size, kind="stable")
    start = 0
    while start < len(order):
        rows = max(1, TOKENS_AT_ONCE // int(batch.size[order[start]]))
        end = min(len(order), start + rows)
        end = min(end, start + max(1, TOKENS_AT_ONCE // int(batch.size[order[end - 1]])))
        yield order[start:end]
        start = end
