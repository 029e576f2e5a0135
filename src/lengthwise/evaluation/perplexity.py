"""Perplexity of a language model against the context it is given.

As in the large-scale experiment of Kazemnejad et al. (2023, section 7): the last few tokens of a
text are predicted from contexts of several lengths, always the same tokens, so that differences
come from the context alone. Their tables show that a context of c tokens includes the predicted
ones (our reading: the text leaves it open). As they caution, natural text has mostly short
dependencies, so low perplexity on long contexts is no evidence that tasks generalize.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, Int

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Decoder
from lengthwise.models.supervised import prepare
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.text.modelling import TextModelling

if TYPE_CHECKING:
    from lengthwise.records.spec import RunSpec

SCORED = 32
"""Predicted tokens per window; the paper has 200 at contexts from 512."""
PAIRS_AT_ONCE = 2**23
"""Pairs of positions per forward pass: some encodings hold one number for each, layer and head."""


def perplexity_by_context(
    model: Decoder,
    task: Task,
    contexts: Sequence[int],
    *,
    scored: int = SCORED,
    windows: int = 256,
    seed: int = 0,
) -> dict[int, float]:
    """Return the perplexity of the same test tokens given each context.

    ``contexts`` count tokens behind ``<bos>``, the ``scored`` last ones included. ``windows`` are
    drawn uniformly from the test files; 0 takes the end of every test file that is long enough, as
    the paper does.
    """
    text = _language_task(task)
    _check(contexts, scored, windows)
    texts = held_out(text, max(contexts), windows, seed)
    return {
        context: perplexity(model, last_tokens(text, texts, context, scored))
        for context in sorted(set(contexts))
    }


def default_contexts(spec: "RunSpec") -> list[int]:
    """Return contexts around the longest that was trained: half of it, once, and up to twice."""
    longest = spec.training.length[1]
    return sorted({max(1, round(longest * share)) for share in (0.5, 0.75, 1, 1.25, 1.5, 2)})


def perplexity(model: Decoder, batch: Batch) -> float:
    """Return exp of the mean loss over the supervised tokens; infinite if that overflows.

    Example:
        >>> from lengthwise.models.config import ModelConfig
        >>> from lengthwise.positions.nope import NoPE
        >>> from lengthwise.tasks import load_task
        >>> task = load_task("python-source")
        >>> model = Decoder(ModelConfig(tied=False), len(task.vocabulary), NoPE(), context=9)
        >>> nothing = torch.nn.init.zeros_(model.unembedding.weight)
        >>> batch = task.sample(np.random.default_rng(0), np.array([8, 5]))
        >>> round(perplexity(model, batch), 3), len(task.vocabulary)
        (260.0, 260)
    """
    mean = float(token_losses(model, batch).mean())
    return math.exp(mean) if mean < 700 else math.inf


@torch.inference_mode()
def token_losses(model: Decoder, batch: Batch) -> Float[np.ndarray, "m"]:
    """Return the loss at every supervised position, row after row, in nats."""
    was_training = model.training
    model.eval()
    device = model.embedding.weight.device
    at_once = max(1, PAIRS_AT_ONCE // batch.tokens.shape[1] ** 2)
    found = []
    for start in range(0, len(batch.length), at_once):
        rows = batch.rows(np.arange(start, min(start + at_once, len(batch.length))))
        inputs = prepare(rows, device, places=model.encoding.positions(rows.size, None))
        logits = inputs.logits(model).double()
        found.append(F.cross_entropy(logits, inputs.targets, reduction="none").cpu().numpy())
    model.train(was_training)
    return np.concatenate(found)


def held_out(task: TextModelling, length: int, count: int, seed: int) -> Int[np.ndarray, "w n"]:
    """Return windows of test text: ``count`` drawn ones, or the ends of all files if 0."""
    if count:
        rng = np.random.default_rng(seed)
        return task.sample(rng, np.full(count, length)).tokens[:, 1:]
    ends = [ids[-length:] for ids in task.corpus.documents() if len(ids) >= length]
    if not ends:
        raise InputError(f"context {length}: the longest test file has {task.longest} tokens.")
    return np.stack(ends).astype(np.int64)


def last_tokens(task: Task, texts: Int[np.ndarray, "w n"], context: int, scored: int) -> Batch:
    """Cut texts to their last ``context`` tokens behind ``<bos>``; the ``scored`` last are asked.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> batch = last_tokens(load_task("python-source"), np.array([[1, 2, 3, 4]]), 3, 2)
        >>> batch.tokens.tolist(), batch.targets.tolist()
        ([[256, 2, 3, 4]], [[-100, 3, 4, -100]])
    """
    first = np.full((len(texts), 1), task.vocabulary.bos)
    tokens = np.concatenate([first, texts[:, -context:]], axis=1)
    targets = np.full_like(tokens, IGNORE)
    asked = slice(context - scored, context)
    targets[:, asked] = tokens[:, 1:][:, asked]
    sizes = np.full(len(texts), context)
    return Batch(tokens=tokens, targets=targets, length=sizes, size=sizes + 1)


def _language_task(task: Task) -> TextModelling:
    if not isinstance(task, TextModelling):
        raise InputError(
            f"perplexity: task {task.name!r} is no language modelling; train python-source or text."
        )
    return replace(task, part="test")


def _check(contexts: Sequence[int], scored: int, windows: int) -> None:
    if not contexts:
        raise InputError("perplexity: name at least one context.")
    if scored < 1 or windows < 0:
        raise InputError(
            f"perplexity: tokens {scored} must be at least 1 and windows {windows} at least 0."
        )
    if min(contexts) < scored:
        raise InputError(
            f"context {min(contexts)}: it includes the {scored} predicted tokens, so it cannot be "
            "shorter; use longer contexts or fewer tokens."
        )
