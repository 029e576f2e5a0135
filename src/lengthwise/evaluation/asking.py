"""One input of a user's own: what a trained model writes behind it, or says about it."""

import numpy as np
import torch

from lengthwise.core.errors import InputError
from lengthwise.evaluation.answers import check_generated
from lengthwise.models.decoder import Decoder
from lengthwise.models.generation import generate
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch
from lengthwise.tasks.inputs import read_input, symbols


def reply(model: Decoder, task: Task, text: str, stop: str, limit: int) -> dict[str, object]:
    """Complete a prompt, where the task writes answers; else label every position.

    The symbol that ends every prompt of the task (``<sep>``) may be left out.

    Example:
        >>> from lengthwise.models.config import ModelConfig
        >>> from lengthwise.positions.nope import NoPE
        >>> from lengthwise.tasks import load_task
        >>> task = load_task("parity")
        >>> model = Decoder(ModelConfig(), len(task.vocabulary), NoPE(), context=9)
        >>> found = reply(model, task, "0 1 1", "<eos>", 5)
        >>> found["prompt"], len(found["written"].split()) <= 5
        ('<bos> 0 1 1 <sep>', True)
    """
    batch = read_input(task, text)
    example = _example(task)
    try:
        check_generated(task, example)
    except InputError:
        said = _labels(model, batch)
        names = [task.vocabulary.text(token) for token in said]
        return {"read": " ".join(symbols(task, batch)), "labels": " ".join(names)}
    batch = _closed(task, batch, example)
    stops = task.vocabulary.encode([stop])[0]
    written = _write(model, task, batch, stops, limit)
    return {
        "prompt": " ".join(symbols(task, batch)),
        "written": " ".join(task.vocabulary.text(token) for token in written),
    }


def _example(task: Task) -> Batch:
    """Draw some instances of the shortest lengths, to see how the task asks."""
    short = task.first_lengths(4)
    return task.draw(np.random.default_rng(0), int(short[0]), int(short[-1]), 32)


def _closed(task: Task, batch: Batch, example: Batch) -> Batch:
    """Add the separator behind a prompt that lacks it, where all prompts of the task have one."""
    rows = np.arange(len(example.length))
    last = example.tokens[rows, np.argmax(example.supervised, axis=1)]
    separator = task.vocabulary.sep
    if not (last == separator).all() or separator in batch.tokens:
        return batch
    tokens = np.append(batch.tokens, [[separator]], axis=1)
    targets = np.append(batch.targets, batch.targets[:, :1], axis=1)
    return Batch(tokens, targets, batch.length, batch.size + 1)


@torch.inference_mode()
def _labels(model: Decoder, batch: Batch) -> list[int]:
    """Return the likeliest label at every position."""
    device = model.embedding.weight.device
    places = model.encoding.positions(batch.size, None)
    logits = model.eval()(
        torch.from_numpy(batch.tokens).to(device),
        positions=None if places is None else torch.from_numpy(places).to(device),
        scale=torch.from_numpy(batch.length).to(device),
    )
    return logits[0].argmax(dim=-1).tolist()


def _write(model: Decoder, task: Task, batch: Batch, stop: int, limit: int) -> list[int]:
    """Return what is written behind the prompt, up to ``stop``; at most what the task needs."""
    device, size = model.embedding.weight.device, int(batch.size[0])
    steps = min(limit, max(1, task.max_tokens(int(batch.length[0])) - size))
    places = model.encoding.positions(np.array([size + steps]), None)
    made = generate(
        model.eval(),
        torch.from_numpy(batch.tokens).to(device),
        torch.from_numpy(batch.size).to(device),
        steps=steps,
        stop=stop,
        scale=torch.from_numpy(batch.length).to(device),
        positions=None if places is None else torch.from_numpy(places).to(device),
    )[0].tolist()
    return made[: made.index(stop) + 1] if stop in made else made
