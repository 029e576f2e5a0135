"""The residual stream of one pass, beside the attention of every head."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.analysis.attention import capture
from lengthwise.models.decoder import Decoder
from lengthwise.tasks.batch import Batch


@dataclass(frozen=True)
class OnePass:
    """One row: what every head reads, and the stream from the embedding to the last layer."""

    attention: Float[Tensor, "l h t t"]
    streams: Float[Tensor, "l1 t d"]
    logits: Float[Tensor, "l1 t v"]
    """What would be said if each stage were the last one; the last row is what is said."""


@torch.inference_mode()
def look_at(model: Decoder, batch: Batch) -> OnePass:
    """Run the model on a batch of one row and keep everything that its layers hand on.

    Example:
        >>> import numpy as np
        >>> from lengthwise.models.config import ModelConfig
        >>> from lengthwise.positions.nope import NoPE
        >>> from lengthwise.tasks import load_task
        >>> task = load_task("parity")
        >>> model = Decoder(ModelConfig(layers=3), len(task.vocabulary), NoPE(), context=9)
        >>> seen = look_at(model, task.sample(np.random.default_rng(0), np.array([4])))
        >>> seen.attention.shape[0], seen.streams.shape[0]
        (3, 4)
    """
    assert len(batch.tokens) == 1
    found: list[Tensor] = []
    hooks = [
        module.register_forward_pre_hook(lambda _, given: found.append(given[0].clone()))
        for module in (*model.blocks, model.norm)
    ]
    try:
        attention = capture(model, batch).row(0)
    finally:
        for hook in hooks:
            hook.remove()
    streams = torch.stack([stream.reshape(-1, stream.shape[-1]) for stream in found])
    return OnePass(attention, streams, model.eval().read(streams))
