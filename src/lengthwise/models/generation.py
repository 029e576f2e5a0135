"""Greedy generation with cached keys and values."""

import torch
from jaxtyping import Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Decoder
from lengthwise.models.frozen import compiled, frozen
from lengthwise.models.products import is_usual

WORTHWHILE = 16
"""For fewer steps the weights are not laid out anew and no attention is compiled."""


@torch.inference_mode()
def generate(
    model: Decoder,
    prompts: Int[Tensor, "b t"],
    sizes: Int[Tensor, "b"],
    *,
    steps: int,
    stop: int | None = None,
    scale: Int[Tensor, "b"] | None = None,
) -> Int[Tensor, "b n"]:
    """Continue right-padded prompts by the most likely tokens.

    Stops after ``steps`` tokens, or when every row has produced ``stop``; what follows a row's
    ``stop`` is filled with it.
    """
    if int(sizes.min()) < 1:
        raise InputError("generate: every prompt needs at least one token.")
    rows = torch.arange(len(prompts), device=prompts.device)
    cache = model.cache(len(prompts), prompts.shape[1] + steps)
    if steps > WORTHWHILE and not model.training and is_usual(*model.parameters()):
        model = frozen(model, len(prompts))
        loops = compiled()
        cache.attend_once = None if loops is None else loops.attend_once
    logits = model.step(prompts, cache, scale)[rows, sizes - 1]
    cache.set_filled(sizes)
    done = torch.zeros(len(prompts), dtype=torch.bool, device=prompts.device)
    produced: list[Tensor] = []
    for _ in range(steps):
        token = logits.argmax(dim=-1)
        if stop is not None:
            token = token.masked_fill(done, stop)
            done |= token == stop
        produced.append(token)
        if len(produced) == steps or (stop is not None and bool(done.all())):
            break
        logits = model.step(token[:, None], cache, scale)[:, 0]
    return torch.stack(produced, dim=1)
